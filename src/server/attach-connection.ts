/**
 * One attached client: a cursor on the journal and a keyboard. Output is never queued for it: the cursor is read only
 * while there is room, so a client that does not read costs one buffer and nothing else.
 *
 * Order law: `attached`, then records in the order of their offsets. Where the client fell behind, `gap` stands for what is
 * skipped, and a `snapshot` at the gap's end follows where there is an emulator. `exit` is last, then close 1000.
 */
import type { WebSocket } from "ws";
import type { LecternError } from "../core/errors.ts";
import { encodeBinaryFrame, type ServerMessage } from "../protocol/attach-frames.ts";
import { toLecternError } from "../protocol/errors.ts";
import type { SessionAttachment } from "../daemon/service.ts";
import type { FeedItem } from "../live/stream.ts";
import { closeCode, handleFrame } from "./client-frames.ts";
import { ClientInputQueue } from "./input-queue.ts";
import type { ServerLimits } from "./limits.ts";

export interface AttachConnectionOptions {
  readonly readOnly: boolean;
  /** Never skip, however slow the client is. */
  readonly lossless: boolean;
  /** Starts with the screen instead of the bytes that made it. */
  readonly fresh: boolean;
  /** The client is told who types. */
  readonly tellsWriter: boolean;
  readonly limits: ServerLimits;
  readonly onFailure: (error: LecternError) => void;
}

const READ_BYTES = 65_536;

export class AttachConnection {
  readonly #socket: WebSocket;
  readonly #attachment: SessionAttachment;
  readonly #options: AttachConnectionOptions;
  readonly #inputs: ClientInputQueue;
  /** Rings when the journal has grown. */
  readonly #news = new Bell();
  /** Rings when the client took something: bytes left for the kernel, or an ack came. */
  readonly #room = new Bell();
  /** Up to here is history that the client asked for: catching up with it is not falling behind. */
  readonly #historyEnd: number;
  /** Where the ack window starts; undefined until the first ack, and without one there is no window. */
  #windowStart: number | undefined;
  /** Number of the last numbered input that was refused. */
  #refusedInput: number | undefined;
  #unansweredPings = 0;
  /** Whether bytes left since the last ping: a client that reads slowly answers pings late, and is alive. */
  #moved = false;
  #stalledMs = 0;

  constructor(socket: WebSocket, attachment: SessionAttachment, options: AttachConnectionOptions) {
    this.#socket = socket;
    this.#attachment = attachment;
    this.#options = options;
    this.#inputs = new ClientInputQueue(options.limits.inputBytesMax, (error) => this.sendError(toLecternError(error)));
    this.#historyEnd = options.fresh ? attachment.cursor.offset : attachment.cursor.end;
  }

  /** Resolves when the connection has ended and all that was typed before is delivered. */
  async run(): Promise<void> {
    const pings = setInterval(() => this.#ping(), this.#options.limits.pingMs);
    using told = new DisposableStack();
    try {
      this.#listen();
      this.#sendAttached();
      if (this.#options.tellsWriter)
        told.use(this.#attachment.watchWriter((writer) => this.#sendMessage({ type: "writer", ...writer })));
      told.use(this.#attachment.watchNotices((notice) => this.#sendMessage({ type: "notice", ...notice })));
      await this.#pump();
    } catch (error) {
      const failure = toLecternError(error);
      this.#options.onFailure(failure);
      this.sendError(failure);
      this.close(1011, failure.code);
    } finally {
      clearInterval(pings);
      await this.#inputs.idle();
      this.#attachment[Symbol.dispose]();
    }
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#news.ring();
    this.#room.ring();
  }

  sendError(error: LecternError): void {
    this.#sendMessage({ type: "error", code: error.code, message: error.message });
  }

  get #open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  async #pump(): Promise<void> {
    const { cursor } = this.#attachment;
    while (this.#open) {
      if (cursor.done) return this.close(1000, "session ended");
      if (cursor.offset < cursor.end && this.#roomBytes() <= 0) {
        if (await this.#room.wait(this.#options.limits.stallMs)) continue;
        this.close(1013, "too slow");
        return;
      }
      if (this.#isBehind()) await this.#skip();
      const items = await cursor.read(Math.max(1, this.#roomBytes()));
      // What was typed before the exit is acknowledged before it.
      if (cursor.done) await this.#inputs.idle();
      for (const item of items) this.#sendItem(item);
      if (items.length === 0 && !cursor.done && this.#open) await this.#news.wait();
    }
  }

  /** How much may be sent now; nothing where it is not positive. */
  #roomBytes(): number {
    const { sendBufferBytesMax, ackWindowBytes } = this.#options.limits;
    if (this.#socket.bufferedAmount >= sendBufferBytesMax) return 0;
    if (this.#windowStart === undefined) return READ_BYTES;
    return Math.min(READ_BYTES, this.#windowStart + ackWindowBytes - this.#attachment.cursor.offset);
  }

  #isBehind(): boolean {
    const { cursor } = this.#attachment;
    const expected = Math.max(cursor.offset, this.#historyEnd);
    return !this.#options.lossless && cursor.end - expected > this.#options.limits.lagBytesMax;
  }

  async #skip(): Promise<void> {
    const { cursor } = this.#attachment;
    const snapshot = await this.#usableSnapshot();
    const offset = cursor.offset;
    cursor.skipTo(snapshot?.offset ?? cursor.end - this.#options.limits.skipTailBytes);
    // Before the exit, where the snapshot is behind it: that draws nothing.
    const to = cursor.offset;
    if (this.#windowStart !== undefined) this.#windowStart = to;
    this.#sendBytes(encodeBinaryFrame({ type: "gap", offset, to, reason: "behind" }));
    if (snapshot !== undefined) this.#sendBytes(encodeBinaryFrame({ type: "snapshot", ...snapshot, offset: to }));
  }

  async #usableSnapshot(): ReturnType<SessionAttachment["snapshot"]> {
    const { cursor } = this.#attachment;
    // Without a screen the reader still gets the gap and the tail.
    const snapshot = await this.#attachment.snapshot().catch(() => undefined);
    const usable = snapshot !== undefined && snapshot.offset >= cursor.offset && snapshot.offset <= cursor.end;
    return usable ? snapshot : undefined;
  }

  #sendAttached(): void {
    const { cursor, sessionId, columns, rows, initial } = this.#attachment;
    const { readOnly } = this.#options;
    const confirmsInput = true;
    const { offset } = cursor;
    this.#sendMessage({ type: "attached", session: sessionId, offset, columns, rows, readOnly, confirmsInput });
    if (initial !== undefined) this.#sendBytes(encodeBinaryFrame({ type: "snapshot", ...initial }));
  }

  #sendItem({ frame, lease }: FeedItem): void {
    if (typeof frame === "string") return this.#socket.send(frame, this.#onSent);
    if (lease === undefined) return this.#sendBytes(frame);
    // The socket may still hold the bytes when they have left the window.
    lease.retain();
    this.#socket.send(frame, { binary: true }, () => {
      lease.release();
      this.#onSent();
    });
  }

  #sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, { binary: true }, this.#onSent);
  }

  /** Answers to what a client sends are not held back by the pump, so a client that asks and never reads is ended here. */
  #sendMessage(message: ServerMessage): void {
    if (!this.#open) return;
    if (this.#socket.bufferedAmount > 2 * this.#options.limits.sendBufferBytesMax) this.close(1013, "too slow");
    else this.#socket.send(JSON.stringify(message), this.#onSent);
  }

  readonly #onSent = (): void => {
    this.#moved = true;
    this.#room.ring();
  };

  #listen(): void {
    const { cursor } = this.#attachment;
    cursor.onAdvance = () => this.#news.ring();
    // The socket closes itself with the right code; the event only must have a listener.
    this.#socket.on("error", () => this.#news.ring());
    this.#socket.on("message", (data, isBinary) => this.#receive(data as Buffer, isBinary));
    this.#socket.on("pong", () => {
      this.#unansweredPings = 0;
    });
    this.#socket.on("ping", (data) => {
      if (this.#open && this.#socket.bufferedAmount < this.#options.limits.sendBufferBytesMax) this.#socket.pong(data);
    });
    this.#socket.on("close", () => this.close(1000, ""));
  }

  readonly #numbered = {
    taken: (input: number, bytes: number): void => this.#sendMessage({ type: "taken", input, bytes }),
    refuse: (input: number, cause: unknown): void => {
      this.#refusedInput = input;
      const { code, message } = toLecternError(cause);
      this.#sendMessage({ type: "error", code, message, input });
    },
    isRefused: (input: number): boolean => this.#refusedInput === input,
  };

  #receive(data: Uint8Array, isBinary: boolean): void {
    try {
      handleFrame(data, isBinary, {
        readOnly: this.#options.readOnly,
        attachment: this.#attachment,
        inputs: this.#inputs,
        onAck: (offset) => this.#acknowledge(offset),
        numbered: this.#numbered,
      });
    } catch (error) {
      const code = closeCode(error);
      if (code === undefined) this.sendError(toLecternError(error));
      else this.close(code, toLecternError(error).message.slice(0, 100));
    }
  }

  #acknowledge(offset: number): void {
    if (offset > this.#attachment.cursor.offset) return;
    this.#windowStart = Math.max(this.#windowStart ?? 0, offset);
    this.#room.ring();
  }

  #ping(): void {
    const { pingMs, stallMs } = this.#options.limits;
    const waiting = this.#socket.bufferedAmount > 0;
    this.#stalledMs = waiting && !this.#moved ? this.#stalledMs + pingMs : 0;
    this.#moved = false;
    if (waiting) {
      if (this.#stalledMs >= stallMs) this.close(1013, "too slow");
      return;
    }
    if (this.#unansweredPings >= 2) return this.#socket.terminate();
    this.#unansweredPings += 1;
    this.#socket.ping();
  }
}

/** A wake-up for one waiter. A ring that comes before the wait is kept, so that none is missed between a look and a wait. */
export class Bell {
  #rung = false;
  #wake: ((rung: boolean) => void) | undefined;

  ring(): void {
    if (this.#wake === undefined) this.#rung = true;
    else this.#wake(true);
  }

  /** Resolves to true at the next ring, or at once where one is kept; to false after `timeoutMs` without one. */
  wait(timeoutMs?: number): Promise<boolean> {
    if (this.#rung) {
      this.#rung = false;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#wake?.(false), timeoutMs);
      this.#wake = (rung) => {
        this.#wake = undefined;
        clearTimeout(timer);
        resolve(rung);
      };
    });
  }
}
