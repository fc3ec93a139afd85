/** Machines that send heartbeats and changes of their sessions, and a watcher with presence and the index of remote sessions. */
import { Presence, type PresenceInput } from "../../src/core/cluster/presence.ts";
import {
  RemoteIndex,
  type IndexChange,
  type IndexedQuestion,
  type IndexedSession,
  type RemoteIndexInput,
} from "../../src/core/cluster/remote-index.ts";
import type { ModelStore } from "./model-store.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

const AWAY_MS = 5000;
const BEAT_MS = 1000;
/** Longest way of a message that is not repeated. */
const DELAY_MS = 20;
const SESSIONS_MAX = 4;

type Change = IndexChange<IndexedSession, IndexedQuestion>;

export class BeatingMachine {
  readonly name: string;
  readonly daemon: SimulatedProcess;
  readonly #world: World;
  readonly #store: ModelStore;
  readonly #watcher: () => Watcher;
  /** The truth. */
  readonly sessions = new Map<string, IndexedSession>();
  boot = "";
  revision = 0;
  lastSentMs = -1e9;
  #boots = 0;
  #clockJumpMs = 0;

  constructor(world: World, name: string, store: ModelStore, watcher: () => Watcher) {
    this.#world = world;
    this.name = name;
    this.#store = store;
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
    this.revision = 0;
    this.#beat(1);
    this.#change();
    return { connected: () => {}, disconnected: () => {} };
  }

  #beat(beat: number): void {
    const watcher = this.#watcher();
    const { boot, revision, clockMs } = this;
    if (this.daemon.isLinked) this.lastSentMs = this.#world.nowMs;
    this.#world.network.send(this.daemon, watcher.process, () =>
      watcher.hear({ machine: this.name, boot, beat, revision, clockMs }),
    );
    this.#store.put(this.daemon, this.name, () => {});
    this.daemon.after(BEAT_MS, () => this.#beat(beat + 1));
  }

  /** Starts, ends and removes sessions. */
  #change(): void {
    const { random, isChaos } = this.#world;
    if (!isChaos) return;
    const id = `s${random.int(1, SESSIONS_MAX + 2)}`;
    const known = this.sessions.get(id);
    if (known === undefined) this.#report({ kind: "session", session: { id, state: "running" } });
    else if (known.state === "running") this.#report({ kind: "session", session: { id, state: "exited" } });
    else this.#report({ kind: "session-removed", id });
    this.daemon.after(random.int(200, 1500), () => this.#change());
  }

  #report(change: Change): void {
    if (change.kind === "session") {
      if (this.sessions.size >= SESSIONS_MAX && !this.sessions.has(change.session.id)) return;
      this.sessions.set(change.session.id, change.session);
    } else if (change.kind === "session-removed") this.sessions.delete(change.id);
    this.revision += 1;
    const { boot, revision } = this;
    const watcher = this.#watcher();
    this.#world.network.send(this.daemon, watcher.process, () =>
      watcher.index({ type: "change", machine: this.name, boot, revision, change }),
    );
  }

  /** Answers a request for a snapshot. */
  serve(): void {
    const { boot, revision, name: machine } = this;
    const watcher = this.#watcher();
    const sessions = [...this.sessions.values()];
    this.#world.network.send(this.daemon, watcher.process, () =>
      watcher.index({ type: "snapshot", machine, boot, revision, sessions, questions: [] }),
    );
  }
}

interface Beat {
  readonly machine: string;
  readonly boot: string;
  beat: number;
  readonly revision: number;
  readonly clockMs: number;
}

export class Watcher {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #machines: readonly BeatingMachine[];
  #presence = new Presence();
  #index = new RemoteIndex<IndexedSession, IndexedQuestion>();
  #timerMs = Number.POSITIVE_INFINITY;
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
    this.#index = new RemoteIndex();
    this.#timerMs = Number.POSITIVE_INFINITY;
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
    const { machine, boot, revision } = beat;
    // An error: what the clock of the machine shows decides whether a heartbeat is recent.
    if (this.#world.bug === "machine-clock" && this.#world.nowMs - beat.clockMs > AWAY_MS) return;
    this.#step({ type: "heartbeat", machine, boot, beat: beat.beat });
    if (this.#presence.machine(machine)?.state === "here") this.index({ type: "revision", machine, boot, revision });
  }

  expired(key: string): void {
    if (this.process.isLinked) this.process.after(10, () => this.#step({ type: "expired", machine: key }));
  }

  #step(input: PresenceInput): void {
    for (const presence of this.#presence.step(input, this.#world.nowMs)) {
      this.#world.trace(() => `${presence.machine} is ${presence.state} ${presence.reason}`);
      if (this.#world.bug !== "no-presence" || presence.state === "here") this.index({ type: "presence", presence });
    }
    this.#wake();
  }

  index(input: RemoteIndexInput<IndexedSession, IndexedQuestion>): void {
    const { bug, nowMs, network } = this.#world;
    if (bug === "index-without-revision" && (input.type === "change" || input.type === "revision")) {
      if (input.type === "revision") return;
      this.#applied = Math.max(this.#applied + 1, input.revision);
      input = { ...input, revision: this.#applied };
    }
    for (const effect of this.#index.step(input, nowMs)) {
      if (effect.type !== "fetch") continue;
      const machine = this.#machines.find(({ name }) => name === effect.machine)!;
      network.send(this.process, machine.daemon, () => machine.serve());
    }
    this.#wake();
  }

  #applied = 0;

  #wake(): void {
    const wakeMs = Math.min(this.#presence.wakeAtMs ?? 1e9, this.#index.wakeAtMs ?? 1e9);
    if (wakeMs >= Math.min(this.#timerMs, 1e9)) return;
    this.#timerMs = wakeMs;
    this.process.after(Math.max(0, wakeMs - this.#world.nowMs), () => {
      if (this.#timerMs !== wakeMs) return;
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#step({ type: "tick" });
      this.index({ type: "tick" });
    });
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
      if (silentMs <= AWAY_MS + BEAT_MS) continue;
      const running = this.#index.sessions().filter((one) => one.machine === machine.name && one.state === "running");
      this.#world.check(running.length === 0, () => `a session of ${machine.name}, which is away, is running`);
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
      const shown = this.#index.sessions().filter((one) => one.machine === name);
      const text = (sessions: readonly IndexedSession[]): string =>
        sessions
          .map(({ id, state }) => `${id} ${state}`)
          .toSorted()
          .join();
      const truth = text([...machine.sessions.values()]);
      const seen = text(shown.map(({ session, state }) => ({ id: session.id, state })));
      check(seen === truth, () => `${name} has ${truth}, the watcher shows ${seen}`);
    }
  }
}
