/** One start of the program of a terminal: its source, what was seen of it, and the waits for it. A reset makes another one. */
import type { OptionNames } from "../core/option-names.ts";
import type { PromptRules } from "../core/readiness/learned-prompts.ts";
import type { ShellPlace } from "../core/readiness/shell-wait.ts";
import { isTyped } from "../core/typing/typing.ts";
import type { BlobSink } from "./blob-sink.ts";
import type { EnteredLine } from "./entered-line.ts";
import type { HandOver } from "./hand-over.ts";
import { readDefaults } from "./read-defaults.ts";
import type { RunCollector } from "./run-command.ts";
import type { ReadOptions } from "./terminal-options.ts";
import type { OpenSource, SourceItem, TerminalSource } from "./terminal-source.ts";
import { TerminalState, type Reading, type TextTail } from "./terminal-state.ts";
import { TerminalWaits, type Outcome } from "./terminal-waits.ts";

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

export const settingsNames: OptionNames<TerminalSettings> = {
  interactive: true,
  readyMarkers: true,
  historyCharsMax: true,
  blobDirectory: true,
};

/** What the functions that know a source say besides. */
export interface SourceSettings extends TerminalSettings {
  /** A store of outputs instead of a directory. */
  readonly blobs?: BlobSink;
  /** What the terminal has seen, and where its text goes: of an earlier one on the same program, if its source begins where that one ended. */
  readonly state?: TerminalState;
}

export const DEFAULT_MARKERS = ["pwndbg> ", "(gdb) "];
/** While nobody reads, the program is held up when this much waits: nothing is dropped. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

interface WaitOptions extends ReadOptions {
  /** Of `run`, before it types and after it. */
  readonly run?: { readonly inside: boolean };
}

/** What stays the same when the program is started anew. */
export interface TerminalStart {
  readonly open: OpenSource;
  /** Its words. */
  readonly command: readonly string[];
  readonly settings: SourceSettings;
  readonly history: TextTail;
}

interface LinkOptions {
  readonly markers: readonly string[];
  readonly state?: TerminalState | undefined;
  readonly isReset?: boolean;
}

export class TerminalLink {
  readonly source: TerminalSource;
  readonly state: TerminalState;
  readonly start: TerminalStart;
  readonly #waits: TerminalWaits;
  markers: readonly string[];
  isReading: boolean;
  /** Where reads wait for quiet, the first line that is typed waits for the start. */
  hasBegun = false;
  /** What types a command, or asks a widget whether its shell is at its prompt: output is its first. */
  typing: HandOver | EnteredLine | undefined;
  /** Of the command that runs. */
  collector: RunCollector | undefined;
  #isPaused = false;
  #limit: number = readDefaults.maxOutputBytes;

  private constructor(source: TerminalSource, start: TerminalStart, options: LinkOptions) {
    this.source = source;
    this.start = start;
    this.markers = options.markers;
    this.isReading = options.isReset ?? false;
    this.state = options.state ?? new TerminalState({ nonce: source.nonce, history: start.history });
    this.#waits = new TerminalWaits(source);
  }

  static async open(start: TerminalStart, options: LinkOptions): Promise<TerminalLink> {
    // What comes before the source was returned is kept for the link.
    const early: SourceItem[] = [];
    let take = (item: SourceItem): void => void early.push(copied(item));
    const link = new TerminalLink(await start.open((item) => take(item)), start, options);
    take = link.#receive;
    for (const item of early) link.#receive(item);
    return link;
  }

  async close(): Promise<void> {
    this.#waits.close();
    this.#isPaused = false;
    await this.source.close();
    this.state.exit ??= { reason: "lost", code: null, signal: null };
  }

  /** `typedAt`: where the shell was when a line was typed right before; null if none was. */
  async until(options: WaitOptions, bytesMax: number, typedAt: ShellPlace | null): Promise<Outcome> {
    const { place, exit, unreadBytes, isUnanswered, awaitsReply, standing } = this.state;
    const byMarks = this.collector?.byMarks === true;
    const isFull = unreadBytes >= bytesMax && this.collector === undefined;
    this.#limit = bytesMax;
    const strategy = options.strategy ?? ((this.start.settings.interactive ?? true) ? "auto" : "quiet");
    const prompts = strategy === "auto" && !byMarks ? this.promptRules(options.run) : null;
    const outcome = await this.#waits.until(
      {
        strategy,
        foreground: this.source.foreground,
        markers: byMarks ? [] : this.markers,
        timeoutMs: options.timeoutMs ?? readDefaults.timeoutMs,
        settleMs: options.settleMs ?? readDefaults.settleMs,
        quietMs: options.quietMs ?? readDefaults.quietMs,
        // Any program can have printed a mark without a nonce.
        marks: this.source.nonce === null ? "any" : "own",
        place,
        typedAt,
        isUnanswered,
        awaitsReply,
        standing,
        lastLine: byMarks ? "" : this.state.openLine,
        prompts,
      },
      { signal: options.signal, end: exit === undefined ? (isFull ? "limit" : undefined) : "exit" },
    );
    const isAtRest = outcome.reason === "foreground" || outcome.reason === "quiet" || outcome.reason === "marker";
    if (prompts !== null && isAtRest && outcome.asks === "command") this.state.learnPrompt(outcome.foreground);
    return outcome;
  }

  /** Null for the reads of a shell with marks: the marks report what it reads. */
  promptRules(run: WaitOptions["run"]): PromptRules | null {
    const hasOwner = this.source.nonce === null;
    if (run === undefined && !hasOwner) return null;
    const inside = run?.inside ?? false;
    return this.state.prompts.rules({ hasOwner, inside, markers: this.markers, isRequired: run !== undefined });
  }

  taken(maxBytes?: number): Reading {
    const reading = this.state.take(maxBytes);
    this.makeRoom();
    return reading;
  }

  get #isFull(): boolean {
    return this.state.unreadBytes >= UNREAD_BYTES_MAX;
  }

  /** A program that is held up comes to no prompt. */
  goOn(): void {
    if (this.#isPaused) this.state.forget();
    this.makeRoom();
  }

  makeRoom(): void {
    if (!this.#isPaused || this.#isFull) return;
    this.#isPaused = false;
    this.source.resume();
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.state.wrote(bytes);
    const written = this.source.write(bytes);
    if (written !== undefined) await written;
  }

  readonly #receive = (item: SourceItem): void => {
    switch (item.type) {
      case "output":
        return this.#receiveOutput(item.bytes);
      case "foreground":
      case "standing":
        this.state.standing = item.probe;
        return this.#waits.reported(item.probe, item.type === "standing");
      case "input":
        if (item.bytes === null || !isTyped(item.bytes)) this.#replied();
        return this.state.wrote(item.bytes, true);
      case "replied":
        return this.#replied();
      case "gap":
        this.collector?.gap(item.bytes);
        return this.state.gap();
      case "exit":
        this.state.exit = item.exit;
        this.typing?.end();
        this.#waits.end("exit");
    }
  };

  #replied(): void {
    this.state.replied();
    this.#waits.replied();
  }

  #receiveOutput(bytes: Uint8Array): void {
    const steps = this.state.output(bytes);
    const output = this.typing?.feed(bytes, steps) ?? bytes;
    if (this.collector !== undefined) {
      this.collector.feed(output, steps);
      this.state.forget();
    } else if (this.isReading && this.state.unreadBytes >= this.#limit) this.#waits.end("limit");
    // `run` waits for a prompt: what came before its command is not read by it.
    else if (this.isReading && this.#limit === Number.POSITIVE_INFINITY && this.#isFull) this.state.forget();
    this.#waits.output(this.state, steps);
    if (!this.#isFull || this.#isPaused || this.isReading) return;
    this.#isPaused = true;
    this.source.pause();
  }
}

/** Bytes are valid only during the call. */
const copied = (item: SourceItem): SourceItem =>
  (item.type === "output" || item.type === "input") && item.bytes !== null
    ? { ...item, bytes: new Uint8Array(item.bytes) }
    : item;
