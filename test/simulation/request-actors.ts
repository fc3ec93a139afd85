/** Requests with a body and a response with trailers, each over a tunnel of its own. */
import { TunnelEnd, type TunnelReport } from "./tunnel-end.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

const CHUNKS_MAX = 12;
const CHUNK_BYTES_MAX = 60;

/** One direction of a request: so many chunks, each with its number, then the end with their count. */
class Chunks {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #tunnel: TunnelEnd;
  readonly #count: number;
  #next = 0;

  constructor(world: World, process: SimulatedProcess, tunnel: TunnelEnd) {
    this.#world = world;
    this.#process = process;
    this.#tunnel = tunnel;
    this.#count = world.random.int(0, CHUNKS_MAX);
  }

  send(): void {
    const tunnel = this.#tunnel;
    while (!tunnel.isClosed && tunnel.bufferedBytes === 0) {
      if (this.#next === this.#count) return tunnel.step({ type: "end", trailers: String(this.#count) });
      const bytes = new Uint8Array(this.#world.random.int(1, CHUNK_BYTES_MAX)).fill(this.#next++);
      tunnel.step({ type: "send", isText: false, isFinal: true, bytes });
    }
    if (!tunnel.isClosed) this.#process.after(20, () => this.send());
  }
}

/** What arrives of one direction. */
class Arrival {
  readonly #world: World;
  readonly #what: string;
  #chunks = 0;
  hasEnded = false;

  constructor(world: World, what: string) {
    this.#world = world;
    this.#what = what;
  }

  take(report: TunnelReport): void {
    if (report.type === "data") {
      const isExpected = report.bytes.every((byte) => byte === this.#chunks);
      this.#world.check(
        isExpected,
        () => `chunk ${report.bytes[0]} of a ${this.#what} came after ${this.#chunks} chunks`,
      );
      if (report.isFinal) this.#chunks += 1;
    } else if (report.type === "ended") {
      const { trailers } = report;
      this.#world.check(
        trailers === String(this.#chunks),
        () => `a ${this.#what} ended with ${this.#chunks} of ${trailers}`,
      );
      this.hasEnded = true;
    }
  }
}

/** The machine that answers. */
export class Answerer {
  readonly daemon: SimulatedProcess;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.daemon = new SimulatedProcess(world, "answerer", () => ({ connected: () => {}, disconnected: () => {} }));
  }

  accept(): TunnelEnd {
    const { daemon } = this;
    const arrival = new Arrival(this.#world, "request");
    const tunnel: TunnelEnd = new TunnelEnd(this.#world, daemon, (report) => {
      arrival.take(report);
      if (report.type === "data") tunnel.step({ type: "consumed", creditBytes: report.creditBytes });
      // A response may begin before its request has ended.
      if (report.type !== (isEarly ? "opened" : "ended")) return;
      daemon.after(this.#world.random.int(1, 1500), () => {
        if (tunnel.isClosed) return;
        tunnel.step({ type: "start", head: "200" });
        new Chunks(this.#world, daemon, tunnel).send();
      });
    });
    const isEarly = this.#world.random.chance(0.3);
    return tunnel;
  }
}

/** Sends requests, one after the other. */
export class Requester {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #answerer: Answerer;
  /** When the last response was complete. */
  #answeredMs = 0;

  constructor(world: World, answerer: Answerer) {
    this.#world = world;
    this.#answerer = answerer;
    this.process = new SimulatedProcess(world, "requester", () => this.#start());
  }

  #start(): Program {
    this.#request();
    return { connected: () => {}, disconnected: () => {} };
  }

  #request(): void {
    const world = this.#world;
    const { daemon } = this.#answerer;
    const arrival = new Arrival(world, "response");
    const tunnel: TunnelEnd = new TunnelEnd(world, this.process, (report) => {
      arrival.take(report);
      if (report.type === "data") tunnel.step({ type: "consumed", creditBytes: report.creditBytes });
      if (report.type !== "closed") return;
      const isComplete = report.code === 1000 || world.bug === "close-without-1006";
      world.check(!isComplete || arrival.hasEnded, () => "a response that is not complete was taken for one");
      if (isComplete) this.#answeredMs = world.nowMs;
      this.process.after(world.random.int(100, 2000), () => this.#request());
    });
    let other: TunnelEnd | undefined;
    tunnel.transmit = (frame) =>
      world.network.send(this.process, daemon, () => {
        if (other === undefined && frame[0] === 1) {
          other = this.#answerer.accept();
          other.transmit = (answer) => world.network.send(daemon, this.process, () => tunnel.receive(answer));
        }
        other?.receive(frame);
      });
    tunnel.step({ type: "start", head: "POST" });
    new Chunks(world, this.process, tunnel).send();
  }

  checkConverged(): void {
    this.#world.check(!(this.#answeredMs < this.#world.chaosEndMs), () => "no request was answered after the faults");
  }
}
