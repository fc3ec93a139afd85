/** One end of a tunnel in a process: what carries the effects of the state machine, and the errors that such a shell could make. */
import { Tunnel, type TunnelEffect, type TunnelInput } from "../../src/features/cluster/core/tunnel.ts";
import type { SimulatedProcess, World } from "./world.ts";

export const WINDOW_BYTES = 96;
const PART_BYTES_MAX = 24;
const QUEUE_BYTES_MAX = 400;

export type TunnelReport = Exclude<TunnelEffect, { readonly type: "transmit" }>;

export class TunnelEnd {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #tunnel: Tunnel;
  readonly #report: (report: TunnelReport) => void;
  /** Delivers a frame to the other end; it may not arrive. */
  transmit: (frame: Uint8Array) => void = () => {};
  readonly #life: number;
  #timerMs = Number.POSITIVE_INFINITY;
  /** For a network that does not number frames. */
  #received = 0;

  constructor(world: World, process: SimulatedProcess, report: (report: TunnelReport) => void) {
    this.#world = world;
    this.#process = process;
    this.#life = process.life;
    this.#report = report;
    this.#tunnel = new Tunnel({
      windowBytes: world.bug === "no-window" ? 1e6 : WINDOW_BYTES,
      partBytesMax: PART_BYTES_MAX,
      queueBytesMax: QUEUE_BYTES_MAX,
      closeMsMax: 5000,
      ...(world.bug === "no-heartbeat" ? { heartbeatMs: 1e9, silenceMs: 1e9 } : {}),
    });
  }

  get isClosed(): boolean {
    return this.#tunnel.isClosed;
  }

  get bufferedBytes(): number {
    return this.#tunnel.bufferedBytes;
  }

  receive(frame: Uint8Array): void {
    // A process that was killed had a subscription that nobody else has.
    if (this.#process.life !== this.#life) return;
    if (this.#world.bug === "tunnel-without-sequence") {
      frame = frame.slice();
      new DataView(frame.buffer).setUint32(2, this.#received++);
    }
    this.step({ type: "received", frame });
  }

  step(input: TunnelInput): void {
    const world = this.#world;
    const tunnel = this.#tunnel;
    const effects = tunnel.step(input, world.nowMs);
    world.check(tunnel.bufferedBytes <= QUEUE_BYTES_MAX, () => `${tunnel.bufferedBytes} bytes wait in a tunnel`);
    world.check(tunnel.unconsumedBytes <= WINDOW_BYTES, () => `${tunnel.unconsumedBytes} bytes wait for a reader`);
    for (const effect of effects) {
      if (effect.type === "transmit") {
        this.transmit(effect.frame);
        continue;
      }
      if (effect.type === "closed") {
        world.trace(() => `tunnel of ${this.#process.name} closed: ${effect.code} ${effect.reason}`);
        world.check(effect.code !== 1002 && effect.code !== 1009, () => `a tunnel closed: ${effect.reason}`);
      }
      this.#report(effect);
    }
    this.#wake();
  }

  #wake(): void {
    const { wakeAtMs } = this.#tunnel;
    if (wakeAtMs === undefined || wakeAtMs >= this.#timerMs) return;
    this.#timerMs = wakeAtMs;
    this.#process.after(Math.max(0, wakeAtMs - this.#world.nowMs), () => {
      if (this.#timerMs !== wakeAtMs) return;
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.step({ type: "tick" });
    });
  }
}

/** What the owner sends, one message each: a range of the session, a gap in it, or its end. */
export type SessionItem =
  | { readonly kind: "range" | "gap"; readonly from: number; readonly next: number }
  | { readonly kind: "exit"; readonly from: number; readonly next: number };

const KINDS = ["range", "gap", "exit"] as const;

/** Ranges have a length in bytes, so that some take more than one part. */
export function encodeItem({ kind, from, next }: SessionItem): Uint8Array {
  const bytes = new Uint8Array(5 + (kind === "range" ? (next - from) * 2 : 0));
  bytes[0] = KINDS.indexOf(kind);
  bytes[1] = from >>> 8;
  bytes[2] = from;
  bytes[3] = next >>> 8;
  bytes[4] = next;
  return bytes;
}

export function decodeItem(bytes: readonly number[]): SessionItem {
  const kind = KINDS[bytes[0]!]!;
  return { kind, from: bytes[1]! * 256 + bytes[2]!, next: bytes[3]! * 256 + bytes[4]! };
}
