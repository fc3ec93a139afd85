/** Processes that want the same lease, and one that executes what its holder asks for. */
import { Fence, Lease, type LeaseEffect, type LeaseInput } from "../../src/core/cluster/lease.ts";
import type { ModelStore } from "./model-store.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

export const LEASE_TTL_MS = 3000;
const KEY = "lease";

/** Executes acts in the order in which they come. */
export class Executor {
  readonly #world: World;
  readonly #fence = new Fence();
  #revision = 0;
  #holder = "";

  constructor(world: World) {
    this.#world = world;
  }

  act(holder: string, revision: number): void {
    if (!this.#fence.accepts(holder, revision) && this.#world.bug !== "no-fence") return;
    const isLater = revision > this.#revision || (revision === this.#revision && holder === this.#holder);
    this.#world.check(
      isLater,
      () => `two writers: ${holder} acts with ${revision} after ${this.#holder} with ${this.#revision}`,
    );
    this.#revision = revision;
    this.#holder = holder;
  }
}

export class Contender {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #store: ModelStore;
  readonly #executor: Executor;
  readonly #rivals: readonly Contender[];
  #lease = new Lease();
  #timerMs = Number.POSITIVE_INFINITY;
  /** For a shell that does not ask whether the lease is still held. */
  #lastRevision: number | undefined;

  constructor(
    world: World,
    name: string,
    store: ModelStore,
    others: { executor: Executor; rivals: readonly Contender[] },
  ) {
    this.#world = world;
    this.#store = store;
    this.#executor = others.executor;
    this.#rivals = others.rivals;
    this.process = new SimulatedProcess(world, name, () => this.#start());
  }

  /** With what it would act at this time. */
  get revision(): number | undefined {
    if (!this.process.isAlive) return undefined;
    if (this.#world.bug === "lease-renewed-after-expiry") return this.#lastRevision;
    return this.#lease.revision(this.#world.nowMs);
  }

  #start(): Program {
    this.#lease = new Lease({ ttlMs: LEASE_TTL_MS, renewMs: 900, marginMs: 300 });
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#lastRevision = undefined;
    this.#step({ type: "start" });
    this.#act();
    return { connected: () => {}, disconnected: () => {} };
  }

  #act(): void {
    const { random } = this.#world;
    const { revision } = this;
    if (revision !== undefined) {
      for (const rival of this.#rivals) {
        const isAlone = rival === this || rival.revision === undefined || this.#store.wasUnfaithful;
        this.#world.check(isAlone, () => `two writers: ${this.process.name} and ${rival.process.name} hold the lease`);
      }
      // On its way it may be overtaken by the acts of a later holder.
      const { name } = this.process;
      this.#world.after(random.chance(0.1) ? random.int(10, 4000) : random.int(1, 10), () =>
        this.#executor.act(name, revision),
      );
    }
    this.process.after(random.int(100, 500), () => this.#act());
  }

  #step(input: LeaseInput): void {
    for (const effect of this.#lease.step(input, this.#world.nowMs)) this.#perform(effect);
    const { wakeAtMs } = this.#lease;
    if (wakeAtMs === undefined || wakeAtMs >= this.#timerMs) return;
    this.#timerMs = wakeAtMs;
    this.process.after(Math.max(0, wakeAtMs - this.#world.nowMs), () => {
      if (this.#timerMs !== wakeAtMs) return;
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#step({ type: "tick" });
    });
  }

  #perform(effect: LeaseEffect): void {
    this.#world.trace(() => `${this.process.name}: ${JSON.stringify(effect)}`);
    const isBuggy = this.#world.bug === "lease-renewed-after-expiry";
    switch (effect.type) {
      case "create":
      case "update": {
        const { request } = effect;
        const answer = (revision: number): void =>
          this.#step(revision === 0 ? { type: "refused", request } : { type: "written", request, revision });
        if (isBuggy && this.#lastRevision !== undefined) return this.#store.put(this.process, KEY, answer);
        if (effect.type === "create") return this.#store.create(this.process, KEY, answer);
        return this.#store.update(this.process, KEY, effect.revision, answer);
      }
      case "remove":
        return this.#store.remove(this.process, KEY, effect.revision);
      case "acquired":
      case "renewed":
        this.#lastRevision = effect.revision;
        return;
      case "lost":
        // An error: it goes on with what it held.
        if (!isBuggy) this.#lastRevision = undefined;
        return;
      case "taken":
    }
  }
}
