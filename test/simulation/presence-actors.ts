/** Machines that send heartbeats, and a watcher with presence. */
import { Presence, type PresenceInput } from "../../src/features/cluster/core/presence.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

const AWAY_MS = 5000;
const BEAT_MS = 1000;
/** Longest way of a message that is not repeated. */
const DELAY_MS = 20;

export class BeatingMachine {
  readonly name: string;
  readonly daemon: SimulatedProcess;
  readonly #world: World;
  readonly #watcher: () => Watcher;
  boot = "";
  lastSentMs = -1e9;
  #boots = 0;
  #clockJumpMs = 0;

  constructor(world: World, name: string, watcher: () => Watcher) {
    this.#world = world;
    this.name = name;
    this.#watcher = watcher;
    this.daemon = new SimulatedProcess(world, name, () => this.#start());
  }

  jumpClock(byMs: number): void {
    this.#world.trace(() => `the clock of ${this.name} jumps by ${byMs} ms`);
    this.#clockJumpMs += byMs;
  }

  get clockMs(): number {
    return this.#world.nowMs + this.#clockJumpMs;
  }

  #start(): Program {
    this.#boots += 1;
    this.boot = `${this.name}-${this.#boots}`;
    this.#beat(1);
    return { connected: () => {}, disconnected: () => {} };
  }

  #beat(beat: number): void {
    const watcher = this.#watcher();
    const { boot, clockMs } = this;
    if (this.daemon.isLinked) this.lastSentMs = this.#world.nowMs;
    this.#world.network.send(this.daemon, watcher.process, () =>
      watcher.hear({ machine: this.name, boot, beat, clockMs }),
    );
    this.daemon.after(BEAT_MS, () => this.#beat(beat + 1));
  }
}

interface Beat {
  readonly machine: string;
  readonly boot: string;
  beat: number;
  readonly clockMs: number;
}

export class Watcher {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #machines: readonly BeatingMachine[];
  #presence = new Presence();
  /** The last heartbeat of each machine as a bucket would store it. */
  readonly #stored = new Map<string, Beat>();
  #connectedMs = 0;

  constructor(world: World, machines: readonly BeatingMachine[]) {
    this.#world = world;
    this.#machines = machines;
    this.process = new SimulatedProcess(world, "watcher", () => this.#start());
  }

  #start(): Program {
    this.#presence = new Presence();
    this.#check();
    return {
      connected: () => {
        this.#connectedMs = this.#world.nowMs;
        this.#step({ type: "connection", isUp: true });
        for (const { name } of this.#machines) this.#listed(name);
      },
      disconnected: () => this.#step({ type: "connection", isUp: false }),
    };
  }

  /** What a registry has of a machine, current or not. */
  #listed(machine: string): void {
    const stored = this.#stored.get(machine);
    if (this.#world.bug === "stored-heartbeats" && stored !== undefined) {
      stored.beat += 0.5;
      return this.#step({ type: "heartbeat", machine, boot: stored.boot, beat: stored.beat });
    }
    this.#step({ type: "known", machine });
  }

  hear(beat: Beat): void {
    this.#stored.set(beat.machine, beat);
    const { machine, boot } = beat;
    // An error: what the clock of the machine shows decides whether a heartbeat is recent.
    if (this.#world.bug === "machine-clock" && this.#world.nowMs - beat.clockMs > AWAY_MS) return;
    this.#step({ type: "heartbeat", machine, boot, beat: beat.beat });
  }

  #step(input: PresenceInput): void {
    for (const presence of this.#presence.step(input, this.#world.nowMs)) {
      this.#world.trace(() => `${presence.machine} is ${presence.state} ${presence.reason}`);
    }
  }

  /** Whoever reads the state lets time pass first: the process may have been stopped. */
  #check(): void {
    this.#step({ type: "tick" });
    const { nowMs } = this.#world;
    for (const machine of this.#machines) {
      const state = this.#presence.machine(machine.name)?.state;
      // A watcher that was stopped reads afterwards what was sent before, and counts from then.
      const silentMs = nowMs - Math.max(machine.lastSentMs, this.process.stoppedUntilMs);
      this.#world.check(
        state !== "here" || silentMs <= AWAY_MS + BEAT_MS,
        () => `${machine.name} is here after ${silentMs} ms of silence`,
      );
    }
    this.process.after(500, () => this.#check());
  }

  checkConverged(): void {
    this.#step({ type: "tick" });
    for (const machine of this.#machines) {
      const { name } = machine;
      const { nowMs, check } = { nowMs: this.#world.nowMs, check: this.#world.check.bind(this.#world) };
      const isSettled = nowMs - this.#connectedMs > BEAT_MS + DELAY_MS;
      check(!isSettled || this.#presence.machine(name)?.state === "here", () => `${name} is not here at the end`);
    }
  }
}
