/**
 * A program in a terminal, for programs: send, read until it is ready again, run commands with exact output.
 *
 * Ordering law: items of the source come one by one, each first into the state and then to the wait. One read at a time: a second one is refused.
 */
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import { promptAt, readOpenLine, type LearnedPrompts, type PromptRules } from "../core/readiness/learned-prompts.ts";
import type { Asks, ReadyReason } from "../core/readiness/readiness.ts";
import type { ShellPlace } from "../core/readiness/shell-wait.ts";
import { readinessTimes } from "../core/readiness/times.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { BlobDirectory } from "./blob-file.ts";
import { TypedCommand, type CommandPlace } from "./command-file.ts";
import type { BlobSink } from "./blob-sink.ts";
import { HandOver } from "./hand-over.ts";
import { EnteredLine } from "./entered-line.ts";
import { assertGoesOn, mayTypeCommand, notRun, notTyped, RunCollector, type RunResult } from "./run-command.ts";
import { waits } from "../core/waits.ts";
import { checkLimits, readDefaults } from "./read-defaults.ts";
import type { ReadOptions, RunOptions } from "./terminal-options.ts";
import type { OpenSource, SourceItem, TerminalSource } from "./terminal-source.ts";
import { TerminalState, TextTail } from "./terminal-state.ts";
import { TerminalWaits, type Outcome } from "./terminal-waits.ts";

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

/** How a terminal recognizes that its program is ready, and what it keeps. */
export interface TerminalSettings {
  /** False: reads wait for quiet. Default true. */
  readonly interactive?: boolean;
  /** Texts at the end of the output that mean "ready". Default `pwndbg> ` and `(gdb) `. */
  readonly readyMarkers?: readonly string[];
  /** Characters of history that are kept. Default 4 Mi. */
  readonly historyCharsMax?: number;
  /** Where outputs of `run` that are too long are kept as a whole, under their SHA-256. Default: nowhere. */
  readonly blobDirectory?: string;
}

/** What the functions that know a source say besides. */
interface SourceSettings extends TerminalSettings {
  /** A store of outputs instead of a directory. */
  readonly blobs?: BlobSink;
  /** The prompts that earlier terminals on the same program have learned; new ones are added. */
  readonly prompts?: LearnedPrompts;
}

/** A wait of `run`: before it types and after it. */
interface RunWait {
  readonly inside: boolean;
}

const DEFAULT_MARKERS = ["pwndbg> ", "(gdb) "];
const HISTORY_CHARS_MAX = 4 * 1024 * 1024;
/** While nobody reads, the program is held up when this much waits: nothing is dropped. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;
/** Silence says nothing about a program that has not begun: it is given so long before the first line is typed. */
const START_MS_MAX = 5000;
const CTRL_C = Uint8Array.of(0x03);
const encoder = new TextEncoder();

/**
 * A program in a terminal, controlled by another program: run commands, type, read until it is ready. `openTerminal` and `attachTerminal`
 * make one; end it with `await using` or `close()`.
 */
export class Terminal implements AsyncDisposable {
  readonly #open: OpenSource;
  readonly #settings: SourceSettings;
  readonly #command: string;
  #markers: readonly string[];
  #history: TextTail;
  #source: TerminalSource;
  #state: TerminalState;
  #waits: TerminalWaits;
  #isReading = false;
  #isPaused = false;
  /** Where reads wait for quiet, the first line that is typed waits for the start. */
  #hasBegun = false;
  #collector: RunCollector | undefined;
  #typing: HandOver | EnteredLine | undefined;

  private constructor(parts: { open: OpenSource; settings: SourceSettings; command: string; source: TerminalSource }) {
    this.#open = parts.open;
    this.#settings = parts.settings;
    this.#command = parts.command;
    this.#markers = parts.settings.readyMarkers ?? DEFAULT_MARKERS;
    this.#history = new TextTail(parts.settings.historyCharsMax ?? HISTORY_CHARS_MAX);
    this.#source = parts.source;
    const { prompts } = parts.settings;
    this.#state = new TerminalState({ nonce: parts.source.nonce, history: this.#history, prompts });
    this.#waits = new TerminalWaits(parts.source);
  }

  /** For the functions that know a source. `command` is what `getInitialCommand` returns. */
  static async over(open: OpenSource, command: string, settings: SourceSettings): Promise<Terminal> {
    const { source, begin } = await openedEarly(open);
    const terminal = new Terminal({ open, settings, command, source });
    begin(terminal.#receive);
    return terminal;
  }

  /** The texts that say "ready" from now on. */
  setReadyMarkers(markers: readonly string[]): void {
    this.#markers = [...markers];
  }

  isAlive(): boolean {
    return this.#state.exit === undefined;
  }

  isInteractive(): boolean {
    return this.#settings.interactive ?? true;
  }

  getInitialCommand(): string {
    return this.#command;
  }

  /** Everything that was seen, sanitized; the oldest goes where it is too long. */
  getHistory(): string {
    return this.#state.history;
  }

  /**
   * Reads until the program is ready for input, and reports how that is known. A time-out is a result with what was read so far.
   * Throws `CONFLICT` while another read is under way, `INVALID_INPUT` for a limit out of range, and `CANCELLED`.
   */
  async readUntilReady(options: ReadOptions = {}): Promise<ReadResult> {
    checkLimits(options);
    return this.#exclusively(() => this.#read(options, null));
  }

  /**
   * Types the input and a line feed, and reads until the program is ready again. A terminal that is not interactive waits up to 5 s until
   * the program has started, once.
   */
  async sendAndReadUntilReady(input: string, options: ReadOptions = {}): Promise<ReadResult> {
    checkLimits(options);
    return this.#exclusively(async () => {
      await this.#untilBegun(options);
      if (options.signal?.aborted === true) throw notTyped(options.signal.reason);
      const { place } = this.#state;
      await this.#write(encoder.encode(`${input}\n`));
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
    await this.#write(typeof input === "string" ? encoder.encode(input) : input);
  }

  /** Types Ctrl-C. */
  async sendCtrlC(): Promise<void> {
    await this.#write(CTRL_C);
  }

  /** Types Ctrl-C at a shell with marks that waits for the rest of a command, and waits up to 2 s until it is at its prompt. */
  async giveUpLine(): Promise<void> {
    await this.#exclusively(async () => {
      await this.#write(CTRL_C);
      await this.#untilGivenUp({});
    });
  }

  /**
   * Runs a command and gives back its output without echo and prompt, and its exit code if the shell reports it. The command may have several lines.
   * It is typed only at a prompt: otherwise the result has `ran: false`, and what the program waits for instead.
   */
  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    checkLimits(options);
    return this.#exclusively(async () => {
      if (this.#source.run === undefined) return this.#run(command, options);
      const result = await this.#source.run(command, options);
      this.#state.forget();
      return result;
    });
  }

  /** Ends the program and starts it anew, with the same command, flag and markers of now. */
  async reset(): Promise<void> {
    await this.#exclusively(async () => {
      await this.#close();
      const { source, begin } = await openedEarly(this.#open);
      this.#source = source;
      this.#state = new TerminalState({ nonce: source.nonce, history: this.#history });
      this.#hasBegun = false;
      this.#waits = new TerminalWaits(source);
      begin(this.#receive);
    });
  }

  /** Ends what this terminal started: the program, or only the attachment to a session. A read that is under way ends with `exit`. */
  async close(): Promise<void> {
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#waits.close();
    this.#isPaused = false;
    await this.#source.close();
    this.#state.exit ??= { reason: "lost", code: null, signal: null };
  }

  async #exclusively<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#refuseWhileReading();
    this.#isReading = true;
    try {
      return await read();
    } finally {
      this.#isReading = false;
    }
  }

  async #untilBegun({ timeoutMs = readDefaults.timeoutMs, signal }: ReadOptions): Promise<void> {
    if (this.isInteractive() || this.#hasBegun) return;
    const limitMs = Math.min(START_MS_MAX, timeoutMs);
    await this.#until({ strategy: "auto", timeoutMs: limitMs, signal }, readDefaults.maxOutputBytes, null);
    this.#hasBegun = true;
  }

  #refuseWhileReading(): void {
    if (!this.#isReading) return;
    throw new LecternError("CONFLICT", "Cannot read: another read of this terminal is under way; await it first");
  }

  async #read(options: ReadOptions, typedAt: ShellPlace | null): Promise<ReadResult> {
    const bytesMax = options.maxOutputBytes ?? readDefaults.maxOutputBytes;
    const outcome = await this.#until(options, bytesMax, typedAt);
    return { ...this.#taken(bytesMax), ...outcome, exit: this.#state.exit ?? null };
  }

  /** `typedAt`: where the shell was when a line was typed right before; null if none was. */
  async #until(
    options: ReadOptions & { readonly run?: RunWait },
    bytesMax: number,
    typedAt: ShellPlace | null,
  ): Promise<Outcome> {
    const { place, exit, unreadBytes, isUnanswered, standing } = this.#state;
    const byMarks = this.#collector?.byMarks === true;
    const isFull = unreadBytes >= bytesMax && this.#collector === undefined;
    this.#limit = bytesMax;
    const strategy = options.strategy ?? (this.isInteractive() ? "auto" : "quiet");
    const prompts = strategy === "auto" && !byMarks ? this.#promptRules(options.run) : null;
    const outcome = await this.#waits.until(
      {
        strategy,
        foreground: this.#source.foreground,
        markers: byMarks ? [] : this.#markers,
        timeoutMs: options.timeoutMs ?? readDefaults.timeoutMs,
        settleMs: options.settleMs ?? readDefaults.settleMs,
        quietMs: options.quietMs ?? readDefaults.quietMs,
        // Any program can have printed a mark without a nonce.
        marks: this.#source.nonce === null ? "any" : "own",
        place,
        typedAt,
        isUnanswered,
        standing,
        lastLine: byMarks ? "" : this.#state.openLine,
        prompts,
      },
      { signal: options.signal, end: exit === undefined ? (isFull ? "limit" : undefined) : "exit" },
    );
    const isAtRest = outcome.reason === "foreground" || outcome.reason === "quiet" || outcome.reason === "marker";
    if (prompts !== null && isAtRest && outcome.asks === "command") this.#state.learnPrompt(outcome.foreground);
    return outcome;
  }

  /** Null for the reads of a shell with marks: the marks report what it reads. */
  #promptRules(run: RunWait | undefined): PromptRules | null {
    const hasOwner = this.#source.nonce === null;
    if (run === undefined && !hasOwner) return null;
    const inside = run?.inside ?? false;
    return this.#state.prompts.rules({ hasOwner, inside, markers: this.#markers, isRequired: run !== undefined });
  }

  #limit: number = readDefaults.maxOutputBytes;

  async #run(command: string, options: RunOptions): Promise<RunResult> {
    const startMs = performance.now();
    const bytesMax = options.maxOutputBytes ?? readDefaults.maxOutputBytes;
    const run: RunWait = { inside: options.inside ?? false };
    // A program that is held up comes to no prompt.
    if (this.#isPaused) this.#state.forget();
    this.#makeRoom();
    const before = await this.#untilPrompt({ ...options, run });
    const exit = this.#state.exit ?? null;
    if (!this.#mayType(before, run)) return notRun({ ...before, exit });
    this.#state.learnPrompt(before.foreground, { takesBlank: true });
    const { actDirectory } = this.#source;
    const isTaken = command !== "" && actDirectory !== null && this.#takesCommands;
    const handOver = isTaken ? new HandOver(actDirectory, command) : undefined;
    await options.onTyping?.(handOver?.id ?? null);
    // At a prompt that is known there was no wait for it to end.
    assertGoesOn(options.signal);
    const { place } = this.#state;
    const byMarks = place === "prompt" || handOver !== undefined;
    // A shell that was asked for marks gives them, unless something else is in front of it.
    const hasMarks = byMarks || (this.#source.nonce !== null && place !== "running");
    using typed = handOver === undefined ? new TypedCommand(command, this.#typingPlace(before, run)) : undefined;
    const act = typed === undefined ? handOver : new EnteredLine(typed, { source: this.#source, state: this.#state });
    this.#state.forget();
    const { blobDirectory, blobs } = this.#settings;
    const limits = {
      bytesMax,
      blobs: blobs ?? (blobDirectory === undefined ? undefined : new BlobDirectory(blobDirectory)),
    };
    const collector = new RunCollector({ byMarks, hasMarks, handed: typed === undefined ? command : null }, limits);
    this.#collector = collector;
    this.#typing = act;
    try {
      await act?.run(async (keys) => await this.#write(keys), options.signal);
      options.onTyped?.();
      const timeoutMs = Math.max(0, (options.timeoutMs ?? readDefaults.timeoutMs) - (performance.now() - startMs));
      const isGoingOn = !collector.hasStarted || this.#state.place === "running";
      const typedAt = (byMarks || place === "typed") && isGoingOn ? "prompt" : null;
      const wait = { ...options, strategy: "auto", timeoutMs, run } as const;
      const outcome = await this.#until(wait, Number.POSITIVE_INFINITY, typedAt);
      const result = { ...outcome, exit: this.#state.exit ?? null };
      if (act instanceof EnteredLine) collector.feed(act.rest(), []);
      return collector.result(result, this.#promptOf(outcome, run), () => this.#state.take());
    } catch (error) {
      collector.discard();
      throw error;
    } finally {
      this.#collector = undefined;
      this.#typing = undefined;
      this.#state.forget();
    }
  }

  async #untilPrompt(options: RunOptions & { readonly run: RunWait }): Promise<Outcome> {
    try {
      const { isGivingUp } = this.#state;
      const { timeoutMs = readDefaults.timeoutMs } = isGivingUp ? await this.#untilGivenUp(options) : options;
      if (this.#state.place === "typed" && (await this.#isStillEditing({ ...options, timeoutMs })))
        return { reason: "quiet", asks: "command", foreground: null };
      return await this.#until({ ...options, strategy: "auto", timeoutMs }, Number.POSITIVE_INFINITY, null);
    } catch (error) {
      if (options.signal?.aborted === true) throw notTyped(options.signal.reason);
      throw error;
    }
  }

  /** Something was typed at the prompt of a shell that is handed commands, and it has begun nothing: it says itself whether its line is empty. */
  async #isStillEditing({ timeoutMs = readDefaults.timeoutMs, signal }: RunOptions): Promise<boolean> {
    if (!this.#takesCommands) return false;
    const wait = { strategy: "quiet", quietMs: readinessTimes.reaction.ms, timeoutMs, signal } as const;
    const { reason } = await this.#until(wait, Number.POSITIVE_INFINITY, null);
    return reason === "quiet" && this.#takesCommands;
  }

  /**
   * A shell drops keys that come while it gives a line up. Readline 8.2 can miss a Ctrl-C that comes just before it reads: then it gives
   * the line up only with the next key, which it drops, and a second Ctrl-C is that key. A shell may also say nothing of Ctrl-C at an empty
   * prompt: after 2 s the kernel's word counts. Returns the time that is left.
   */
  async #untilGivenUp({ timeoutMs = readDefaults.timeoutMs, signal }: RunOptions): Promise<{ timeoutMs: number }> {
    const startMs = performance.now();
    const endMs = startMs + Math.min(timeoutMs, waits.partMs);
    for (let isAgain = false; this.#state.isGivingUp; isAgain = true) {
      const restMs = endMs - performance.now();
      if (restMs <= 0) break;
      const waitMs = Math.min(restMs, waits.interruptMs);
      const wait = { strategy: "mark", timeoutMs: waitMs, signal } as const;
      const { reason } = await this.#until(wait, Number.POSITIVE_INFINITY, null);
      if (reason === "timeout" && this.#state.isGivingUp) await this.#write(CTRL_C);
      // The prompt may come of the Ctrl-C before.
      else if (isAgain)
        await this.#until({ strategy: "quiet", timeoutMs: waitMs, signal }, Number.POSITIVE_INFINITY, null);
    }
    return { timeoutMs: Math.max(0, timeoutMs - (performance.now() - startMs)) };
  }

  #mayType(before: Outcome, run: RunWait): boolean {
    const { place: shell, takesPaste, isFullScreen, openLine: line } = this.#state;
    const rules = this.#promptRules(run);
    const openLine = rules === null ? "unknown" : readOpenLine(rules, before.foreground, line);
    const hasMarks = this.#source.nonce !== null;
    return mayTypeCommand({ ...before, openLine, shell, hasMarks, takesPaste, isFullScreen }, run);
  }

  /** The shell with marks reads a line, with an editor, and has a directory from which it takes commands. */
  get #takesCommands(): boolean {
    const { place, standing, takesPaste } = this.#state;
    if (this.#source.actDirectory === null || (place !== "prompt" && place !== "typed")) return false;
    // Only of a shell that does not ask for pastes it has to be found out.
    return takesPaste || (this.#source.probe?.() ?? standing)?.canonical !== true;
  }

  #typingPlace({ foreground }: Outcome, { inside }: RunWait): CommandPlace {
    const { openLine, place, takesPaste } = this.#state;
    const hasMarks = place === "prompt" || place === "typed";
    const { actDirectory } = this.#source;
    return { foreground, takesPaste, hasMarks, openLine, command: this.#command, inside, directory: actDirectory };
  }

  /** The prompt behind the output of a command; empty if it is not known. */
  #promptOf({ asks, foreground }: Outcome, run: RunWait): string {
    const rules = asks === "command" ? this.#promptRules(run) : null;
    return rules === null ? "" : promptAt(rules, foreground, this.#state.lastLine);
  }

  #take(maxBytes?: number): { readonly text: string; readonly bytes: Uint8Array } {
    this.#refuseWhileReading();
    return this.#taken(maxBytes);
  }

  #taken(maxBytes?: number): { readonly text: string; readonly bytes: Uint8Array } {
    const reading = this.#state.take(maxBytes);
    this.#makeRoom();
    return reading;
  }

  get #isFull(): boolean {
    return this.#state.unreadBytes >= UNREAD_BYTES_MAX;
  }

  #makeRoom(): void {
    if (!this.#isPaused || this.#isFull) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#state.wrote(bytes);
    const written = this.#source.write(bytes);
    if (written !== undefined) await written;
  }

  readonly #receive = (item: SourceItem): void => {
    switch (item.type) {
      case "output":
        return this.#receiveOutput(item.bytes, item.isKnown);
      case "foreground":
      case "standing":
        this.#state.standing = item.probe;
        return this.#waits.reported(item.probe, item.type === "standing");
      case "input":
        return this.#state.wrote(item.bytes, { isTold: true, isKnown: item.isKnown ?? false });
      case "gap":
        this.#collector?.gap(item.bytes);
        return this.#state.gap(item.isKnown);
      case "exit":
        this.#state.exit = item.exit;
        this.#typing?.end();
        this.#waits.end("exit");
    }
  };

  #receiveOutput(bytes: Uint8Array, isKnown: boolean | undefined): void {
    const steps = this.#state.output(bytes, isKnown);
    const typing = this.#typing;
    if (typing instanceof HandOver) typing.feed(this.#state.lastLine, steps);
    const collector = this.#collector;
    if (collector !== undefined) {
      collector.feed(typing instanceof EnteredLine ? typing.feed(bytes) : bytes, steps);
      // The collector has it; before the shell reports that the command runs it may be needed.
      if (collector.hasStarted || this.#state.unreadBytes > UNREAD_BYTES_MAX) this.#state.forget();
    } else if (this.#isReading && this.#state.unreadBytes >= this.#limit) this.#waits.end("limit");
    // `run` waits for a prompt: what came before its command is not read by it.
    else if (this.#isReading && this.#limit === Number.POSITIVE_INFINITY && this.#isFull) this.#state.forget();
    this.#waits.output(this.#state, steps);
    if (!this.#isFull || this.#isPaused || this.#isReading) return;
    this.#isPaused = true;
    this.#source.pause();
  }
}

/** What comes before `begin` is kept for it. */
async function openedEarly(open: OpenSource) {
  const early: SourceItem[] = [];
  let take = (item: SourceItem): void => void early.push(copied(item));
  const source = await open((item) => take(item));
  const begin = (receive: typeof take): void => {
    take = receive;
    for (const item of early) receive(item);
  };
  return { source, begin };
}

/** Bytes are valid only during the call. */
const copied = (item: SourceItem): SourceItem =>
  (item.type === "output" || item.type === "input") && item.bytes !== null
    ? { ...item, bytes: new Uint8Array(item.bytes) }
    : item;
