/**
 * A program in a terminal, for programs: send, read until it is ready again, run commands with exact output.
 *
 * Ordering law: items of the source come one by one, each first into the state and then to the wait. One read at a time: a second one is refused.
 */
import { LecternError } from "../core/errors.ts";
import { checkOptions } from "../core/option-names.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { Asks, ReadyReason } from "../core/readiness/readiness.ts";
import type { ShellPlace } from "../core/readiness/shell-wait.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { TerminalCommand, untilGivenUp } from "./terminal-command.ts";
import { checkLimits, readDefaults } from "./read-defaults.ts";
import { notTyped, type RunResult } from "./run-command.ts";
import { DEFAULT_MARKERS, TerminalLink, type SourceSettings, type TerminalStart } from "./terminal-link.ts";
import { readNames, runNames, type ReadOptions, type RunOptions } from "./terminal-options.ts";
import type { OpenSource } from "./terminal-source.ts";
import { CTRL_C, TextTail, type Reading } from "./terminal-state.ts";

/** What a read returns, and why it ended. */
export interface ReadResult {
  /** What came since the last read, as a person would read it: no escape sequences, no controls but line feeds and tabs. */
  readonly text: string;
  /** The same as the program wrote it. */
  readonly bytes: Uint8Array;
  readonly reason: ReadyReason;
  readonly asks: Asks | null;
  /** The last probe result; null if none was taken, or if the shell itself has reported the end. */
  readonly foreground: ForegroundLook | null;
  /** How the program ended, where it did. */
  readonly exit: ExitStatus | null;
}

const HISTORY_CHARS_MAX = 4 * 1024 * 1024;
/** Silence says nothing about a program that has not begun: it is given so long before the first line is typed. */
const START_MS_MAX = 5000;
const encoder = new TextEncoder();

/**
 * A program in a terminal, controlled by another program: run commands, type, read until it is ready. `openTerminal` and `attachTerminal`
 * make one; end it with `await using` or `close()`.
 */
export class Terminal implements AsyncDisposable {
  readonly #start: TerminalStart;
  #link: TerminalLink;

  private constructor(start: TerminalStart, link: TerminalLink) {
    this.#start = start;
    this.#link = link;
  }

  /** For the functions that know a source. `command`: its words. */
  static async over(open: OpenSource, command: readonly string[], settings: SourceSettings): Promise<Terminal> {
    const history = new TextTail(settings.historyCharsMax ?? HISTORY_CHARS_MAX);
    const start = { open, command, settings, history };
    const { readyMarkers: markers = DEFAULT_MARKERS, state } = settings;
    return new Terminal(start, await TerminalLink.open(start, { markers, state }));
  }

  /** The texts that say "ready" from now on. */
  setReadyMarkers(markers: readonly string[]): void {
    this.#link.markers = [...markers];
  }

  isAlive(): boolean {
    return this.#link.state.exit === undefined;
  }

  isInteractive(): boolean {
    return this.#start.settings.interactive ?? true;
  }

  getInitialCommand(): string {
    return this.#start.command.join(" ");
  }

  /** Everything that was seen, sanitized; the oldest goes where it is too long. */
  getHistory(): string {
    return this.#link.state.history;
  }

  /**
   * Reads until the program is ready for input, and reports how that is known. A time-out is a result with what was read so far.
   * Throws `CONFLICT` while another read is under way, `INVALID_INPUT` for a limit out of range, and `CANCELLED`.
   */
  async readUntilReady(options: ReadOptions = {}): Promise<ReadResult> {
    checkOptions("readUntilReady", options, readNames);
    checkLimits(options);
    return this.#exclusively(() => this.#read(options, null));
  }

  /**
   * Types the input and a line feed, and reads until the program is ready again. A terminal that is not interactive waits up to 5 s until
   * the program has started, once.
   */
  async sendAndReadUntilReady(input: string, options: ReadOptions = {}): Promise<ReadResult> {
    checkOptions("sendAndReadUntilReady", options, readNames);
    checkLimits(options);
    return this.#exclusively(async () => {
      await this.#untilBegun(options);
      if (options.signal?.aborted === true) throw notTyped(options.signal.reason);
      const { place } = this.#link.state;
      await this.#link.write(encoder.encode(`${input}\n`));
      return this.#read(options, place);
    });
  }

  /** What has come and was not read, at most `maxBytes` of it; "" where there is nothing. Never waits. */
  readAvailable(maxBytes?: number): string {
    return this.#take(maxBytes).text;
  }

  /** The same as the program wrote it. */
  readAvailableBytes(maxBytes?: number): Uint8Array {
    return this.#take(maxBytes).bytes;
  }

  /** Types bytes as they are. Throws `SESSION_ENDED` and `LIMIT_EXCEEDED`. */
  async write(input: string | Uint8Array): Promise<void> {
    await this.#link.write(typeof input === "string" ? encoder.encode(input) : input);
  }

  /** Types Ctrl-C. */
  async sendCtrlC(): Promise<void> {
    await this.#link.write(CTRL_C);
  }

  /** Types Ctrl-C at a shell with marks that waits for the rest of a command, and waits up to 2 s until it is at its prompt. */
  async giveUpLine(): Promise<void> {
    await this.#exclusively(async () => {
      await this.#link.write(CTRL_C);
      await untilGivenUp(this.#link, {});
    });
  }

  /**
   * Runs a command and gives back its output without echo and prompt, and its exit code if the shell reports it. The command may have several lines.
   * It is typed only at a prompt: otherwise the result has `ran: false`, and what the program waits for instead.
   */
  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    checkOptions("run", options, runNames);
    checkLimits(options);
    return this.#exclusively(async () => {
      const { source, state } = this.#link;
      if (source.run === undefined) return await new TerminalCommand(this.#link, options).run(command);
      const result = await source.run(command, options);
      state.forget();
      return result;
    });
  }

  /** Ends the program and starts it anew, with the same command, flag and markers of now. */
  async reset(): Promise<void> {
    await this.#exclusively(async () => {
      await this.#link.close();
      this.#link = await TerminalLink.open(this.#start, { markers: this.#link.markers, isReset: true });
    });
  }

  /** Ends what this terminal started: the program, or only the attachment to a session. A read that is under way ends with `exit`. */
  async close(): Promise<void> {
    await this.#link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link.close();
  }

  async #exclusively<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#refuseWhileReading();
    this.#link.isReading = true;
    try {
      return await read();
    } finally {
      this.#link.isReading = false;
    }
  }

  async #untilBegun({ timeoutMs = readDefaults.timeoutMs, signal }: ReadOptions): Promise<void> {
    if (this.isInteractive() || this.#link.hasBegun) return;
    const limitMs = Math.min(START_MS_MAX, timeoutMs);
    await this.#link.until({ strategy: "auto", timeoutMs: limitMs, signal }, readDefaults.maxOutputBytes, null);
    this.#link.hasBegun = true;
  }

  #refuseWhileReading(): void {
    if (!this.#link.isReading) return;
    throw new LecternError("CONFLICT", "Cannot read: another read of this terminal is under way; await it first");
  }

  async #read(options: ReadOptions, typedAt: ShellPlace | null): Promise<ReadResult> {
    const bytesMax = options.maxOutputBytes ?? readDefaults.maxOutputBytes;
    const outcome = await this.#link.until(options, bytesMax, typedAt);
    return { ...this.#link.taken(bytesMax), ...outcome, exit: this.#link.state.exit ?? null };
  }

  #take(maxBytes?: number): Reading {
    this.#refuseWhileReading();
    return this.#link.taken(maxBytes);
  }
}
