/**
 * Time, chance, processes and the network of one simulated cluster. Everything that happens follows from the seed. Up to `chaosEndMs`
 * there are faults; from then on none, and everything has to converge.
 */
import type { Bug } from "./bugs.ts";
import { Random } from "./random.ts";

interface Scheduled {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** The longest of 20,000 seeds had half of it. */
const EVENTS_MAX = 6000;

/** An oracle was violated. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export class World {
  readonly random: Random;
  readonly bug: Bug | undefined;
  readonly chaosEndMs: number;
  readonly network: Network;
  readonly processes: SimulatedProcess[] = [];
  nowMs = 0;
  events = 0;
  /** Called with each line of a trace. */
  readonly #trace: ((line: string) => void) | undefined;
  /** A binary heap by time, then by order of scheduling. */
  readonly #heap: Scheduled[] = [];
  #order = 0;

  constructor(seed: number, options: { readonly bug?: Bug | undefined; readonly trace?: (line: string) => void } = {}) {
    this.random = new Random(seed);
    this.bug = options.bug;
    this.#trace = options.trace;
    this.chaosEndMs = this.random.int(3, 10) * 1000;
    this.network = new Network(this);
  }

  trace(line: () => string): void {
    this.#trace?.(`${String(Math.round(this.nowMs)).padStart(6)} ${line()}`);
  }

  fail(message: string): never {
    throw new Violation(`${message} (at ${Math.round(this.nowMs)} ms)`);
  }

  check(holds: boolean, message: () => string): void {
    if (!holds) this.fail(message());
  }

  after(delayMs: number, run: () => void): void {
    const heap = this.#heap;
    const item = { atMs: this.nowMs + delayMs, order: this.#order++, run };
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(item, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  runUntil(endMs: number): void {
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= endMs) {
      const { atMs, run } = this.#pop();
      this.nowMs = atMs;
      this.events += 1;
      if (this.events > EVENTS_MAX) this.fail(`more than ${EVENTS_MAX} events: something repeats without an end`);
      run();
    }
    this.nowMs = endMs;
  }

  #pop(): Scheduled {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    const { length } = heap;
    if (length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }

  get isChaos(): boolean {
    return this.nowMs < this.chaosEndMs;
  }
}

const isBefore = (left: Scheduled, right: Scheduled): boolean =>
  left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);

/** What a process runs; a new one is made at each start. */
export interface Program {
  connected(): void;
  disconnected(): void;
}

/** A process with a connection to the cluster. It can be killed, started again, stopped for a while, and cut off. */
export class SimulatedProcess {
  readonly name: string;
  readonly index: number;
  readonly #world: World;
  readonly #start: () => Program;
  #program: Program | undefined;
  #life = 0;
  #stoppedUntilMs = 0;
  /** What waits while it is stopped. */
  #due: (() => void)[] = [];
  #cuts = 0;
  /** The process has noticed that its connection is up. */
  #knowsUp = false;
  #link = 0;

  constructor(world: World, name: string, start: () => Program) {
    this.name = name;
    this.index = world.processes.length;
    this.#world = world;
    this.#start = start;
    world.processes.push(this);
  }

  get isAlive(): boolean {
    return this.#program !== undefined;
  }

  /** Counts its starts. */
  get life(): number {
    return this.#life;
  }

  get isStopped(): boolean {
    return this.#world.nowMs < this.#stoppedUntilMs;
  }

  /** When the last stop ended, or will end. */
  get stoppedUntilMs(): number {
    return this.#stoppedUntilMs;
  }

  /** Messages can pass. */
  get isLinked(): boolean {
    return this.isAlive && this.#cuts === 0 && this.#knowsUp;
  }

  start(): void {
    if (this.#program !== undefined) return;
    this.#world.trace(() => `${this.name} starts`);
    this.#life += 1;
    this.#program = this.#start();
    this.#connectLater();
  }

  kill(): void {
    if (this.#program === undefined) return;
    this.#world.trace(() => `${this.name} is killed`);
    this.#program = undefined;
    this.#knowsUp = false;
    this.#stoppedUntilMs = 0;
    this.#due = [];
  }

  /** As SIGSTOP: nothing of it runs, and everything that was due runs afterwards. */
  stop(forMs: number): void {
    this.#world.trace(() => `${this.name} is stopped for ${forMs} ms`);
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, this.#world.nowMs + forMs);
    this.#world.after(forMs, () => {
      // In the order in which it was due: a process reads its sockets in order.
      while (this.#due.length > 0 && !this.isStopped) this.#due.shift()!();
    });
  }

  /** Nothing passes for a while. The process notices after `noticeMs`, unless the link is back by then. */
  cut(forMs: number, noticeMs: number): void {
    this.#world.trace(() => `${this.name} is cut off for ${forMs} ms`);
    this.#cuts += 1;
    const link = this.#link;
    this.after(noticeMs, () => {
      if (this.#cuts === 0 || this.#link !== link || !this.#knowsUp) return;
      this.#knowsUp = false;
      this.#link += 1;
      this.#program?.disconnected();
    });
    this.#world.after(forMs, () => {
      this.#cuts -= 1;
      if (this.#cuts === 0 && this.isAlive && !this.#knowsUp) this.#connectLater();
    });
  }

  /** Runs in the process: not after it was killed, and later while it is stopped. */
  after(delayMs: number, run: () => void): void {
    const life = this.#life;
    const attempt = (): void => {
      if (this.#life === life && this.#program !== undefined) run();
    };
    this.#world.after(delayMs, () => {
      if (this.isStopped || this.#due.length > 0) this.#due.push(attempt);
      else attempt();
    });
  }

  #connectLater(): void {
    const link = this.#link;
    this.after(this.#world.random.int(1, 300), () => {
      if (this.#cuts > 0 || this.#knowsUp || this.#link !== link) return;
      this.#knowsUp = true;
      this.#link += 1;
      this.#program?.connected();
    });
  }
}

/** Messages between processes: at most once, in order for each pair of processes, except while it is hostile. */
export class Network {
  readonly #world: World;
  readonly #lastArrivalMs = new Map<number, number>();
  #lossEndMs = 0;
  #loss = 0;
  #hostileEndMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  lose(probability: number, forMs: number): void {
    this.#world.trace(() => `the network loses ${Math.round(probability * 100)} % for ${forMs} ms`);
    this.#loss = probability;
    this.#lossEndMs = this.#world.nowMs + forMs;
  }

  /** Messages come a second time, and requests to the leader late, which no broker promises to prevent when connections move. */
  beHostile(forMs: number): void {
    this.#world.trace(() => `the network repeats and delays for ${forMs} ms`);
    this.#hostileEndMs = this.#world.nowMs + forMs;
  }

  isLost(): boolean {
    return this.#world.nowMs < this.#lossEndMs && this.#world.random.chance(this.#loss);
  }

  get isHostile(): boolean {
    return this.#world.nowMs < this.#hostileEndMs;
  }

  send(from: SimulatedProcess, to: SimulatedProcess, deliver: () => void): void {
    if (!from.isLinked || this.isLost()) return;
    const { random, nowMs } = this.#world;
    const pair = from.index * 64 + to.index;
    const atMs = Math.max(nowMs + random.int(1, 15), this.#lastArrivalMs.get(pair) ?? 0);
    this.#lastArrivalMs.set(pair, atMs);
    const isRepeated = this.isHostile && random.chance(0.1);
    to.after(atMs - nowMs, () => {
      if (!to.isLinked) return;
      deliver();
      if (isRepeated) to.after(random.int(1, 6000), deliver);
    });
  }
}
