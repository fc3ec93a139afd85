/** What a terminal has seen: text that nobody has read yet, history, and what the shell reported last. */
import type { ForegroundLook } from "../core/events/foreground.ts";
import { CommandTracker, type ShellStep } from "../core/readiness/command-tracker.ts";
import { isCommandPrompt } from "../core/dialogs/repl-prompt.ts";
import { LearnedPrompts } from "../core/readiness/learned-prompts.ts";
import type { ShellPlace } from "../core/readiness/shell-wait.ts";
import { ByteRing } from "../core/bytes/byte-ring.ts";
import { awaitsInput } from "../core/records.ts";
import { LOOK_BACK_BYTES } from "../core/text/sanitizer-behind.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";
import { isTyped } from "../core/typing/typing.ts";
import { ChangedModes } from "../core/vt/changed-modes.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { TerminalSource } from "./terminal-source.ts";

export interface Reading {
  /** As a person would read it. */
  readonly text: string;
  /** As the program wrote it. */
  readonly bytes: Uint8Array;
}

/** A terminal into which a command is typed. */
export interface TypedTerminal {
  readonly source: TerminalSource;
  readonly state: TerminalState;
}

export const CTRL_C = Uint8Array.of(0x03);

/** Output is read into text when somebody wants the text, or when this much waits. */
const UNSEEN_BYTES_MAX = 256 * 1024;

const EMPTY = new Uint8Array(0);

export class TerminalState {
  readonly #sanitizer = new Sanitizer();
  readonly #modes = new ChangedModes();
  readonly #tracker: CommandTracker;
  readonly #history: TextTail;
  readonly prompts = new LearnedPrompts();
  #offset = 0;
  /** What nobody has read. */
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** The end of what was read before it. */
  readonly #before = new ByteRing({ bytesMax: LOOK_BACK_BYTES });
  /** What the sanitizer has not seen: most commands are over before somebody wants to know. */
  #unseen: Uint8Array[] = [];
  #unseenBytes = 0;
  /** Finished lines that nobody has read. */
  #text = "";
  /** What of the open line was given out already: without it a prompt would be read twice. */
  #givenOfLine = "";
  /** So many pieces of what is unseen were read already, by somebody who took the bytes. */
  #forgotten = 0;
  #place: ShellPlace;
  /** Something was typed, and nothing has come since. */
  #isUnanswered = false;
  /** Ctrl-C was typed last. */
  #isInterrupted = false;
  /** The last probe result that was reported. */
  standing: ForegroundLook | null = null;
  exit: ExitStatus | undefined;

  constructor(options: { readonly nonce: string | null; readonly history: TextTail }) {
    this.#tracker = new CommandTracker({ nonce: options.nonce });
    this.#history = options.history;
    this.#place = options.nonce === null ? "none" : "starting";
  }

  get place(): ShellPlace {
    return this.#place;
  }

  /** The line editor of a shell got Ctrl-C last, and has not come to a prompt again. */
  get isGivingUp(): boolean {
    return this.#place === "typed" && this.#isInterrupted;
  }

  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  get lastLine(): string {
    this.#see();
    return this.#sanitizer.pending;
  }

  /** The same with a prompt that late output has scrolled away. */
  get openLine(): string {
    return this.prompts.lineOf(this.lastLine);
  }

  /** The program reads the terminal's answer, and nobody's keys. */
  get awaitsReply(): boolean {
    return this.#modes.asksForCursor;
  }

  /** A program is on the whole screen. */
  get isFullScreen(): boolean {
    return this.#modes.isAlternateScreen;
  }

  get takesPaste(): boolean {
    return this.#modes.isBracketedPaste;
  }

  /** A line may be typed behind the open one, by what the screen shows: the cursor, and no question in front of it. */
  showsPrompt(reader: ForegroundLook | null): boolean {
    if (this.isFullScreen || this.#modes.isCursorHidden) return false;
    return isCommandPrompt(reader ?? { program: null }, this.openLine, this.#history.lastLine);
  }

  get history(): string {
    this.#see();
    return this.#history.text + this.#sanitizer.pending;
  }

  /** Takes output in, and returns what the shell reported in it. */
  output(bytes: Uint8Array): ShellStep[] {
    this.#isUnanswered = false;
    // From the pool of small buffers: a block of memory for each chunk would keep the collector busy.
    const copy = Buffer.from(bytes);
    this.#unread.push(copy);
    this.#unreadBytes += copy.length;
    this.#unseen.push(copy);
    this.#unseenBytes += copy.length;
    if (this.#unseenBytes >= UNSEEN_BYTES_MAX) this.#see();
    this.#modes.feed(copy);
    const steps = this.#tracker.feed(copy, this.#offset);
    this.#offset += copy.length;
    if (this.#mayLearn) this.prompts.printed(this.#reader, copy, this.lastLine);
    for (const step of steps) this.#place = placeAfter(step) ?? this.#place;
    return steps;
  }

  /** Output is missing here. */
  gap(): void {
    this.prompts.typed(null);
    this.#see();
    this.#sanitizer.gap();
    this.#modes.gap();
    this.#tracker.gap();
    if (this.#place === "running" || this.#place === "typed") this.#place = "between";
  }

  /** Input was typed: the prompt is not there any more. Null where it is not known what: an own Ctrl-C, told again, is still the last. */
  wrote(bytes: Uint8Array | null, isTold = false): void {
    this.#isUnanswered = true;
    if (bytes === null || isTyped(bytes)) this.#typed(bytes, isTold);
    if (bytes !== null) this.#isInterrupted = bytes.at(-1) === CTRL_C[0];
    if (this.#place === "prompt" || this.#place === "continuation") this.#place = "typed";
  }

  /** The terminal has answered the program. */
  replied(): void {
    this.#modes.asksForCursor = false;
  }

  /** A program reads and nothing moves: the open line is its prompt unless that is known. */
  learnPrompt(reader: ForegroundLook | null, options?: { readonly takesBlank: boolean }): void {
    if (!this.#mayLearn) return;
    this.prompts.learn(reader, this.openLine, options);
    if (reader !== null) this.prompts.saw(reader, this.openLine);
  }

  #typed(bytes: Uint8Array | null, isTold: boolean): void {
    const reader = bytes === null ? null : this.#reader;
    this.prompts.typed(bytes, reader, reader === null ? "" : this.openLine, isTold);
  }

  /** The program that reads, by the last report. */
  get #reader(): ForegroundLook | null {
    return this.standing !== null && awaitsInput(this.standing.verdict) && this.#mayLearn ? this.standing : null;
  }

  /** A shell with marks reports its prompts itself: only programs in front of it are learned. */
  get #mayLearn(): boolean {
    return !this.isFullScreen && ["none", "starting", "running"].includes(this.#place);
  }

  /** What nobody has read yet, at most `bytesMax` of it: as a whole where that is left out. */
  take(bytesMax = Number.POSITIVE_INFINITY): Reading {
    this.#see();
    if (this.#unreadBytes > bytesMax) return this.#takePart(bytesMax);
    const bytes = this.#unread.length === 1 ? (this.#unread[0] ?? EMPTY) : Buffer.concat(this.#unread);
    const open = this.#sanitizer.pending;
    const text = withoutGiven(this.#text + open, this.#givenOfLine);
    this.#givenOfLine = open;
    this.#text = "";
    this.#before.append(bytes);
    this.#unread = [];
    this.#unreadBytes = 0;
    return { text, bytes };
  }

  /** Reads all that nobody has read, for whoever has it from somewhere else. */
  forget(): void {
    for (const piece of this.#unread) this.#before.append(piece);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#text = "";
    this.#forgotten = this.#unseen.length;
    if (this.#forgotten === 0) this.#givenOfLine = this.#sanitizer.pending;
  }

  /** For the next terminal on the same program: this one was closed while it ran. */
  atRest(): this {
    this.forget();
    this.#see();
    this.exit = undefined;
    return this;
  }

  /** The last output, read or not. */
  get tail(): Uint8Array {
    return Buffer.concat([this.#before.tail(LOOK_BACK_BYTES), ...this.#unread]).subarray(-LOOK_BACK_BYTES);
  }

  /** Brings the text up to date. */
  #see(): void {
    for (const [index, bytes] of this.#unseen.entries()) {
      const lines = this.#sanitizer.feed(bytes);
      this.#history.append(lines);
      if (index >= this.#forgotten) this.#text += lines;
      else this.#givenOfLine = this.#sanitizer.pending;
    }
    this.#unseen = [];
    this.#unseenBytes = 0;
    this.#forgotten = 0;
  }

  /** The first bytes; their text is read by itself, so that it fits to them. */
  #takePart(bytesMax: number): Reading {
    const all = Buffer.concat(this.#unread);
    const [bytes, rest] = [all.subarray(0, bytesMax), all.subarray(bytesMax)];
    const part = new Sanitizer();
    part.skip(this.#before.tail(LOOK_BACK_BYTES));
    this.#before.append(bytes);
    const text = part.feed(bytes) + part.end();
    const after = new Sanitizer();
    after.skip(this.#before.tail(LOOK_BACK_BYTES));
    this.#text = after.feed(rest);
    // Of the open line the end is left: the sanitizer has all of it.
    const open = this.#sanitizer.pending;
    this.#givenOfLine = open.endsWith(after.pending) ? open.slice(0, open.length - after.pending.length) : "";
    this.#unread = [rest];
    this.#unreadBytes = rest.length;
    return { text, bytes };
  }
}

function placeAfter(step: ShellStep): ShellPlace | undefined {
  switch (step.type) {
    case "command-start":
      return "running";
    case "command-end":
      return "between";
    case "prompt":
      return "prompt";
    case "continuation":
      return "continuation";
    case "act":
    case "output":
      return undefined;
  }
}

/** A line that was overwritten since is given as a whole. */
const withoutGiven = (text: string, given: string): string =>
  text.startsWith(given) ? text.slice(given.length) : text;

const BLOCK_CHARS = 64 * 1024;

/** The end of a long text. Pieces are gathered into blocks, so that neither adding nor dropping costs more than what is added. */
export class TextTail {
  readonly #charsMax: number;
  #blocks: string[] = [];
  /** Together less than a block. */
  #pieces: string[] = [];
  #piecesChars = 0;
  #chars = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get text(): string {
    return [...this.#blocks, ...this.#pieces].join("").slice(-this.#charsMax);
  }

  /** Without its line feed; empty if the last line has none. It is not cut from the whole text, which costs milliseconds where it is long. */
  get lastLine(): string {
    const piece = this.#pieces.at(-1) ?? this.#blocks.at(-1) ?? "";
    return piece.endsWith("\n") ? piece.slice(piece.lastIndexOf("\n", piece.length - 2) + 1, -1) : "";
  }

  /** A piece consists of whole lines. */
  append(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#piecesChars += piece.length;
    this.#chars += piece.length;
    if (this.#piecesChars < BLOCK_CHARS) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#piecesChars = 0;
    while (this.#chars - (this.#blocks[0]?.length ?? 0) >= this.#charsMax)
      this.#chars -= this.#blocks.shift()?.length ?? 0;
  }
}
