/** One command in a terminal: what to type, what of the output is its output, and what came of it. */
import type { ForegroundLook } from "../core/events/foreground.ts";
import { encodePaste } from "../core/input/paste.ts";
import type { ShellStep } from "../core/readiness/command-tracker.ts";
import { isReady, type Asks, type ReadyReason } from "../core/readiness/readiness.ts";
import { splitPrompt, withoutEcho } from "../core/readiness/strip-echo.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { CommandOutput, type CommandOutputOptions, type OmittedOutput } from "./command-output.ts";

/** The result of a command. */
export interface RunResult {
  /** False where nothing was typed, because the program was not at its prompt; `reason` and `asks` say what it did. */
  readonly ran: boolean;
  /** What ended the wait. `timeout`: the command goes on. */
  readonly reason: ReadyReason;
  /** The command is over, as far as is known: the shell has said so, or the program is ready again and asks nothing. */
  readonly ended: boolean;
  /** What the program waits for now: `command` where it is done, `password` or `line` where the command asks for something. */
  readonly asks: Asks | null;
  /** What the command printed, as a person would read it, without echo and prompt. */
  readonly output: string;
  /**
   * The same as it was written, exact where the shell gives marks (then `exact` is true); else everything from the echo to the prompt. In a terminal that is
   * attached to a session: the bytes of `output`, because the daemon has read it; the journal has what was written.
   */
  readonly bytes: Uint8Array;
  readonly exact: boolean;
  /** Null where the shell did not say: no marks, or the command has not ended. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Null where `output` is whole. */
  readonly omitted: OmittedOutput | null;
  /** The last look at the foreground; null where none was taken, or where the shell itself has said it. */
  readonly foreground: ForegroundLook | null;
  /** How the program of the terminal ended, where it did. */
  readonly exit: ExitStatus | null;
}

/** Programs that a command is typed to without being asked: what else is in front (a question, `ssh`) might take it for an answer. */
const shells = new Set(["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"]);
/** Their line editors ask for bracketed paste while they read a command, and `read` and `select` do not. */
const pastingShells = new Set(["bash", "fish", "zsh"]);

/**
 * True where a shell within a running command reads a command itself, as far as can be known: one that asks a question (`read`) or runs a script that does
 * stands in front as well. Of dash and its like nothing tells the two apart.
 */
export function isShellAtPrompt(look: ForegroundLook | null, takesPaste: boolean): boolean {
  if (look?.program == null || !shells.has(look.program)) return false;
  return !pastingShells.has(look.program) || (look.verdict !== "prompt" && takesPaste);
}

/** The bytes that run a command. `paste`: the line editor takes several lines as one. */
export function typedCommand(
  command: string,
  options: { readonly paste: boolean; readonly marks: boolean },
): Uint8Array {
  const enter = options.marks ? "\r" : "\n";
  if (!command.includes("\n")) return Buffer.from(command + enter);
  if (options.paste) return Buffer.concat([encodePaste(Buffer.from(command)), Buffer.from("\r")]);
  // Line by line a shell would run the first ones before it has read the last.
  return Buffer.from(options.marks ? `eval ${ansiQuoted(command)}\r` : `${command}\n`);
}

/** `$'...'` of bash, zsh and ksh. */
const ansiQuoted = (text: string): string =>
  `$'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;

/** Takes what comes after a command was typed, and makes the result of it. */
export class RunCollector {
  readonly #command: string;
  readonly #prompt: string;
  /** The shell says what is output; else everything is, but the echo and the prompt. */
  readonly byMarks: boolean;
  /** Between the marks. */
  readonly #marked: CommandOutput;
  /** Everything, where no marks are to be counted on. */
  readonly #all: CommandOutput | undefined;
  readonly #typedAtMs: number;
  #startedAtMs: number | undefined;
  #endedAtMs: number | undefined;
  #exitCode: number | null = null;

  /** `prompt` is the line that the command is typed behind. */
  constructor(
    typed: { readonly command: string; readonly prompt: string; readonly byMarks: boolean },
    options: CommandOutputOptions,
  ) {
    const { command, prompt, byMarks } = typed;
    this.#command = command;
    this.#prompt = prompt;
    this.byMarks = byMarks;
    this.#marked = new CommandOutput(options);
    if (!byMarks) this.#all = new CommandOutput(options);
    this.#typedAtMs = performance.now();
  }

  /** The command runs, by the word of the shell. */
  get hasStarted(): boolean {
    return this.#startedAtMs !== undefined;
  }

  feed(bytes: Uint8Array, steps: readonly ShellStep[]): void {
    this.#all?.feed(bytes);
    for (const step of steps) {
      if (step.type === "output" && this.hasStarted) this.#marked.feed(step.bytes);
      else if (step.type === "command-start") this.#startedAtMs ??= performance.now();
      else if (step.type === "command-end" && this.hasStarted) {
        this.#endedAtMs = performance.now();
        this.#exitCode = step.exitCode;
      }
    }
  }

  /** `rest` is the text that nobody has read: what came where the shell was to give marks and gave none. */
  result(end: RunEnd, rest: () => { readonly text: string; readonly bytes: Uint8Array }): RunResult {
    const durationMs = (this.#endedAtMs ?? performance.now()) - (this.#startedAtMs ?? this.#typedAtMs);
    const common = { ran: true, ...end, exitCode: this.#exitCode, durationMs };
    if (this.#endedAtMs !== undefined || (this.byMarks && this.hasStarted)) {
      const { text, bytes, omitted } = this.#marked.end();
      this.#all?.discard();
      return { ...common, ended: this.#endedAtMs !== undefined, output: text, bytes, exact: true, omitted };
    }
    this.#marked.discard();
    const { text, bytes, omitted } = this.#all?.end() ?? { ...rest(), omitted: null };
    const echoless = withoutEcho(text, this.#command, this.#prompt);
    // The prompt that it was typed behind stands there again: so also where only quiet told that it is over.
    const { output: printed, prompt } = splitPrompt(echoless, this.#prompt);
    const output = end.asks !== null || (prompt !== "" && prompt === this.#prompt) ? printed : echoless;
    return { ...common, ended: isReady(end) && hasNoQuestion(end.asks), output, bytes, exact: false, omitted };
  }

  discard(): void {
    this.#marked.discard();
    this.#all?.discard();
  }
}

type RunEnd = Pick<RunResult, "reason" | "asks" | "foreground" | "exit">;

const hasNoQuestion = (asks: Asks | null): boolean => asks !== "password" && asks !== "more";

/** The result of a command that was not typed. */
export function notRun(end: RunEnd): RunResult {
  const nothing = {
    ended: false,
    output: "",
    bytes: new Uint8Array(0),
    exact: false,
    exitCode: null,
    durationMs: 0,
    omitted: null,
  };
  return { ran: false, ...end, ...nothing };
}
