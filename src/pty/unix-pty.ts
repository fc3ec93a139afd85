/**
 * A pty on a Unix kernel: the laws of both backends, on top of the few calls in which they differ (`PtyDriver`).
 *
 * Ownership
 * - The read stream owns the master: only destroying the stream closes it, after the last `read`, `write` and `resize`.
 * - We keep one descriptor of the slave, the program's side, until the program is reaped and everything it wrote is read. While any
 *   slave is open, the kernel does not report a hang-up, so "the program has ended" and "there is nothing more to read" cannot race.
 * - All sessions read into ONE buffer. A chunk is a view of it, valid during `onOutput`. So reads happen only at the top level
 *   of the event loop, never in a method that a consumer could call from `onOutput`.
 *
 * Ordering
 * - running -> ended (reaped, status known) -> closed (`onExit` called). In `ended` we read until the kernel has nothing, close our
 *   slave, and continue until the kernel reports the hang-up, after which no process can write. Then `onExit` is called once.
 * - A background process that still holds the slave delays this by at most `lingerMs`.
 * - A paused pty neither reads nor closes: the rest stays in the kernel's buffer, which is bounded.
 */
import { constants } from "node:os";
import { ReadStream } from "node:tty";
import { LecternError } from "../core/errors.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { dropsLine, KernelLine, LINE_BYTES_MAX } from "../core/input/kernel-line.ts";
import { encodePaste } from "../core/input/paste.ts";
import { waits } from "../core/waits.ts";
import { InputQueue } from "./input-queue.ts";
import type { Pty, PtyBackend, PtyOptions, QueueLengths, TerminalModes, WriteOptions } from "./pty.ts";
import { foregroundGroupOf } from "./process-table.ts";
import { endSession } from "./session-processes.ts";

/** Shared by all sessions, so that a session needs no read buffer of its own. Its size is that of the largest chunk. */
export const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Results of `read` that are not byte counts. */
export const NOTHING_NOW = 0;
export const HANG_UP = -1;

/** The calls in which the backends differ. None of them blocks. */
export interface PtyDriver {
  readonly backend: PtyBackend;
  readonly pid: number;
  readonly terminalPath: string | undefined;
  /** Owned by `UnixPty`. */
  readonly master: number;
  /** Whether reads are cheap enough to gather everything that the kernel has in one chunk. */
  readonly readsAhead: boolean;
  /** Reads into `readBuffer` from `offset` on; returns the byte count, `NOTHING_NOW` or `HANG_UP`. */
  read(offset: number): number;
  write(data: Uint8Array): number | undefined;
  resize(columns: number, rows: number): void;
  closeSlave(): void;
  modes(): TerminalModes | undefined;
  queues(): QueueLengths | undefined;
  foregroundGroup(): number | undefined;
}

const defaults = { inputQueueBytesMax: 4 * 1024 * 1024, lingerMs: 1_000, graceMs: waits.graceMs };

/**
 * More than the kernel buffers for one terminal (8 KB in transit, 4 KB at the reader's side, each rounded up): once this much was read
 * after the end of the program, all its output has been read, and more comes from a background process.
 */
const kernelBufferBytesMax = 256 * 1024;
/** A smaller chunk is interactive output: the kernel has no more, and another read would only delay it. */
const floodBytesMin = 1024;
/** A chunk is delivered when less room than this is left in the buffer. */
const readBytesMin = 4 * 1024;

export class UnixPty implements Pty {
  readonly #driver: PtyDriver;
  readonly #stream: ReadStream;
  readonly #input: InputQueue;
  /** The open line of what `write` has accepted. */
  readonly #accepted = new KernelLine();
  /** The same of what the kernel has got. */
  readonly #written = new KernelLine();
  /** What is queued waits, because the kernel would drop it. */
  #isHeld = false;
  readonly #onOutput: (chunk: Uint8Array) => void;
  readonly #onExit: (status: ExitStatus) => void;
  readonly #closed = Promise.withResolvers<ExitStatus>();
  readonly #lingerMs: number;
  #paused = false;
  /** Set once the program is reaped. */
  #status: ExitStatus | undefined;
  #isClosed = false;
  /** The stream closed the master. Its number may be reused, so it must not be used in any call. */
  #isHungUp = false;
  /** Our slave is still open: without it, the hang-up could come before the last bytes. */
  #holdsSlave = true;
  #lingerUntilMs = Number.POSITIVE_INFINITY;
  #lingerTimer: NodeJS.Timeout | undefined;
  #bytesSinceEnd = 0;

  constructor(driver: PtyDriver, options: PtyOptions) {
    this.#driver = driver;
    this.#onOutput = options.onOutput;
    this.#onExit = options.onExit;
    this.#lingerMs = options.lingerMs ?? defaults.lingerMs;
    this.#input = new InputQueue(
      (data) => this.#toKernel(data),
      options.inputQueueBytesMax ?? defaults.inputQueueBytesMax,
    );
    this.#stream = this.#openStream();
  }

  get pid(): number {
    return this.#driver.pid;
  }

  get backend(): PtyBackend {
    return this.#driver.backend;
  }

  get terminalPath(): string | undefined {
    return this.#driver.terminalPath;
  }

  get inputQueuedBytes(): number {
    return this.#input.queuedBytes;
  }

  get #isLive(): boolean {
    return this.#status === undefined && !this.#isHungUp;
  }

  write(data: Uint8Array, options: WriteOptions = {}): void {
    this.#refuseAfterEnd("write");
    const bytes = options.paste === true ? encodePaste(data) : data;
    this.assertKept(bytes);
    // The kernel drops what was typed with these keys, and nothing would get past the rest of a line that is too long.
    if (this.#isHeld && dropsLine(bytes[0])) this.#input.discard();
    this.#input.push(bytes);
    this.#accepted.wrote(bytes, { isCanonical: this.#isCanonical });
  }

  assertKept(bytes: Uint8Array): void {
    if (this.#accepted.fits(bytes) === bytes.length || !this.#isCanonical) return;
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot type ${bytes.length} bytes: of one line the program gets at most ${LINE_BYTES_MAX} now, and the kernel would drop the rest; nothing was typed: wait until it is at its prompt, or give it a file`,
      { details: { typedBytes: 0, lineBytesMax: LINE_BYTES_MAX } },
    );
  }

  /** A program may begin to read lines while bytes wait here: a part that the kernel would drop stays until it takes keys again. */
  #toKernel(data: Uint8Array): number | undefined {
    const isCanonical = this.#isCanonical;
    const kept = isCanonical ? data.subarray(0, this.#written.fits(data)) : data;
    this.#isHeld = kept.length === 0;
    if (this.#isHeld) return 0;
    const taken = this.#driver.write(kept);
    if (taken !== undefined) this.#written.wrote(kept.subarray(0, taken), { isCanonical });
    return taken;
  }

  get #isCanonical(): boolean {
    return this.modes()?.canonical === true;
  }

  resize(size: { readonly columns: number; readonly rows: number }): void {
    checkSize(size);
    if (this.#isLive) this.#driver.resize(size.columns, size.rows);
  }

  signal(name: NodeJS.Signals): void {
    if (!Object.hasOwn(constants.signals, name))
      throw new LecternError("INVALID_INPUT", `Cannot send signal "${name}": wanted a name such as "SIGINT"`);
    this.#refuseAfterEnd("signal");
    try {
      process.kill(-(this.foregroundGroup() ?? foregroundGroupOf(this.pid) ?? this.pid), name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPERM") {
        throw new LecternError(
          "FORBIDDEN",
          `Cannot send "${name}": the foreground job runs as another user; type its key`,
        );
      }
      // ESRCH: the job ended in between, so there is nothing to signal.
      if (code !== "ESRCH") throw error;
    }
  }

  async kill(options: { readonly graceMs?: number } = {}): Promise<ExitStatus> {
    if (!this.#isClosed) {
      this.resume();
      await endSession(this.pid, {
        graceMs: options.graceMs ?? defaults.graceMs,
        leaderIsReaped: () => this.#status !== undefined,
      });
      // Processes that still hold the terminal have left the session: their output is not waited for.
      this.#lingerUntilMs = 0;
      this.#settleSoon();
    }
    return this.#closed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  pause(): void {
    if (this.#paused || this.#isClosed) return;
    this.#paused = true;
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#paused || this.#isClosed) return;
    this.#paused = false;
    this.#stream.resume();
    this.#settleSoon();
  }

  modes(): TerminalModes | undefined {
    return this.#isLive ? this.#driver.modes() : undefined;
  }

  queues(): QueueLengths | undefined {
    return this.#isLive ? this.#driver.queues() : undefined;
  }

  foregroundGroup(): number | undefined {
    return this.#isLive ? this.#driver.foregroundGroup() : undefined;
  }

  /** Called by the backend, once, from the event loop, when the program is reaped. */
  ended(status: ExitStatus): void {
    this.#status = status;
    this.#input.close();
    this.#lingerUntilMs = Math.min(this.#lingerUntilMs, performance.now() + this.#lingerMs);
    this.#settle();
    if (this.#isClosed) return;
    this.#lingerTimer = setTimeout(() => this.#settle(), this.#lingerMs + 1);
  }

  #openStream(): ReadStream {
    const { master } = this.#driver;
    // `onread` is an option of net.Socket that tty.ReadStream passes on, which its types do not declare.
    const options = {
      onread: { buffer: readBuffer, callback: (length: number): boolean => this.#received(length) },
    } as unknown as undefined;
    const stream = new ReadStream(master, options);
    // A hang-up is an EIO error. After any other error, nothing more can be read either.
    stream.on("error", () => this.#hungUp());
    stream.on("end", () => this.#hungUp());
    // Not `resume`: it would start reading in the next turn, even if the pty is paused by then.
    stream.read(0);
    return stream;
  }

  /** A chunk from the event loop. It is extended by what else the kernel has, because each chunk costs every consumer. */
  #received(length: number): boolean {
    const isFlood = this.#driver.readsAhead && length >= floodBytesMin;
    this.#deliver(isFlood ? this.#readAhead(length) : length);
    this.#settle();
    return true;
  }

  /** Reads after the first `length` bytes while the kernel has more. Returns the total. */
  #readAhead(length: number): number {
    let filled = length;
    while (filled <= readBuffer.length - readBytesMin) {
      const more = this.#driver.read(filled);
      if (more <= 0) break;
      filled += more;
    }
    return filled;
  }

  #deliver(length: number): void {
    if (this.#status !== undefined) this.#bytesSinceEnd += length;
    this.#onOutput(readBuffer.subarray(0, length));
  }

  /** After the end of the program: reads the rest and closes when nothing more can follow or the linger time is over. */
  #settle(): void {
    if (this.#status === undefined || this.#isClosed || this.#paused) return;
    if (this.#isHungUp) return this.#close(this.#status);
    let outcome = this.#readAll();
    if (outcome === "nothing-now" && this.#holdsSlave) {
      this.#releaseSlave();
      outcome = this.#readAll();
    }
    if (outcome === "paused") return;
    const mayCut = outcome === "nothing-now" || this.#bytesSinceEnd >= kernelBufferBytesMax;
    if (outcome === "hang-up" || (mayCut && performance.now() >= this.#lingerUntilMs)) this.#close(this.#status);
  }

  /** Not at once: the caller may be inside an `onOutput` that still uses the read buffer. */
  #settleSoon(): void {
    if (this.#status !== undefined) setImmediate(() => this.#settle());
  }

  #readAll(): "nothing-now" | "hang-up" | "paused" | "limit" {
    let total = 0;
    while (total < kernelBufferBytesMax) {
      const length = this.#driver.read(0);
      if (length === HANG_UP) return "hang-up";
      if (length === NOTHING_NOW) return "nothing-now";
      total += length;
      this.#deliver(length);
      if (this.#paused) return "paused";
    }
    return "limit";
  }

  /** While our slave is open, only a failed read leads here; the pty then closes when the program is reaped. */
  #hungUp(): void {
    this.#isHungUp = true;
    this.#input.close();
    this.#settle();
  }

  #close(status: ExitStatus): void {
    this.#isClosed = true;
    clearTimeout(this.#lingerTimer);
    this.#releaseSlave();
    this.#stream.destroy();
    this.#onExit(status);
    this.#closed.resolve(status);
  }

  #releaseSlave(): void {
    if (!this.#holdsSlave) return;
    this.#holdsSlave = false;
    this.#driver.closeSlave();
  }

  #refuseAfterEnd(action: string): void {
    if (this.#isLive) return;
    throw new LecternError("SESSION_ENDED", `Cannot ${action}: the program has ended; start it again`);
  }
}

/** Throws `INVALID_INPUT` unless both fit the kernel's 16 bits. */
export function checkSize(size: { readonly columns: number; readonly rows: number }): void {
  for (const [name, value] of Object.entries({ columns: size.columns, rows: size.rows })) {
    if (Number.isInteger(value) && value >= 1 && value <= 0xff_ff) continue;
    throw new LecternError("INVALID_INPUT", `Cannot set ${name} to "${value}": wanted a whole number from 1 to 65535`);
  }
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `code` is ignored if there was a signal. */
export function exitStatus(code: number, signal: number): ExitStatus {
  if (signal === 0) return { reason: "exited", code, signal: null };
  return { reason: "signaled", code: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
