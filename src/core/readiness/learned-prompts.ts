/**
 * The prompts of the programs in a terminal, each learned from the open line when its program was first ready. A pager, a
 * question and a continuation read the terminal as well: a command is typed only behind a prompt, and only a prompt ends it.
 *
 * Law: when in doubt, a line is not a prompt. The prompt of a program may be corrected until something is typed, and never after that.
 */
import { isShellProgram } from "../agents/command-line.ts";
import { looksLikePrompt } from "../agents/cursor-line.ts";
import { lineQuestion } from "../dialogs/line-question.ts";
import { isMorePrompt, isPager, isReplPrompt } from "../dialogs/repl-prompt.ts";
import type { ForegroundLook } from "../events/foreground.ts";
import type { ForegroundVerdict } from "../records.ts";
import { asksForPassword } from "./password-prompt.ts";
import { findByte } from "../bytes/find-byte.ts";
import { joinBytes } from "../bytes/joining.ts";
import { Sanitizer } from "../text/sanitizer.ts";

// Whether a program still stands at its prompt though late output has scrolled that away: a timer or a thread prints, and the line editor
// draws nothing anew. It does while nothing is typed behind a prompt that was seen.
//
// Law: when in doubt it does not. Before the echo of the line that was typed has ended, and where several lines were typed, what is like
// the prompt may be part of the echo, or be followed by the next line; only the kernel's word that the program reads counts then.

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Of a longer open line the end is kept. */
const OPEN_BYTES_MAX = 1000;
const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

export class StandingPrompt {
  #line: string | null = null;
  /** A prompt that is drawn with escape sequences: what a command prints is not the same. */
  #drawn: { readonly line: string; readonly bytes: Uint8Array } | null = null;
  /** What came since the last line feed, and since something was typed. */
  #open: Uint8Array = EMPTY;
  #typedLines = 0;
  #hasEchoed = true;
  /** Of those that this terminal has typed. */
  #untoldLines = 0;

  /** The prompt; null where the program is not known to stand there. */
  get line(): string | null {
    return this.#line;
  }

  /** A program reads and nothing moves, and the open line is its prompt. */
  seen(line: string): void {
    this.#line = line;
    this.#typedLines = 0;
    const isDrawn = this.#open.length > encoder.encode(line).length && textOf(this.#open) === line;
    if (isDrawn) this.#drawn = { line, bytes: this.#open };
  }

  /**
   * Null: it is not known what was typed. `isTold`: the journal tells it; what this terminal types itself is told again, and the end of a line
   * apart from the line.
   */
  typed(bytes: Uint8Array | null, isTold = false): void {
    const lines = bytes === null ? 2 : bytes.filter((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN).length;
    const known = isTold ? Math.min(lines, this.#untoldLines) : 0;
    this.#untoldLines += isTold ? -known : lines;
    this.#typedLines += lines - known;
    this.#hasEchoed = false;
    this.#line = null;
    this.#open = EMPTY;
  }

  /** Output came, behind which the open line is or is not a prompt. */
  printed(bytes: Uint8Array, line: string, isPrompt: boolean): void {
    const all = joinBytes(this.#open, bytes);
    const lineAt = all.lastIndexOf(LINE_FEED) + 1;
    const hadEchoed = this.#hasEchoed;
    this.#hasEchoed ||= lineAt > 0;
    this.#open = all.slice(Math.max(lineAt, all.length - OPEN_BYTES_MAX));
    if (!this.#hasEchoed || this.#typedLines > 1) return;
    const echoEnd = hadEchoed ? 0 : findByte(all, LINE_FEED, 0) + 1;
    const isDrawn = this.#drawn !== null && indexOf(all, this.#drawn.bytes, echoEnd) !== -1;
    if (isPrompt) this.#line = line;
    else if (isDrawn && this.#drawn !== null) this.#line = this.#drawn.line;
    else return;
    this.#typedLines = 0;
  }
}

function textOf(bytes: Uint8Array): string {
  const sanitizer = new Sanitizer();
  return sanitizer.feed(bytes) + sanitizer.end();
}

/** Where `part`, which is not empty, is in `bytes`, from an index on; -1 where it is not. */
function indexOf(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = findByte(bytes, part[0] ?? 0, from); at !== -1; at = findByte(bytes, part[0] ?? 0, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/**
 * What the open line of a program that reads shows.
 * - `prompt`: the program reads a command
 * - `more`: the rest of one
 * - `blank`: nothing, and its prompt is not known: it may have none, or draw it in a moment
 * - `output`: its prompt is known, and stands nowhere in the line, nor does a question
 * - `other`: a pager, a question, a line that somebody has begun to type
 * - `unknown`: its prompt is not known, and this does not look like one
 */
export type OpenLine = "prompt" | "more" | "blank" | "output" | "other" | "unknown";

type Reader = Pick<ForegroundLook, "pid" | "program" | "verdict" | "runsScript" | "timerAtMs">;

interface LearnedPrompt {
  readonly pid: number;
  readonly text: string;
  /** How it reads there; null if the kernel did not report it. */
  readonly verdict: ForegroundVerdict | null;
  /** Something was typed since: it is not replaced. */
  readonly isFirm: boolean;
}

/** What a wait needs to recognize a prompt, plain data. */
export interface PromptRules {
  readonly learned: readonly LearnedPrompt[];
  /** The timer that was pending at the last prompt, such as that of a garbage collector. */
  readonly restingTimerMs: number | undefined;
  /** The program whose prompts count besides those of shells: `any` until one was learned. */
  readonly owner: number | "any" | "none";
  /** Programs in front of the owner count too. */
  readonly inside: boolean;
  /** Texts at the end of a line that are prompts for the caller. */
  readonly markers: readonly string[];
  /** Silence counts only at a prompt. */
  readonly isRequired: boolean;
}

/** The newest ones: programs that were started in each other. */
const PROGRAMS_MAX = 8;
/** A shorter prompt is not recognized behind output that ends without a line feed: too many lines end like it, but where the kernel tells. */
const SUFFIX_CHARS_MIN = 3;
/** Of a longer line the end is compared. */
const LINE_CHARS_MAX = 1000;
/** Stands for the process id of the program where there are no probes. */
const UNKNOWN_PID = 0;
/** Python and Node, SQLite, psql's and MySQL's quotes, Lua, R, PHP, Perl's debugger, Elixir. */
const continuation =
  /^(?:\s*\.\.\.(?:\(\d+\))?>? ?|\(x?\d+\.\.\.> ?|\s*[-'"`]> ?|\s*\/\*> ?|\|\s*|\+ |>{1,2} ?|\s*cont: |php [{('"*] )$/;
const question = /(?:[?:)\]>$#%]|--)\s*$/;
const sigil = /[$#%>❯➜»λ]\s*$/u;

export class LearnedPrompts {
  #learned: readonly LearnedPrompt[] = [];
  #owner: number | null = null;
  readonly #standing = new StandingPrompt();
  /** What was at its prompt last. */
  #reader: Reader | null = null;
  #restingTimerMs: number | undefined;

  /** `reader` reads and nothing moves; null without probes. `takesBlank`: it had the time to draw a prompt. */
  learn(reader: Reader | null, line: string, { takesBlank = false }: { readonly takesBlank?: boolean } = {}): void {
    const pid = reader?.pid ?? UNKNOWN_PID;
    if (this.#learned.some((each) => each.pid === pid && each.isFirm)) return;
    const openLine = readFirstLine(reader, line);
    if (openLine !== "prompt" && (openLine !== "blank" || !takesBlank)) return;
    const others = this.#learned.filter((each) => each.pid !== pid);
    const prompt = {
      pid,
      text: line.slice(-LINE_CHARS_MAX),
      verdict: verdictOf(reader),
      isFirm: false,
    };
    this.#learned = [...others.slice(1 - PROGRAMS_MAX), prompt];
    this.#owner ??= pid;
  }

  /** `reader` reads and nothing moves, and this is the open line. */
  saw(reader: Reader, line: string): void {
    if (!this.#isPrompt(reader, line)) return;
    this.#standing.seen(line);
    this.#reader = reader;
    this.#restingTimerMs = reader.timerAtMs;
  }

  /** Output came. `reader` reads, by the last report, which may be from before the prompt that is printed: null where none does. */
  printed(reader: Reader | null, bytes: Uint8Array, line: string): void {
    const atPrompt = reader ?? this.#reader;
    this.#standing.printed(bytes, line, atPrompt !== null && this.#isPrompt(atPrompt, line));
  }

  /** The open line, or the prompt that late output has scrolled away. */
  lineOf(line: string): string {
    return line.trim() === "" ? (this.#standing.line ?? line) : line;
  }

  #isPrompt(reader: Reader, line: string): boolean {
    const rules = this.rules({ hasOwner: true, inside: true, markers: [], isRequired: true });
    return readOpenLine(rules, reader, line) === "prompt";
  }

  /** Something was typed, null where it is not known what: `reader` is what read it, if that is known. `isTold`: see `StandingPrompt`. */
  typed(bytes: Uint8Array | null, reader: Reader | null = null, line = "", isTold = false): void {
    this.#standing.typed(bytes, isTold);
    if (bytes === null) return;
    if (reader !== null && verdictOf(reader) !== null) this.learn(reader, line);
    this.#learned = this.#learned.map((each) => ({ ...each, isFirm: true }));
  }

  /** `hasOwner`: false for the terminal of a shell with marks, where any other program is in front of the shell. */
  rules({
    hasOwner,
    ...options
  }: Pick<PromptRules, "inside" | "markers" | "isRequired"> & { readonly hasOwner: boolean }): PromptRules {
    return {
      ...options,
      learned: this.#learned,
      restingTimerMs: this.#restingTimerMs,
      owner: hasOwner ? (this.#owner ?? "any") : "none",
    };
  }
}

/** Reads the open line: the text behind the last line feed. */
export function readOpenLine(rules: PromptRules, reader: Reader | null, wholeLine: string): OpenLine {
  const line = wholeLine.slice(-LINE_CHARS_MAX);
  if (rules.markers.some((marker) => marker !== "" && line.endsWith(marker))) return "prompt";
  const pid = reader?.pid ?? UNKNOWN_PID;
  const isShell = isShellReader(reader);
  const counts = isShell || rules.inside || rules.owner === "any" || rules.owner === pid;
  if (!counts) return "other";
  const known = rules.learned.find((each) => each.pid === pid);
  if (known?.isFirm !== true) return readFirstLine(reader, line);
  // A line editor that was seen reads no whole lines.
  if (known.verdict === "raw" && verdictOf(reader) === "prompt") return "other";
  if (promptPart(known.text, line, reader) !== null) return "prompt";
  if (isContinuation(known.text, line, isShell)) return "more";
  return line.startsWith(known.text) || question.test(line) ? "other" : "output";
}

/** Whether a program whose prompt is known reads keys now, and looks up now and then: no event loop, which may have any timer. */
export const pollsKeys = ({ learned }: PromptRules, { pid, verdict, timerAtMs }: Reader): boolean =>
  verdict === "listening" && timerAtMs === undefined && learned.some((each) => each.pid === pid);

/** Whether a prompt is known by more than its looks: the caller has named it, or somebody has typed behind it before. */
export const isProvenPrompt = ({ learned, markers }: PromptRules, reader: Reader | null, line: string): boolean =>
  learned.some(({ pid, isFirm }) => isFirm && pid === (reader?.pid ?? UNKNOWN_PID)) ||
  markers.some((marker) => marker !== "" && line.endsWith(marker));

/** The prompt at the end of the line; the whole line if it is that of no program that is known. */
export function promptAt(rules: PromptRules, reader: Reader | null, line: string): string {
  const known = rules.learned.find(({ pid }) => pid === (reader?.pid ?? UNKNOWN_PID));
  const part = known === undefined ? null : promptPart(known.text, line, reader);
  return part ?? line;
}

/** Of a program whose prompt is not known. */
function readFirstLine(reader: Reader | null, line: string): OpenLine {
  const program = reader?.program ?? null;
  if (isPager(program) || reader?.runsScript === true) return "other";
  const verdict = verdictOf(reader);
  if (line.trim() === "") return verdict === null ? "unknown" : "blank";
  if (asksForPassword(line) || lineQuestion(line) !== null) return "unknown";
  if (isReplPrompt(program, line)) return "prompt";
  // A line editor of a shell: its user may have given it any prompt.
  const isLineEditor = isShellReader(reader) && verdict === "raw";
  return isLineEditor && !continuation.test(line) && !/[?:]\s*$/.test(line) ? "prompt" : "unknown";
}

/**
 * The part of `line` that is the prompt; null if it is not there. Numbers may differ, and so may the text between the first word and the
 * last sign, such as a directory or the name of a database. Of dash the kernel tells a prompt from `read`.
 */
function promptPart(text: string, line: string, reader: Reader | null): string | null {
  const isShell = isShellReader(reader);
  const isTold =
    /^(?:d?a)?sh$/.test(reader?.program ?? "") && reader?.verdict === "prompt" && reader.runsScript === false;
  const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\d+/g, String.raw`\d+`);
  const part = new RegExp(`${pattern}$`).exec(line)?.[0];
  if (part === line) return line;
  if (part !== undefined && (isTold || part.replaceAll(/\s/g, "").length >= SUFFIX_CHARS_MIN)) return part;
  const isSame =
    endsAlike(text, line) && (isShell ? !/^\W\s*$/u.test(text) : headOf(text) !== "" && headOf(text) === headOf(line));
  return isSame || (isShell && hasSameSign(text, line)) ? line : null;
}

/** Up to the first sign behind the first word: `user@`, `postgres=`, `MariaDB [`, `irb(`. */
const headOf = (text: string): string => (/^\W{0,3}\w+[^\w\s]?(?: \[)?/.exec(text)?.[0] ?? "").replaceAll(/\d+/g, "0");

/** With the same sign, and only there: behind a prompt something may have been typed. */
function endsAlike(text: string, line: string): boolean {
  const end = sigil.exec(text)?.[0];
  return (
    end !== undefined && looksLikePrompt(line) && line.endsWith(end) && line.indexOf(end) === line.length - end.length
  );
}

/**
 * Shells whose prompt begins with its sign, and ends with a directory: no further word stands behind that, which somebody has begun to
 * type, only what themes add, such as `git:(main) ✗`.
 */
function hasSameSign(text: string, line: string): boolean {
  const sign = /^[^\w\s~/[({<]\s+/u.exec(text)?.[0];
  if (sign === undefined || text.length === sign.length || !line.startsWith(sign) || /[?:]\s*$/.test(line))
    return false;
  const [, ...added] = line.slice(sign.length).trim().split(/\s+/);
  return /\s$/.test(line) === /\s$/.test(text) && added.every((word) => /^(?:\w*:?\(.*\)|[^\w\s/~.-]+)$/u.test(word));
}

function isContinuation(text: string, line: string, isShell: boolean): boolean {
  if (continuation.test(line) || (isShell && isMorePrompt(line))) return true;
  const [word = ""] = /^\w+/.exec(text) ?? [];
  const isAlike = word !== "" && line.startsWith(word) && !line.startsWith(text);
  return isAlike && line.length <= text.length + SUFFIX_CHARS_MIN && !/\w \w/.test(line);
}

const isShellReader = (reader: Reader | null): boolean => reader?.program != null && isShellProgram(reader.program);

/** Null for what does not wait for a person. */
function verdictOf(reader: Reader | null): "raw" | "prompt" | null {
  const verdict = reader?.verdict;
  return verdict === "raw" || verdict === "prompt" ? verdict : null;
}
