/**
 * One end of a stream of frames over a network that delivers each message at most once, in order: a request with its response, or a
 * WebSocket. Laws:
 * - Each frame has the number after that of the one before it. Any other number means lost frames: the tunnel closes with 1006, so that
 *   an attachment reconnects at its offset. Nothing behind a lost frame is ever delivered.
 * - Both ends send at least each `heartbeatMs`. After `silenceMs` without a frame the tunnel closes with 1006.
 * - At most `windowBytes` that the reader has not consumed are under way, so a slow reader fills neither a broker nor a process.
 * - `closed` is the last effect, and comes once. A code other than 1006 means that everything sent before it was delivered.
 *
 * Times are milliseconds of a clock that only moves forward. Call `step` with `tick` at `wakeAtMs`.
 */
import {
  DATA_BYTES_MAX,
  decodeTunnelFrame,
  encodeTunnelFrame,
  type TunnelContent,
  type TunnelFrame,
} from "./tunnel-frame.ts";

/** Close codes of RFC 6455 that a tunnel gives itself. */
const tunnelCodes = { normal: 1000, protocolError: 1002, broken: 1006, tooBig: 1009 } as const;

export interface TunnelOptions {
  /** Default 500. */
  readonly heartbeatMs?: number;
  /** Default 2,000. */
  readonly silenceMs?: number;
  /** The same at both ends. Default 1 MiB. */
  readonly windowBytes?: number;
  /** Longer data is sent in parts of this length. Default 128 KiB. */
  readonly partBytesMax?: number;
  /** With more waiting to be sent the tunnel closes with 1009. Default 64 MiB; a sender waits while `bufferedBytes` is high. */
  readonly queueBytesMax?: number;
  /** A close waits for data before it for this long, then the tunnel breaks with 1006. Default 10,000. */
  readonly closeMsMax?: number;
}

export type TunnelInput =
  /** Sends the head: the opener's first step; for the other end, the response to `opened`. */
  | { readonly type: "start"; readonly head: string }
  | { readonly type: "received"; readonly frame: Uint8Array }
  /** Only between `start` and `end` or `close`; ignored after the tunnel was closed. The bytes are copied when they are transmitted. */
  | { readonly type: "send"; readonly isText: boolean; readonly isFinal: boolean; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly trailers: string }
  /** The reader has used data of this `creditBytes`. */
  | { readonly type: "consumed"; readonly creditBytes: number }
  /** Sent behind the data before it. */
  | { readonly type: "close"; readonly code: number; readonly reason: string }
  /** The network reports that nobody receives at the other end, or has ended. */
  | { readonly type: "unreachable"; readonly reason: string }
  | { readonly type: "tick" };

export type TunnelEffect =
  | { readonly type: "transmit"; readonly frame: Uint8Array<ArrayBuffer> }
  | { readonly type: "opened"; readonly head: string }
  /** A part of a message, valid as long as the received frame. Return its `creditBytes` with `consumed`. */
  | {
      readonly type: "data";
      readonly isText: boolean;
      readonly isFinal: boolean;
      readonly bytes: Uint8Array;
      readonly creditBytes: number;
    }
  | { readonly type: "ended"; readonly trailers: string }
  | { readonly type: "closed"; readonly code: number; readonly reason: string; readonly isLocal: boolean };

/** What each frame of data costs beside its bytes, so that empty messages are limited, too. */
const FRAME_COST_BYTES = 8;

export class Tunnel {
  readonly #options: Required<TunnelOptions>;
  #state: "open" | "closing" | "closed" = "open";
  #hasStarted = false;
  #hasPeerOpened = false;
  #hasEnded = false;
  #hasPeerEnded = false;
  #nextSequence = 0;
  #expectedSequence = 0;
  readonly #queue: TunnelContent[] = [];
  #queuedBytes = 0;
  /** Credit bytes transmitted, and how many of them the peer has consumed. */
  #sentBytes = 0;
  #peerConsumedBytes = 0;
  #receivedBytes = 0;
  #consumedBytes = 0;
  #reportedBytes = 0;
  #lastTransmitMs = 0;
  /** Undefined before the first step: then nothing is expected. */
  #lastReceivedMs: number | undefined;
  #closeDeadlineMs = Number.POSITIVE_INFINITY;
  #effects: TunnelEffect[] = [];

  constructor(options: TunnelOptions = {}) {
    this.#options = {
      heartbeatMs: 500,
      silenceMs: 2000,
      windowBytes: 1024 * 1024,
      partBytesMax: DATA_BYTES_MAX,
      queueBytesMax: 64 * 1024 * 1024,
      closeMsMax: 10_000,
      ...options,
    };
    const { partBytesMax, windowBytes } = this.#options;
    if (partBytesMax + FRAME_COST_BYTES > windowBytes) throw new RangeError("A part has to fit into the window");
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Bytes that wait for credit. A sender with a stream stops reading it while this is not 0. */
  get bufferedBytes(): number {
    return this.#queuedBytes;
  }

  /** Bytes delivered as `data` that were not returned with `consumed`. */
  get unconsumedBytes(): number {
    return this.#receivedBytes - this.#consumedBytes;
  }

  /** When the next `tick` is due; undefined before the first step and after the end. */
  get wakeAtMs(): number | undefined {
    if (this.#state === "closed" || this.#lastReceivedMs === undefined) return undefined;
    return Math.min(
      this.#lastTransmitMs + this.#options.heartbeatMs,
      this.#lastReceivedMs + this.#options.silenceMs,
      this.#closeDeadlineMs,
    );
  }

  step(input: TunnelInput, nowMs: number): TunnelEffect[] {
    if (this.#state === "closed") return [];
    if (this.#lastReceivedMs === undefined) this.#begin(input, nowMs);
    this.#apply(input, nowMs);
    this.#flush(nowMs);
    this.#beat(nowMs);
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #begin(input: TunnelInput, nowMs: number): void {
    this.#lastReceivedMs = nowMs;
    // The end that was opened answers at once: the opener knows within a round trip that somebody is there.
    this.#lastTransmitMs = input.type === "received" ? Number.NEGATIVE_INFINITY : nowMs;
  }

  #apply(input: TunnelInput, nowMs: number): void {
    switch (input.type) {
      case "start":
        if (this.#hasStarted) throw new Error("A tunnel is started once");
        this.#hasStarted = true;
        return this.#transmit({ kind: "open", head: input.head }, nowMs);
      case "received":
        return this.#receive(input.frame, nowMs);
      case "send":
        return this.#enqueueData(input, nowMs);
      case "end":
        return this.#enqueue({ kind: "end", trailers: input.trailers });
      case "consumed":
        if (input.creditBytes > this.unconsumedBytes) throw new Error("More was consumed than was received");
        this.#consumedBytes += input.creditBytes;
        return;
      case "close":
        return this.#close(input, nowMs);
      case "unreachable":
        return this.#finish(tunnelCodes.broken, input.reason, true);
      case "tick":
    }
  }

  #enqueueData({ isText, isFinal, bytes }: Extract<TunnelInput, { type: "send" }>, nowMs: number): void {
    const { partBytesMax, queueBytesMax } = this.#options;
    for (let at = 0; at === 0 || at < bytes.length; at += partBytesMax) {
      const part = bytes.subarray(at, at + partBytesMax);
      this.#enqueue({ kind: "data", isText, isFinal: isFinal && at + partBytesMax >= bytes.length, bytes: part });
    }
    if (this.#queuedBytes > queueBytesMax)
      this.#break(tunnelCodes.tooBig, `more than ${queueBytesMax} bytes wait to be sent`, nowMs);
  }

  #enqueue(content: TunnelContent): void {
    if (this.#state !== "open") return;
    if (!this.#hasStarted || this.#hasEnded) throw new Error("A tunnel sends between its start and its end");
    if (content.kind === "end") this.#hasEnded = true;
    this.#queue.push(content);
    this.#queuedBytes += costOf(content);
  }

  #close({ code, reason }: { readonly code: number; readonly reason: string }, nowMs: number): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#queue.push({ kind: "close", code, reason });
    this.#closeDeadlineMs = nowMs + this.#options.closeMsMax;
  }

  /** Sends what the window has room for. */
  #flush(nowMs: number): void {
    while (this.#state !== "closed") {
      const content = this.#queue[0];
      if (content === undefined) return;
      const cost = costOf(content);
      if (cost > this.#options.windowBytes - (this.#sentBytes - this.#peerConsumedBytes)) return;
      this.#queue.shift();
      this.#queuedBytes -= cost;
      this.#sentBytes += cost;
      this.#transmit(content, nowMs);
      if (content.kind === "close") this.#finish(content.code, content.reason, true);
      this.#finishIfEnded();
    }
  }

  #transmit(content: TunnelContent, nowMs: number): void {
    this.#effects.push({ type: "transmit", frame: encodeTunnelFrame(this.#nextSequence, content) });
    this.#nextSequence = (this.#nextSequence + 1) >>> 0;
    this.#lastTransmitMs = nowMs;
    if (content.kind === "ping" || content.kind === "ack") this.#reportedBytes = content.consumedBytes;
  }

  #receive(bytes: Uint8Array, nowMs: number): void {
    const frame = decodeTunnelFrame(bytes);
    if (typeof frame === "string") return this.#break(tunnelCodes.protocolError, `received ${frame}`, nowMs);
    if (frame.sequence !== this.#expectedSequence) {
      const lost = `frames were lost: expected number ${this.#expectedSequence}, received ${frame.sequence}`;
      return this.#break(tunnelCodes.broken, lost, nowMs);
    }
    this.#expectedSequence = (this.#expectedSequence + 1) >>> 0;
    this.#lastReceivedMs = nowMs;
    const problem = this.#accept(frame);
    if (problem !== undefined) this.#break(tunnelCodes.protocolError, problem, nowMs);
  }

  /** Returns what is wrong with the frame. */
  #accept(frame: TunnelFrame): string | undefined {
    switch (frame.kind) {
      case "open":
        if (this.#hasPeerOpened) return "received a second head";
        this.#hasPeerOpened = true;
        this.#effects.push({ type: "opened", head: frame.head });
        return undefined;
      case "data":
        return this.#acceptData(frame);
      case "end":
        if (!this.#hasPeerOpened || this.#hasPeerEnded) return "received an end that is out of order";
        this.#hasPeerEnded = true;
        this.#effects.push({ type: "ended", trailers: frame.trailers });
        this.#finishIfEnded();
        return undefined;
      case "ping":
      case "ack":
        if (frame.consumedBytes < this.#peerConsumedBytes || frame.consumedBytes > this.#sentBytes)
          return `${frame.consumedBytes} of ${this.#sentBytes} bytes are reported as consumed`;
        this.#peerConsumedBytes = frame.consumedBytes;
        return undefined;
      case "close":
        this.#finish(frame.code, frame.reason, false);
        return undefined;
    }
  }

  #acceptData(frame: Extract<TunnelFrame, { kind: "data" }>): string | undefined {
    if (!this.#hasPeerOpened || this.#hasPeerEnded) return "received data that is out of order";
    const creditBytes = costOf(frame);
    this.#receivedBytes += creditBytes;
    if (this.unconsumedBytes > this.#options.windowBytes) return "received more than the window has room for";
    const { isText, isFinal, bytes } = frame;
    this.#effects.push({ type: "data", isText, isFinal, bytes, creditBytes });
    return undefined;
  }

  /** Acknowledges, sends the heartbeat, and closes if the other end is silent. */
  #beat(nowMs: number): void {
    if (this.#state === "closed") return;
    const { heartbeatMs, silenceMs, windowBytes, closeMsMax } = this.#options;
    if (nowMs >= (this.#lastReceivedMs ?? nowMs) + silenceMs)
      return this.#break(tunnelCodes.broken, `received nothing for ${silenceMs} ms`, nowMs);
    if (nowMs >= this.#closeDeadlineMs)
      return this.#break(tunnelCodes.broken, `the other end did not read for ${closeMsMax} ms`, nowMs);
    const consumedBytes = this.#consumedBytes;
    if (consumedBytes - this.#reportedBytes >= windowBytes / 4) this.#transmit({ kind: "ack", consumedBytes }, nowMs);
    if (nowMs >= this.#lastTransmitMs + heartbeatMs) this.#transmit({ kind: "ping", consumedBytes }, nowMs);
  }

  /** Both directions have ended: the tunnel has done its work. */
  #finishIfEnded(): void {
    if (this.#hasEnded && this.#hasPeerEnded && this.#queue.length === 0) this.#finish(tunnelCodes.normal, "", true);
  }

  #break(code: number, reason: string, nowMs: number): void {
    this.#transmit({ kind: "close", code, reason }, nowMs);
    this.#finish(code, reason, true);
  }

  #finish(code: number, reason: string, isLocal: boolean): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#effects.push({ type: "closed", code, reason, isLocal });
  }
}

const costOf = (content: TunnelContent): number =>
  content.kind === "data" ? content.bytes.length + FRAME_COST_BYTES : 0;
