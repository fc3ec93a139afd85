/** A key-value bucket: conditional writes, removal a time after the last write by the clock of the server, which may jump. */
import type { Brokers } from "./model-stream.ts";
import type { SimulatedProcess, World } from "./world.ts";

interface Entry {
  readonly revision: number;
  readonly writtenMs: number;
}

/** The revision, or 0: refused. */
type Answer = (revision: number) => void;

export class ModelStore {
  readonly #world: World;
  readonly #brokers: Brokers;
  readonly #ttlMs: number;
  #entries = new Map<string, Entry>();
  #revision = 0;
  #saved: { readonly entries: Map<string, Entry>; readonly revision: number } = { entries: new Map(), revision: 0 };
  #jumpMs = 0;
  /** It has given a key away too early, or lost a write: time alone protects nobody any more. */
  wasUnfaithful = false;
  /** Called when a key has expired, if the server has markers. */
  onExpired: ((key: string) => void) | undefined;

  constructor(world: World, brokers: Brokers, ttlMs: number) {
    this.#world = world;
    this.#brokers = brokers;
    this.#ttlMs = ttlMs;
  }

  /** As a put without a condition. */
  put(from: SimulatedProcess, key: string, answer: Answer): void {
    this.#brokers.request(from, () => this.#write(key), answer);
  }

  create(from: SimulatedProcess, key: string, answer: Answer): void {
    this.#brokers.request(from, () => (this.#current(key) === undefined ? this.#write(key) : 0), answer);
  }

  update(from: SimulatedProcess, key: string, revision: number, answer: Answer): void {
    this.#brokers.request(from, () => (this.#current(key)?.revision === revision ? this.#write(key) : 0), answer);
  }

  remove(from: SimulatedProcess, key: string, revision: number): void {
    const remove = (): void => {
      if (this.#current(key)?.revision === revision) this.#entries.delete(key);
    };
    this.#brokers.request(from, remove, () => {});
  }

  jumpClock(byMs: number): void {
    this.#world.trace(() => `the clock of the server jumps by ${byMs} ms`);
    this.#jumpMs += byMs;
    this.wasUnfaithful = true;
  }

  sync(): void {
    this.#saved = { entries: new Map(this.#entries), revision: this.#revision };
  }

  recoverUncleanly(): void {
    this.#world.trace(() => `the bucket goes back from revision ${this.#revision} to ${this.#saved.revision}`);
    this.#entries = new Map(this.#saved.entries);
    this.#revision = this.#saved.revision;
    this.wasUnfaithful = true;
  }

  #current(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#serverMs - entry.writtenMs < this.#ttlMs ? entry : undefined;
  }

  get #serverMs(): number {
    return this.#world.nowMs + this.#jumpMs;
  }

  #write(key: string): number {
    this.#revision += 1;
    const entry = { revision: this.#revision, writtenMs: this.#serverMs };
    this.#entries.set(key, entry);
    if (this.onExpired !== undefined) this.#world.after(this.#ttlMs + 300, () => this.#expire(key, entry));
    return this.#revision;
  }

  #expire(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry && this.#current(key) === undefined) this.onExpired?.(key);
  }
}
