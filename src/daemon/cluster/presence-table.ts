/**
 * Which machines of a cluster are present, by the signs of life that were heard. It has no clock of its own, and no clock of another machine
 * counts: only the time between two signs here. Any version of the server is enough for it, and JetStream may be without a leader meanwhile.
 */
import type { MachineRow } from "./machine-row.ts";

/** Four signs were missed. With the second between two signs and the one between two checks, a dead machine is away in less than 5 s. */
export const AWAY_AFTER_MS = 4000;
/** A check that comes so late shows that this process stood still, and heard nothing for that reason. */
const CHECK_LATE_MS = 2000;
const MACHINES_MAX = 1024;

export interface PresentMachine {
  readonly row: MachineRow;
  /** `connecting`: known from the stream, and not heard yet. */
  readonly state: "connecting" | "connected" | "away";
  /** Why it is away. */
  readonly reason: string | null;
  /** Milliseconds since 1970 of the last change of `state`. */
  readonly sinceMs: number;
}

interface Entry extends PresentMachine {
  readonly heardMs: number;
}

export class PresenceTable {
  readonly #entries = new Map<string, Entry>();
  #checkedMs: number | undefined;

  /** By name. */
  get all(): PresentMachine[] {
    return [...this.#entries.values()].toSorted((a, b) => (a.row.name < b.row.name ? -1 : 1));
  }

  get(name: string): PresentMachine | undefined {
    return this.#entries.get(name);
  }

  /** Takes a sign of life; true if what is shown has changed. */
  heard(row: MachineRow, nowMs: number): boolean {
    const before = this.#entries.get(row.name);
    if (before === undefined && this.#entries.size >= MACHINES_MAX) return false;
    const state = row.state === "stopped" ? "away" : "connected";
    const reason = row.state === "stopped" ? "its daemon was stopped" : null;
    const isSame = before?.state === state && before.reason === reason;
    this.#entries.set(row.name, { row, state, reason, sinceMs: isSame ? before.sinceMs : nowMs, heardMs: nowMs });
    return !isSame || before.row.sessions !== row.sessions || before.row.version !== row.version;
  }

  /** Takes a row that the stream has kept, which shows only that there is such a machine. */
  known(row: MachineRow, nowMs: number): boolean {
    if (this.#entries.has(row.name)) return false;
    if (row.state === "stopped") return this.heard(row, nowMs);
    if (this.#entries.size >= MACHINES_MAX) return false;
    this.#entries.set(row.name, { row, state: "connecting", reason: null, sinceMs: nowMs, heardMs: nowMs });
    return true;
  }

  /** It has left the cluster. */
  remove(name: string): boolean {
    return this.#entries.delete(name);
  }

  /** Keeps only these. */
  retain(names: ReadonlySet<string>): boolean {
    const gone = [...this.#entries.keys()].filter((name) => !names.has(name));
    for (const name of gone) this.#entries.delete(name);
    return gone.length > 0;
  }

  /** To be called each second; `whyDeaf` if this machine hears nothing at this time. True if what is shown has changed. */
  check(nowMs: number, whyDeaf: string | null): boolean {
    const lateMs = this.#checkedMs === undefined ? 0 : nowMs - this.#checkedMs;
    const stoodStillMs = lateMs > CHECK_LATE_MS || lateMs < 0 ? lateMs : 0;
    this.#checkedMs = nowMs;
    let changed = false;
    for (const [name, entry] of this.#entries) {
      const heardMs = entry.heardMs + stoodStillMs;
      const isSilent = nowMs - heardMs >= AWAY_AFTER_MS;
      const becomesAway = isSilent && entry.state !== "away";
      const reason = whyDeaf ?? `nothing was heard of it for ${AWAY_AFTER_MS / 1000} s`;
      this.#entries.set(
        name,
        becomesAway ? { ...entry, heardMs, state: "away", reason, sinceMs: nowMs } : { ...entry, heardMs },
      );
      changed ||= becomesAway;
    }
    return changed;
  }
}
