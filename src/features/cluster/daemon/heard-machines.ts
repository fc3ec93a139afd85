/** The machines of a cluster with what they told last, and whether they are there. */
import { Presence, type MachinePresence, type PresenceInput } from "../core/presence.ts";
import type { MachineRow } from "./machine-row.ts";

/** Four heartbeats. With the second between two of them, a dead machine is away in 5 s. */
const AWAY_MS = 4000;

export interface HeardMachine {
  readonly row: MachineRow;
  /** `connecting`: known, and not heard yet. */
  readonly state: "connecting" | "connected" | "away";
  /** Why it is away. */
  readonly reason: string | null;
  /** Milliseconds since 1970 of the last change of `state`. */
  readonly sinceMs: number;
}

const stateNames = { unheard: "connecting", here: "connected", away: "away" } as const;

export class HeardMachines {
  readonly #presence = new Presence({ awayMs: AWAY_MS });
  readonly #rows = new Map<string, MachineRow>();
  /** Computed once for each state: the two clocks never differ by quite the same. */
  readonly #times = new Map<string, { readonly monotonicMs: number; readonly sinceMs: number }>();

  /** By name. */
  get all(): HeardMachine[] {
    return this.#presence
      .machines()
      .flatMap((machine) => this.#shown(machine) ?? [])
      .toSorted((a, b) => (a.row.name < b.row.name ? -1 : 1));
  }

  get(name: string): HeardMachine | undefined {
    const machine = this.#presence.machine(name);
    return machine && this.#shown(machine);
  }

  /** Takes a row that its machine has just sent; true if what is shown has changed. */
  heard(row: MachineRow): boolean {
    const { beat, instance: boot, name: machine, state } = row;
    const input =
      state === "stopped"
        ? ({ type: "left", machine, boot } as const)
        : ({ type: "heartbeat", machine, boot, beat } as const);
    return this.#take(row, input);
  }

  /** Takes a row that the stream has kept, which is no sign of life. */
  known(row: MachineRow): boolean {
    const { instance: boot, name: machine, state } = row;
    if (this.#rows.has(machine)) return false;
    const changed = this.#take(row, { type: "known", machine });
    return (state === "stopped" && this.#take(row, { type: "left", machine, boot })) || changed;
  }

  /** It is no longer a machine of the cluster. */
  remove(name: string): boolean {
    this.#times.delete(name);
    return this.#rows.delete(name);
  }

  /** This machine's own connection. */
  connection(isUp: boolean): void {
    this.#presence.step({ type: "connection", isUp }, performance.now());
  }

  /** To be called each second or more often. True if a machine became away. */
  check(): boolean {
    return this.#presence.step({ type: "tick" }, performance.now()).length > 0;
  }

  #take(row: MachineRow, input: PresenceInput): boolean {
    const changes = this.#presence.step(input, performance.now());
    const before = this.#rows.get(row.name);
    // Beyond the limit.
    if (this.#presence.machine(row.name) === undefined) return false;
    this.#rows.set(row.name, row);
    return changes.length > 0 || before?.sessions !== row.sessions || before.version !== row.version;
  }

  #shown({ machine, reason, sinceMs, state }: MachinePresence): HeardMachine | undefined {
    const row = this.#rows.get(machine);
    if (row === undefined) return undefined;
    const why = row.state === "stopped" ? "its daemon was stopped" : reason;
    return {
      row,
      state: stateNames[state],
      reason: state === "away" ? why : null,
      sinceMs: this.#wallTime(machine, sinceMs),
    };
  }

  #wallTime(machine: string, monotonicMs: number): number {
    const known = this.#times.get(machine);
    if (known?.monotonicMs === monotonicMs) return known.sinceMs;
    const sinceMs = Math.round(Date.now() - (performance.now() - monotonicMs));
    this.#times.set(machine, { monotonicMs, sinceMs });
    return sinceMs;
  }
}
