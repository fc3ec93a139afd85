/**
 * Which machines of a cluster are here, as one watcher sees it. Laws:
 * - Only the watcher's monotonic clock counts: a machine is away when the watcher has heard nothing from it for `awayMs`, whatever the
 *   clocks of the machine and of the servers show.
 * - Only a heartbeat that was not counted before is a sign of life. A stored value that is read again, or a message that arrives a
 *   second time, is not: so a dead machine never comes back by what it once sent.
 * - A machine that is known and was not heard is `unheard`, and nothing of it may be shown as running.
 *
 * Times are milliseconds of a clock that only moves forward. Call `step` with `tick` before the state is read.
 */

type PresenceState = "unheard" | "here" | "away";

export interface MachinePresence {
  readonly machine: string;
  readonly state: PresenceState;
  /** When the state began, by the watcher's clock. */
  readonly sinceMs: number;
  /** Why it is away; empty for other states. */
  readonly reason: string;
}

export interface PresenceOptions {
  /** Default 5,000: five heartbeats. */
  readonly awayMs?: number;
  /** Further machines replace the one that is away for the longest time, or are not watched. Default 1,000. */
  readonly machinesMax?: number;
}

export type PresenceInput =
  /** `boot` is different for each start of the machine's daemon; `beat` rises with each heartbeat of it. */
  | { readonly type: "heartbeat"; readonly machine: string; readonly boot: string; readonly beat: number }
  /** A registry lists it: nothing is known of its state. */
  | { readonly type: "known"; readonly machine: string }
  /** Its daemon of this start has said goodbye. */
  | { readonly type: "left"; readonly machine: string; readonly boot: string }
  /** The watcher's own connection to the cluster. */
  | { readonly type: "connection"; readonly isUp: boolean }
  | { readonly type: "tick" };

interface Watched {
  readonly machine: string;
  state: PresenceState;
  sinceMs: number;
  reason: string;
  heardMs: number;
  boot: string | undefined;
  beat: number;
  /** Earlier starts, the last one first. Without them, a late heartbeat of an ended daemon would count. */
  retiredBoots: readonly string[];
}

const RETIRED_BOOTS_MAX = 8;

export class Presence {
  readonly #awayMs: number;
  readonly #machinesMax: number;
  readonly #machines = new Map<string, Watched>();
  #isConnected = true;
  /** Not later than the first time at which a machine can become away. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #changes: MachinePresence[] = [];

  constructor({ awayMs = 5000, machinesMax = 1000 }: PresenceOptions = {}) {
    this.#awayMs = awayMs;
    this.#machinesMax = machinesMax;
  }

  machine(machine: string): MachinePresence | undefined {
    const watched = this.#machines.get(machine);
    return watched && presenceOf(watched);
  }

  machines(): MachinePresence[] {
    return Array.from(this.#machines.values(), presenceOf);
  }

  /** Returns the machines whose state has changed. */
  step(input: PresenceInput, nowMs: number): MachinePresence[] {
    this.#apply(input, nowMs);
    if (nowMs >= this.#wakeAtMs) this.#expire(nowMs);
    const changes = this.#changes;
    if (changes.length > 0) this.#changes = [];
    return changes;
  }

  #apply(input: PresenceInput, nowMs: number): void {
    switch (input.type) {
      case "heartbeat":
        return this.#hear(input, nowMs);
      case "known":
        this.#watch(input.machine, nowMs);
        return;
      case "left": {
        const watched = this.#machines.get(input.machine);
        if (watched === undefined || (watched.boot !== undefined && watched.boot !== input.boot)) return;
        retire(watched, input.boot);
        return this.#change(watched, { state: "away", reason: "it has left" }, nowMs);
      }
      case "connection":
        this.#isConnected = input.isUp;
        return;
      case "tick":
    }
  }

  #hear({ machine, boot, beat }: Extract<PresenceInput, { type: "heartbeat" }>, nowMs: number): void {
    const watched = this.#watch(machine, nowMs);
    if (watched === undefined || watched.retiredBoots.includes(boot)) return;
    if (watched.boot === boot && beat <= watched.beat) return;
    if (watched.boot !== undefined && watched.boot !== boot) retire(watched, watched.boot);
    watched.boot = boot;
    watched.beat = beat;
    watched.heardMs = nowMs;
    this.#wakeAtMs = Math.min(this.#wakeAtMs, nowMs + this.#awayMs);
    this.#change(watched, { state: "here", reason: "" }, nowMs);
  }

  #watch(machine: string, nowMs: number): Watched | undefined {
    const known = this.#machines.get(machine);
    if (known !== undefined) return known;
    if (this.#machines.size >= this.#machinesMax && !this.#forgetOne()) return undefined;
    const watched: Watched = {
      machine,
      state: "unheard",
      sinceMs: nowMs,
      reason: "",
      heardMs: nowMs,
      boot: undefined,
      beat: 0,
      retiredBoots: [],
    };
    this.#machines.set(machine, watched);
    this.#wakeAtMs = Math.min(this.#wakeAtMs, nowMs + this.#awayMs);
    this.#changes.push(presenceOf(watched));
    return watched;
  }

  #forgetOne(): boolean {
    let oldest: Watched | undefined;
    for (const one of this.#machines.values()) {
      if (one.state === "away" && (oldest === undefined || one.sinceMs < oldest.sinceMs)) oldest = one;
    }
    return oldest !== undefined && this.#machines.delete(oldest.machine);
  }

  #expire(nowMs: number): void {
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    const reason = this.#isConnected
      ? `it was not heard for ${this.#awayMs / 1000} s`
      : "this machine has no connection to the cluster";
    for (const watched of this.#machines.values()) {
      if (watched.state === "away") continue;
      const deadlineMs = watched.heardMs + this.#awayMs;
      if (nowMs >= deadlineMs) this.#change(watched, { state: "away", reason }, nowMs);
      else this.#wakeAtMs = Math.min(this.#wakeAtMs, deadlineMs);
    }
  }

  #change(watched: Watched, to: Pick<MachinePresence, "state" | "reason">, nowMs: number): void {
    if (watched.state === to.state) return;
    Object.assign(watched, to, { sinceMs: nowMs });
    this.#changes.push(presenceOf(watched));
  }
}

function retire(watched: Watched, boot: string): void {
  watched.retiredBoots = [boot, ...watched.retiredBoots].slice(0, RETIRED_BOOTS_MAX);
  watched.boot = undefined;
}

const presenceOf = ({ machine, state, sinceMs, reason }: Watched): MachinePresence => ({
  machine,
  state,
  sinceMs,
  reason,
});
