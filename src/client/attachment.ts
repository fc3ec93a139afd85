/**
 * The connection to a running session. It survives the daemon: after a broken connection it resumes at its offset.
 *
 * Ordering law: items come in the order of their offsets; `exit` is the last one. Input keeps its order; a write that is unacknowledged when
 * the connection breaks is rejected, because it may have arrived, and is never sent twice.
 */
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import {
  decodeBinaryFrame,
  encodeInput,
  encodeNumberedInput,
  type ClientMessage,
  type ServerMessage,
} from "../protocol/attach-frames.ts";
import type { TerminalSize } from "../protocol/payloads.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { ItemQueue, type AttachmentItem } from "./item-queue.ts";
import { delay, isPassing, reconnectDelayMs } from "./reconnect.ts";
import { StreamPosition, type StreamItem } from "./stream-place.ts";
import { cancelled } from "./transport-errors.ts";
import type { TransportSocket, SocketHandlers } from "./transport.ts";

// Writes that were sent and not acknowledged, by their numbers.

const NUMBERS = 2 ** 32;

export class UnconfirmedInput {
  readonly #writes = new Map<number, { leftBytes: number; readonly result: PromiseWithResolvers<void> }>();
  #next = 0;

  get size(): number {
    return this.#writes.size;
  }

  /** Begins a write of so many bytes. `confirmed` rejects if they were refused, or if the acknowledgement did not come. */
  begin(bytes: number): { readonly number: number; readonly confirmed: Promise<void> } {
    const number = this.#next;
    this.#next = (number + 1) % NUMBERS;
    const result = Promise.withResolvers<void>();
    // The caller may await it later.
    result.promise.catch(() => undefined);
    this.#writes.set(number, { leftBytes: bytes, result });
    return { number, confirmed: result.promise };
  }

  isOpen(number: number): boolean {
    return this.#writes.has(number);
  }

  take(number: number, bytes: number): void {
    const write = this.#writes.get(number);
    if (write === undefined) return;
    write.leftBytes -= bytes;
    if (write.leftBytes > 0) return;
    this.#writes.delete(number);
    write.result.resolve();
  }

  refuse(number: number, error: LecternError): void {
    const write = this.#writes.get(number);
    this.#writes.delete(number);
    write?.result.reject(error);
  }

  /** No more acknowledgements will come: open writes may have been typed (`details.mayBeTyped`), and are not sent again. */
  abandon(code: LecternError["code"], reason: string): void {
    for (const [number, { leftBytes }] of this.#writes) {
      const message = `Cannot tell whether ${leftBytes} bytes were typed: ${reason}; they are not sent again, see the screen first`;
      this.refuse(number, new LecternError(code, message, { details: { mayBeTyped: true } }));
    }
  }
}

/** Why an attachment ended. */
export type AttachmentEnd =
  | { readonly reason: "exit"; readonly exit: ExitStatus }
  | { readonly reason: "detached" }
  | { readonly reason: "failed"; readonly error: LecternError };

export interface AttachmentOptions {
  /** The offset to resume at. Default: the current screen, or the last output. */
  readonly from?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Unread bytes that are held; beyond them the socket is not read. Default 1 MiB. */
  readonly bufferBytesMax?: number;
  /** Longest delay between two attempts to connect, in milliseconds. Default 30,000. */
  readonly reconnectMsMax?: number;
  /** After this time without a connection the attachment fails, in milliseconds. Default 600,000. */
  readonly giveUpMsMax?: number;
  /** Called before each attempt to reconnect (the first is 1), for example to start a daemon that died. If it throws, the attempt has failed. */
  readonly beforeReconnect?: (attempt: number) => Promise<void>;
}

/** Opens a socket at an offset; undefined stands for the end. */
export type OpenAttachSocket = (from: number | undefined, handlers: SocketHandlers) => Promise<TransportSocket>;

const BUFFER_BYTES_MAX = 1024 * 1024;
/** If the platform cannot stop reading, the socket is closed at this many times the buffer, and reopened later. */
const UNPAUSABLE_FACTOR = 8;
const GIVE_UP_MS_MAX = 600_000;
const ACK_BYTES = 256 * 1024;
/** The server takes frames up to 64 KiB. */
const INPUT_FRAME_BYTES_MAX = 32 * 1024;
const SEND_BUFFER_BYTES_MAX = 256 * 1024;
const SEND_POLL_MS = 5;
/** RFC 6455 close codes after which a retry fails as well: policy violation, and the range of the server. */
const isRefusal = (code: number): boolean => code === 1008 || (code >= 4000 && code < 5000);

/** RFC 6455: going away, no code, broken, restarting. */
const isBroken = (code: number): boolean => [1001, 1005, 1006, 1012].includes(code);

type WindowMessage = Extract<ClientMessage, { readonly type: "window" | "resize" }>;

/** The first message of the server, when it has accepted the reader. */
export type Attached = Extract<ServerMessage, { readonly type: "attached" }>;

/**
 * A live session: iterate it for what the session prints, from an offset on, and `write` to type. It reconnects by itself at the offset
 * that it reached. `LecternClient.attach` makes one; end it with `await using` or `detach()`.
 */
export class Attachment implements AsyncIterable<AttachmentItem>, AsyncDisposable {
  readonly #open: OpenAttachSocket;
  readonly #options: AttachmentOptions;
  readonly #abort = new AbortController();
  readonly #queue = new ItemQueue();
  readonly #place: StreamPosition;
  readonly #firstAttached = Promise.withResolvers<Attached>();
  #socket: TransportSocket | undefined;
  #connected = Promise.withResolvers<void>();
  #ended: AttachmentEnd | undefined;
  #paused = false;
  /** The server has accepted the reader: ever, and on the current connection. */
  #firstWasSeen = false;
  #wasAttached = false;
  /** The last error that the server sent before it closed. */
  #lastError: LecternError | undefined;
  #used: number | undefined;
  #acknowledged = 0;
  /** Writes are sent one after the other, without waiting for acknowledgements. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #unconfirmed = new UnconfirmedInput();
  /** The server of the current connection acknowledges numbered input. */
  #confirmsInput = false;
  /** What the next connection reports about the window that shows the session. */
  #window: WindowMessage | undefined;

  /** Use `LecternClient.attach`, which resolves when the server has accepted the reader. */
  constructor(open: OpenAttachSocket, options: AttachmentOptions = {}) {
    this.#open = open;
    this.#options = options;
    this.#place = new StreamPosition(options.from);
    this.#firstAttached.promise.catch(() => undefined);
    this.#connected.promise.catch(() => undefined);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal?.aborted === true) this.#onAbort();
    void this.#run();
  }

  /** Resolves with the first message of the server; rejects if the first connection fails. */
  get attached(): Promise<Attached> {
    return this.#firstAttached.promise;
  }

  get ended(): AttachmentEnd | undefined {
    return this.#ended;
  }

  /** The offset to resume at after the items that were read. */
  get offset(): number | undefined {
    return this.#used;
  }

  /**
   * Types bytes. Resolves when they are in the journal (with a server that does not acknowledge input: when they were sent). Without a
   * connection it waits. Rejects with the error of the server if they are refused, such as `CONFLICT` while another writer types, and with
   * `DAEMON_UNREACHABLE` if the connection broke before the acknowledgement. Concurrent writes keep their order.
   */
  async write(bytes: Uint8Array): Promise<void> {
    const sent = this.#writing.catch(() => undefined).then(() => this.#write(bytes));
    this.#writing = sent;
    const { confirmed } = await sent;
    await confirmed;
  }

  /**
   * Reports the size of the window that shows the session. The session's terminal gets it when this attachment types, keeps it until
   * another one types, and has its earlier size again when this one has left. Reported again after a reconnect.
   */
  setWindow(size: TerminalSize): void {
    this.#reportWindow({ type: "window", ...size });
  }

  /** As `setWindow`, and the terminal gets the size now. To resize it for good, call `sessions.resize`. */
  resize(size: TerminalSize): void {
    this.#reportWindow({ type: "resize", ...size });
  }

  /** Signals the foreground job of the session; does nothing while there is no connection. */
  signal(name: string): void {
    this.#say({ type: "signal", name });
  }

  /** Takes over the input lease, without typing. */
  take(): void {
    this.#say({ type: "take" });
  }

  /** Ends the attachment; the session keeps running. */
  detach(): void {
    this.#end({ reason: "detached" });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.detach();
    return Promise.resolve();
  }

  /** One reader at a time. Ends after `exit` or `detach`; throws the error if the attachment fails. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AttachmentItem, void, void> {
    for (;;) {
      if (this.#ended?.reason === "detached") return;
      const item = this.#queue.take();
      if (item !== undefined) {
        this.#makeRoom();
        yield item;
        this.#use(item);
        continue;
      }
      if (this.#ended !== undefined) {
        if (this.#ended.reason === "failed") throw this.#ended.error;
        return;
      }
      await this.#queue.arrival();
    }
  }

  readonly #onAbort = (): void => this.#end({ reason: "failed", error: cancelled(this.#options.signal?.reason) });

  /** Connects, waits until the connection ends, and reconnects. */
  async #run(): Promise<void> {
    let attempt = 0;
    let brokenSince = Date.now();
    while (this.#ended === undefined) {
      const error = await this.#connectOnce(attempt);
      if (this.#isOver()) return;
      if (!isPassing(error) || !this.#firstWasSeen) return this.#end({ reason: "failed", error });
      if (this.#wasAttached) {
        this.#wasAttached = false;
        attempt = 0;
        brokenSince = Date.now();
        this.#queue.push({ type: "disconnected", error });
        await this.#roomAgain();
      } else if (Date.now() - brokenSince > (this.#options.giveUpMsMax ?? GIVE_UP_MS_MAX)) {
        return this.#end({ reason: "failed", error });
      }
      const delayMsMax = this.#options.reconnectMsMax ?? waits.reconnectMs;
      await delay(reconnectDelayMs(attempt, delayMsMax, Math.random()), this.#abort.signal);
      attempt += 1;
    }
  }

  /** A method, because the compiler would keep the value narrowed across an await. */
  #isOver(): boolean {
    return this.#ended !== undefined;
  }

  /** Resolves with the reason when the connection failed or has ended. */
  async #connectOnce(attempt: number): Promise<LecternError> {
    const closed = Promise.withResolvers<LecternError>();
    this.#lastError = undefined;
    try {
      if (this.#firstWasSeen) await this.#options.beforeReconnect?.(attempt);
      if (this.#isOver()) throw cancelled(undefined);
      const socket = await this.#open(this.#place.next, {
        onMessage: (data) => this.#receive(data),
        onClose: (end) => closed.resolve(closeError(end, this.#lastError)),
      });
      if (this.#isOver()) socket.close();
      else this.#adopt(socket);
    } catch (cause) {
      return cause instanceof LecternError ? cause : new LecternError("INTERNAL", "Cannot attach", { cause });
    }
    const error = await closed.promise;
    this.#socket = undefined;
    this.#confirmsInput = false;
    this.#unconfirmed.abandon("DAEMON_UNREACHABLE", "the connection broke before the answer");
    this.#connected.resolve();
    this.#connected = Promise.withResolvers<void>();
    this.#connected.promise.catch(() => undefined);
    if (this.#isOver()) this.#connected.resolve();
    return error;
  }

  #adopt(socket: TransportSocket): void {
    this.#socket = socket;
    this.#paused = false;
    this.#holdBack();
    if (this.#window !== undefined) this.#reportWindow(this.#window);
    this.#nowWritable();
  }

  /** The first message may come before the socket is assigned here, or after. */
  #nowWritable(): void {
    if (this.#socket !== undefined && this.#wasAttached) this.#connected.resolve();
  }

  #receive(data: string | Uint8Array): void {
    if (this.#ended !== undefined) return;
    this.#lastError = undefined;
    try {
      if (typeof data === "string") return this.#receiveMessage(JSON.parse(data) as ServerMessage);
      const frame = decodeBinaryFrame(data);
      // A frame type of a later version: its content, if any, becomes a gap.
      if (frame !== undefined) this.#enqueue(this.#place.take(frame));
    } catch (cause) {
      const error = new LecternError("MALFORMED", "Cannot read what the server sent: it is not a valid message", {
        cause,
      });
      this.#end({ reason: "failed", error });
    }
  }

  #receiveMessage(message: ServerMessage): void {
    switch (message.type) {
      case "attached":
        return this.#greet(message);
      case "error":
        this.#lastError = new LecternError(message.code as LecternError["code"], message.message);
        if (message.input !== undefined) this.#unconfirmed.refuse(message.input, this.#lastError);
        if (this.#wasAttached) this.#queue.push(message);
        return;
      case "taken":
        this.#unconfirmed.take(message.input, message.bytes);
        return;
      case "writer":
      case "notice":
        this.#queue.push(message);
        return;
      default:
        this.#enqueue(this.#place.take(message));
    }
  }

  #greet(message: Attached): void {
    this.#place.startAt(message.offset);
    this.#used ??= message.offset;
    this.#wasAttached = true;
    this.#confirmsInput = message.confirmsInput === true;
    this.#nowWritable();
    if (this.#firstWasSeen) this.#queue.push({ type: "reconnected" });
    this.#firstWasSeen = true;
    this.#firstAttached.resolve(message);
  }

  #enqueue(items: readonly StreamItem[]): void {
    for (const item of items) {
      this.#queue.push(item);
      if (item.type === "exit") return this.#end({ reason: "exit", exit: item.exit });
    }
    this.#holdBack();
  }

  /** Pauses the socket while the consumer does not read. */
  #holdBack(): void {
    const limit = this.#options.bufferBytesMax ?? BUFFER_BYTES_MAX;
    const socket = this.#socket;
    if (socket === undefined || this.#paused || this.#queue.bytes <= limit) return;
    // An acknowledgement comes after the output: a caller that waits for it may not be reading now.
    if (this.#unconfirmed.size > 0) {
      if (this.#queue.bytes <= limit * UNPAUSABLE_FACTOR) return;
      this.#unconfirmed.abandon("LIMIT_EXCEEDED", "too much output that was not read stands before the answer");
    }
    if (socket.pausable) {
      this.#paused = true;
      socket.pause();
    } else if (this.#queue.bytes > limit * UNPAUSABLE_FACTOR) {
      this.#paused = true;
      this.#lastError = new LecternError("LIMIT_EXCEEDED", "Stopped reading: the reader is too slow");
      socket.close();
    }
  }

  #makeRoom(): void {
    if (!this.#paused || this.#queue.bytes > (this.#options.bufferBytesMax ?? BUFFER_BYTES_MAX) / 2) return;
    this.#paused = false;
    this.#socket?.resume();
  }

  /** A reader that is far behind reconnects when it has caught up. */
  #roomAgain(): Promise<void> {
    return this.#queue.bytes > (this.#options.bufferBytesMax ?? BUFFER_BYTES_MAX)
      ? this.#queue.drained()
      : Promise.resolve();
  }

  /** The consumer asks for the next item: it has used the last one. */
  #use(item: AttachmentItem): void {
    if (!("next" in item)) return;
    this.#used = item.next;
    if (item.next - this.#acknowledged < ACK_BYTES) return;
    this.#acknowledged = item.next;
    this.#say({ type: "ack", offset: item.next });
  }

  /** Sends bytes, and returns the acknowledgement in an object: an await of it directly would wait for it. */
  async #write(bytes: Uint8Array): Promise<{ readonly confirmed: Promise<void> }> {
    let write: ReturnType<UnconfirmedInput["begin"]> | undefined;
    for (let at = 0; at < bytes.length; at += INPUT_FRAME_BYTES_MAX) {
      const socket = await this.#writable();
      const part = bytes.subarray(at, at + INPUT_FRAME_BYTES_MAX);
      if (at === 0 && this.#confirmsInput) write = this.#unconfirmed.begin(bytes.length);
      if (write === undefined) socket.send(encodeInput(part));
      // Refused, or the connection broke: the rest must not be typed without its beginning.
      else if (!this.#unconfirmed.isOpen(write.number)) break;
      else socket.send(encodeNumberedInput(write.number, part));
    }
    return { confirmed: write?.confirmed ?? Promise.resolve() };
  }

  /** Waits for a connection with free buffer space. */
  async #writable(): Promise<TransportSocket> {
    for (;;) {
      if (this.#ended !== undefined) throw new LecternError("SESSION_ENDED", "Cannot write: the attachment has ended");
      const socket = this.#socket;
      if (socket === undefined || !this.#wasAttached) await this.#connected.promise;
      else if (socket.bufferedBytes <= SEND_BUFFER_BYTES_MAX) return socket;
      else await delay(SEND_POLL_MS, this.#abort.signal);
    }
  }

  /** The size is asked for only once: a connection that comes back takes it from nobody. */
  #reportWindow(message: WindowMessage): void {
    this.#window = this.#socket === undefined ? message : { ...message, type: "window" };
    this.#say(message);
  }

  #say(message: ClientMessage): void {
    if (this.#ended === undefined) this.#socket?.send(JSON.stringify(message));
  }

  #end(end: AttachmentEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = end;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    if (end.reason === "failed") this.#firstAttached.reject(end.error);
    else this.#firstAttached.reject(new LecternError("CANCELLED", "Detached before the server answered"));
    this.#socket?.close();
    const isExit = end.reason === "exit";
    this.#unconfirmed.abandon(isExit ? "SESSION_ENDED" : "CANCELLED", isExit ? "the session ended" : "detached");
    this.#connected.resolve();
    this.#abort.abort();
    this.#queue.wake();
  }
}

/** A broken connection is not explained by the last error of the server. */
function closeError(
  end: { readonly code: number; readonly reason: string },
  lastError: LecternError | undefined,
): LecternError {
  if (lastError !== undefined && !isBroken(end.code)) return lastError;
  const code = isRefusal(end.code) ? "FORBIDDEN" : "DAEMON_UNREACHABLE";
  const reason = end.reason === "" ? "" : `: ${end.reason}`;
  return new LecternError(code, `The daemon closed the connection with code ${end.code}${reason}`);
}
