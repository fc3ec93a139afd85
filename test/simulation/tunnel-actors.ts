/** The daemon that owns a session, and a viewer that attaches to it over a tunnel, reconnects at its offset, and types. */
import { decodeItem, encodeItem, TunnelEnd, type SessionItem, type TunnelReport } from "./tunnel-end.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

const ITEM_LENGTH_MAX = 16;
/** A viewer that is further behind gets a gap. */
const SKIP_LENGTH = 120;
/** Data in messages under way, beside what each end holds. */
const KEY_BYTES = 2;

/** The journal of a session as an owner serves it: it grows until the end of the faults, and then exits. */
export class SessionOwner {
  readonly daemon: SimulatedProcess;
  readonly #world: World;
  end = 0;
  hasExited = false;
  /** The last key that was typed into the session. */
  #lastKey = 0;
  #streams: OwnerStream[] = [];

  constructor(world: World) {
    this.#world = world;
    this.daemon = new SimulatedProcess(world, "owner", () => this.#startDaemon());
  }

  /** The program of the session lives in a host of its own. */
  startHost(): void {
    const { random } = this.#world;
    const produce = (): void => {
      if (!this.#world.isChaos) {
        this.hasExited = true;
      } else {
        this.end += random.chance(0.1) ? 60 : random.int(0, 6);
        this.#world.after(random.int(20, 300), produce);
      }
      this.#pump();
    };
    produce();
  }

  #startDaemon(): Program {
    this.#streams = [];
    return { connected: () => {}, disconnected: () => {} };
  }

  #pump(): void {
    if (!this.daemon.isAlive || this.daemon.isStopped) return;
    for (const stream of this.#streams) stream.pump();
    this.#streams = this.#streams.filter(({ isClosed }) => !isClosed);
  }

  /** The first frame of a tunnel. */
  accept(): TunnelEnd {
    const stream = new OwnerStream(this.#world, this);
    this.#streams.push(stream);
    return stream.tunnel;
  }

  typed(key: number): void {
    this.#world.check(key > this.#lastKey, () => `key ${key} was typed after ${this.#lastKey}`);
    this.#lastKey = key;
  }
}

class OwnerStream {
  readonly tunnel: TunnelEnd;
  readonly #world: World;
  readonly #owner: SessionOwner;
  #next = 0;
  #isOpen = false;
  #hasClosed = false;
  #lastKey: number | undefined;

  constructor(world: World, owner: SessionOwner) {
    this.#world = world;
    this.#owner = owner;
    this.tunnel = new TunnelEnd(world, owner.daemon, (report) => this.#take(report));
  }

  get isClosed(): boolean {
    return this.tunnel.isClosed;
  }

  #take(report: TunnelReport): void {
    if (report.type === "opened") {
      this.#next = Number(report.head);
      // The daemon opens its own socket first.
      this.#owner.daemon.after(this.#world.random.int(1, 20), () => {
        if (this.tunnel.isClosed) return;
        this.tunnel.step({ type: "start", head: "101" });
        this.#isOpen = true;
        this.pump();
      });
    } else if (report.type === "data") {
      const key = report.bytes[0]! * 256 + report.bytes[1]!;
      const expected = (this.#lastKey ?? key - 1) + 1;
      this.#world.check(key === expected, () => `key ${key} came over a tunnel that did not bring ${expected}`);
      this.#lastKey = key;
      this.#owner.typed(key);
      this.tunnel.step({ type: "consumed", creditBytes: report.creditBytes });
      this.pump();
    }
  }

  /** Sends while nothing waits: this stands for reading the socket of the daemon only then. */
  pump(): void {
    const { tunnel } = this;
    const { end, hasExited } = this.#owner;
    while (this.#isOpen && !this.#hasClosed && !tunnel.isClosed && this.#mayRead()) {
      if (this.#next < end) this.#send(this.#nextItem(end));
      else if (hasExited) {
        this.#send({ kind: "exit", from: end, next: end });
        this.#hasClosed = true;
        if (!tunnel.isClosed) tunnel.step({ type: "close", code: 1000, reason: "" });
      } else return;
    }
    // What was received and acknowledged makes room, without a message for this stream.
    if (this.#isOpen && !this.#hasClosed && !tunnel.isClosed && (this.#next < end || hasExited)) this.#pumpLater();
  }

  #mayRead(): boolean {
    return this.tunnel.bufferedBytes === 0;
  }

  #isWaiting = false;

  #pumpLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#owner.daemon.after(40, () => {
      this.#isWaiting = false;
      this.pump();
    });
  }

  #nextItem(end: number): SessionItem {
    const from = this.#next;
    if (end - from > SKIP_LENGTH && this.#world.random.chance(0.2)) return { kind: "gap", from, next: end - 20 };
    return { kind: "range", from, next: Math.min(end, from + this.#world.random.int(1, ITEM_LENGTH_MAX)) };
  }

  #send(item: SessionItem): void {
    this.#next = item.next;
    this.tunnel.step({ type: "send", isText: false, isFinal: true, bytes: encodeItem(item) });
  }
}

/** Attaches, and records what it gets. */
export class SessionViewer {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #owner: SessionOwner;
  #tunnel: TunnelEnd | undefined;
  /** Parts of a message that has not ended. */
  #parts: number[] = [];
  #cursor = 0;
  /** Ranges and declared gaps, joined: everything up to here is accounted for. */
  #recorded = 0;
  #hasExit = false;
  #hasEnded = false;
  /** Never typed twice, whatever becomes of it. */
  #key = 0;
  #slowEndMs = 0;

  constructor(world: World, owner: SessionOwner) {
    this.#world = world;
    this.#owner = owner;
    this.process = new SimulatedProcess(world, "viewer", () => this.#start());
  }

  readSlowly(forMs: number): void {
    this.#world.trace(() => `the viewer is slow for ${forMs} ms`);
    this.#slowEndMs = this.#world.nowMs + forMs;
  }

  #start(): Program {
    this.#tunnel = undefined;
    this.#cursor = 0;
    this.#recorded = 0;
    this.#hasExit = false;
    this.#hasEnded = false;
    this.#type();
    return { connected: () => this.#attach(), disconnected: () => {} };
  }

  #type(): void {
    this.process.after(this.#world.random.int(100, 1500), () => {
      if (this.#tunnel?.isClosed === false && !this.#hasExit) {
        this.#key += 1;
        const bytes = Uint8Array.of(this.#key >>> 8, this.#key).subarray(0, KEY_BYTES);
        this.#tunnel.step({ type: "send", isText: false, isFinal: true, bytes });
      }
      if (this.#world.isChaos) this.#type();
    });
  }

  #attach(): void {
    if (this.#hasEnded || (this.#tunnel !== undefined && !this.#tunnel.isClosed)) return;
    const { network } = this.#world;
    const { daemon } = this.#owner;
    const tunnel: TunnelEnd = new TunnelEnd(this.#world, this.process, (report) => this.#take(tunnel, report));
    let other: TunnelEnd | undefined;
    this.#tunnel = tunnel;
    this.#parts = [];
    tunnel.transmit = (frame) => {
      if (!daemon.isLinked && this.process.isLinked && this.#world.random.chance(0.5)) {
        return this.process.after(5, () => tunnel.step({ type: "unreachable", reason: "no responders" }));
      }
      network.send(this.process, daemon, () => {
        if (other === undefined && frame[0] === 1) {
          other = this.#owner.accept();
          other.transmit = (answer) => network.send(daemon, this.process, () => tunnel.receive(answer));
        }
        other?.receive(frame);
      });
    };
    tunnel.step({ type: "start", head: String(this.#cursor) });
  }

  #take(tunnel: TunnelEnd, report: TunnelReport): void {
    if (report.type === "data") {
      this.#parts.push(...report.bytes);
      if (report.isFinal) this.#record(decodeItem(this.#parts.splice(0)));
      const { random, nowMs } = this.#world;
      const delayMs = nowMs < this.#slowEndMs ? random.int(200, 1200) : random.int(0, 5);
      this.process.after(delayMs, () => tunnel.step({ type: "consumed", creditBytes: report.creditBytes }));
    } else if (report.type === "closed" && tunnel === this.#tunnel) {
      const isNormal = report.code === 1000 || this.#world.bug === "close-without-1006";
      this.#hasEnded = isNormal;
      this.#world.check(!isNormal || this.#hasExit, () => "a viewer's session ended without its exit");
      if (!isNormal) this.process.after(this.#world.random.int(50, 600), () => this.#attach());
    }
  }

  #record({ kind, from, next }: SessionItem): void {
    const world = this.#world;
    if (kind === "exit") {
      world.check(this.#cursor === this.#owner.end, () => `exit came at ${this.#cursor} of ${this.#owner.end}`);
      this.#hasExit = true;
      return;
    }
    const isRecorded = kind === "range" || world.bug !== "viewer-skips-gap";
    if (isRecorded) {
      world.check(
        from === this.#recorded,
        () => `a viewer has everything up to ${this.#recorded}, then ${kind} ${from}-${next}`,
      );
      this.#recorded = next;
    }
    this.#cursor = next;
  }

  checkConverged(): void {
    this.#world.check(this.#hasEnded, () => `the viewer is at ${this.#cursor} of ${this.#owner.end} at the end`);
  }
}
