/** One command in a terminal: what to type, what of the output is its output, and what came of it. */
import { LecternError } from "../core/errors.ts";
import { isShellProgram } from "../core/agents/command-line.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { ShellStep } from "../core/readiness/command-tracker.ts";
import type { OpenLine } from "../core/readiness/learned-prompts.ts";
import { isReady, type Asks, type ReadyReason } from "../core/readiness/readiness.ts";
import type { ShellPlace } from "../core/readiness/shell-wait.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { CommandOutput, type CommandOutputOptions, type OmittedOutput } from "./command-output.ts";

/** The result of a command. */
export interface RunResult {
  /**
   * False where nothing was typed, because the program was not at its prompt; `reason` and `asks` say what it did. Also where a shell has
   * read the command and ran nothing, because it is empty, a comment, not valid, or was given up with Ctrl-C: then `asks` is `command`, and `output` has what the shell said.
   */
  readonly ran: boolean;
  /** What ended the wait. `timeout`: the command goes on. */
  readonly reason: ReadyReason;
  /** The command is over: the shell has reported it, or the program is at its prompt again. */
  readonly ended: boolean;
  /** What the program waits for now: `command` where it is done; else the command asks for something, such as a pager for keys. */
  readonly asks: Asks | null;
  /** What the command printed, as a person would read it, without echo and prompt. */
  readonly output: string;
  /**
   * The same as it was written, exact where the shell gives marks (then `exact` is true); else everything behind the echo, with the prompt. In a terminal that is
   * attached to a session: the bytes of `output`, because the daemon has read it; the journal has what was written.
   */
  readonly bytes: Uint8Array;
  readonly exact: boolean;
  /** Null where the shell did not say: no marks, or the command has not ended. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Null where `output` is whole. */
  readonly omitted: OmittedOutput | null;
  /** The last probe result; null if none was taken, or if the shell itself has reported the end. */
  readonly foreground: ForegroundLook | null;
  /** How the program of the terminal ended, where it did. */
  readonly exit: ExitStatus | null;
}

/** Their line editors ask for bracketed paste while they read a command, and `read` and `select` do not. */
const pastingShells = new Set(["bash", "fish", "zsh"]);

/**
 * True where a shell edits a line although no mark has told it: one that asks a question (`read`) or runs a script that does stands in front as
 * well. Of dash and its like only the prompt tells the two apart.
 */
export function isShellAtPrompt(probe: ForegroundLook | null, takesPaste: boolean): boolean {
  // What else is in front (a question, `ssh`) might take the command for an answer.
  if (probe?.program == null || !isShellProgram(probe.program) || probe.runsScript === true) return false;
  return !pastingShells.has(probe.program) || (probe.verdict !== "prompt" && takesPaste);
}

/** What a wait for a prompt has found, and what is known of the terminal then. */
export interface TypingPlace {
  readonly asks: Asks | null;
  readonly reason: ReadyReason;
  readonly foreground: ForegroundLook | null;
  readonly openLine: () => OpenLine;
  readonly shell: ShellPlace;
  /** The program of the terminal is a shell that was asked for marks. */
  readonly hasMarks: boolean;
  readonly takesPaste: boolean;
  readonly isFullScreen: boolean;
  /** False where a program that takes single keys shows nothing but a line like a prompt, which may be a menu. */
  readonly showsPrompt: () => boolean;
}

/** A command is typed at a prompt, and never into a question, a pager, a password or a program on the whole screen. */
export function mayTypeCommand(place: TypingPlace, { inside }: { readonly inside: boolean }): boolean {
  const { asks, reason, foreground, openLine, shell, hasMarks, takesPaste, isFullScreen, showsPrompt } = place;
  if (!isReady(place) || asks === "password" || asks === "more" || isFullScreen) return false;
  if (reason === "mark") return true;
  // The start of a command may be too far back to be seen: a shell with marks edits its line, and so reads keys.
  const isInFront = shell === "running" || (hasMarks && foreground?.verdict === "prompt");
  if (isInFront && !inside && !isShellAtPrompt(foreground, takesPaste)) return false;
  // Where no prompt is known, the caller's word counts, but for a program that takes single keys: one could be an answer.
  const isShell = foreground?.program != null && isShellProgram(foreground.program);
  const readsLines = takesPaste || foreground?.isRelay === true || foreground?.canonical !== false;
  if (!readsLines && !isShell && !showsPrompt()) return false;
  if (asks === "command") return true;
  const line = openLine();
  return (line === "blank" && takesPaste) || (line === "unknown" && inside && readsLines);
}

/** Takes what comes after a command was typed, and makes the result of it. */
export class RunCollector {
  /** The marks of the shell delimit the output; without them everything but the echo and the prompt is output. */
  readonly byMarks: boolean;
  /** The shell was asked for marks, and may give them yet. */
  readonly #hasMarks: boolean;
  readonly #line: string | null;
  /** Between the marks. */
  readonly #marked: CommandOutput;
  /** Everything up to where the shell says that it runs nothing, until it says that the command runs. */
  readonly #all: CommandOutput;
  readonly #onStarted: (() => void) | undefined;
  readonly #typedAtMs: number;
  #startedAtMs: number | undefined;
  #endedAtMs: number | undefined;
  #exitCode: number | null = null;
  #hasGap = false;
  /** The shell has read the command, and runs nothing. */
  #isSkipped = false;

  /**
   * `handed`: the command, where a shell has fetched it and shows it in its line; null for one that was typed, whose echo is not fed. `onStarted` is
   * called where the shell reports that the command runs.
   */
  constructor(
    how: { byMarks: boolean; hasMarks: boolean; handed: string | null; onStarted?: (() => void) | undefined },
    options: CommandOutputOptions,
  ) {
    this.byMarks = how.byMarks;
    this.#hasMarks = how.hasMarks;
    this.#line = how.handed;
    this.#marked = new CommandOutput(options);
    this.#all = new CommandOutput(options);
    this.#onStarted = how.onStarted;
    this.#typedAtMs = performance.now();
  }

  /** The command runs, by the word of the shell. */
  get hasStarted(): boolean {
    return this.#startedAtMs !== undefined;
  }

  /** The shell has not yet said that the command runs, or that it runs nothing. */
  get awaitsStart(): boolean {
    return !this.hasStarted && !this.#isSkipped;
  }

  /** Output was gone before it was read, and with it perhaps the marks: what follows is output, until the wait ends. */
  gap(bytes: number): void {
    if (this.#endedAtMs !== undefined) return;
    this.#hasGap = true;
    this.#all.gap(bytes);
    this.#marked.gap(bytes);
  }

  feed(bytes: Uint8Array, steps: readonly ShellStep[]): void {
    // Behind the answer the prompt is drawn, in as many rows as it has.
    const end = steps.find((step) => step.type === "act" && step.answer === "skipped");
    if (!this.#isSkipped && !(this.hasStarted && this.#hasMarks))
      this.#all.feed(end?.type === "act" ? bytes.subarray(0, end.index) : bytes);
    if (this.#hasGap) return this.#marked.feed(bytes);
    for (const step of steps) {
      if (step.type === "output" && this.hasStarted) this.#marked.feed(step.bytes);
      else if (step.type === "act") this.#isSkipped ||= step.answer === "skipped";
      else if (step.type === "command-start") this.#start();
      else if (step.type === "command-end" && this.hasStarted) {
        this.#endedAtMs = performance.now();
        this.#exitCode = step.exitCode;
      }
    }
  }

  #start(): void {
    if (this.hasStarted) return;
    this.#startedAtMs = performance.now();
    this.#onStarted?.();
  }

  /** `prompt` stands behind the output. */
  result(end: RunEnd, prompt: string): RunResult {
    const durationMs = (this.#endedAtMs ?? performance.now()) - (this.#startedAtMs ?? this.#typedAtMs);
    const isOver = isReady(end) && end.asks === "command";
    const isEnded = this.#endedAtMs !== undefined;
    const isMarked = isEnded || (this.#hasMarks && (this.hasStarted || this.#hasGap));
    // The command has taken the marks away: its shell is at its prompt, and has not reported how the command ended.
    const isUnmarked = isMarked && isOver && !isEnded && !this.#hasGap;
    (isMarked ? this.#all : this.#marked).discard();
    const { text: whole, bytes, omitted } = (isMarked ? this.#marked : this.#all).end();
    const text = isMarked || this.#line === null ? whole : withoutLine(whole, this.#line);
    const hasPrompt = isMarked ? isUnmarked : !this.#isSkipped && (end.asks === "command" || end.asks === "more");
    const shown = hasPrompt ? withoutPrompt(text, prompt) : text;
    // Where nothing runs, blank rows are those of the line editor.
    const output = this.#isSkipped && shown.trim() === "" ? "" : shown;
    const ended = !this.#isSkipped && (isEnded || isOver);
    const exact = isMarked && !this.#hasGap && !isUnmarked;
    const result = { ...end, ended, output, bytes, exact, omitted, durationMs };
    return { ...result, ran: !this.#isSkipped, exitCode: this.#exitCode };
  }

  discard(): void {
    this.#marked.discard();
    this.#all.discard();
  }
}

/** In front of the line the prompt may be drawn again; behind it fish has a blank, or what it suggests. */
function withoutLine(text: string, line: string): string {
  const at = text.indexOf(line);
  return at === -1 || text.slice(0, at).includes("\n") ? text : text.slice(text.indexOf("\n", at + line.length) + 1);
}

type RunEnd = Pick<RunResult, "reason" | "asks" | "foreground" | "exit">;

export function notRun(end: RunEnd): RunResult {
  const nothing = { output: "", bytes: new Uint8Array(0), exact: false, exitCode: null, durationMs: 0, omitted: null };
  return { ran: false, ended: false, ...end, ...nothing };
}

/** Throws `CANCELLED`, or the error with which the signal was aborted, before anything is typed. */
export function assertGoesOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw notTyped(signal.reason);
}

/** A daemon that shuts down aborts with an error of its own: nobody has cancelled anything. */
export const notTyped = (cause: unknown): LecternError =>
  cause instanceof LecternError ? cause : new LecternError("CANCELLED", "Cancelled: nothing was typed", { cause });

/**
 * The text before the prompt: without its last line, or only without `prompt` if the text ends with that.
 *
 * @example
 * ```ts
 * withoutPrompt("no line feed>>> ", ">>> "); // "no line feed"
 * ```
 */
export function withoutPrompt(text: string, prompt: string): string {
  const isKnown = prompt !== "" && text.endsWith(prompt);
  return text.slice(0, isKnown ? text.length - prompt.length : text.lastIndexOf("\n") + 1);
}
