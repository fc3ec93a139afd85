/**
 * Whether the shell in the foreground reads at its prompt. Nothing has asked it then: a question in the line of its cursor was printed
 * by a job in the background, and an answer to it would be run as a command.
 *
 * Law: closed on doubt. Inside a command are: a script; the shell that gives trusted marks, between the begin and the end of a command;
 * and a read in another mode than that of the shell's prompt.
 */
import { cursorLine, looksLikePrompt } from "../agents/cursor-line.ts";
import { isShellProgram } from "../agents/command-line.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { Frame } from "../screen/frame.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import type { Cause, ForegroundState } from "./observation.ts";

export interface PromptPresenceState {
  /** What the last trusted mark reported; null if the shell gives none. `more`: the shell reads the rest of a command. */
  readonly mark: "prompt" | "more" | "command" | null;
  /** Process that read at the prompt which the marks reported; null if none was seen. */
  readonly markedPid: number | null;
  /** Shells that showed a prompt without a mark for it, the newest last, and how they read there. */
  readonly prompts: readonly Prompt[];
  /** The first prompts of shells, the newest last: they may be shown before the kernel reports that the shell reads. */
  readonly firsts: readonly { readonly pid: number; readonly prompt: string }[];
  /** What the last frame shows like a prompt; empty if it shows none. */
  readonly line: string;
}

interface Prompt {
  readonly pid: number;
  readonly verdict: ForegroundVerdict;
}

/** A shell in the foreground that reads. */
interface Reader extends Prompt {
  readonly echo: boolean | null;
  /** Null if the pty host did not report it. */
  readonly runsScript: boolean | null;
}

const places: Readonly<Partial<Record<ShellMark["type"], "more" | "command">>> = {
  continuation: "more",
  "output-start": "command",
};
const promptsMax = 8;
const nothing: PromptPresenceState = { mark: null, markedPid: null, prompts: [], firsts: [], line: "" };

export class PromptPresence {
  #state: PromptPresenceState;

  constructor(state: PromptPresenceState = nothing) {
    this.#state = state;
  }

  /** The trusted marks of the shell report it. */
  get isMarked(): boolean {
    return this.#state.mark === "prompt";
  }

  /** They report that it asks for the rest of a command. */
  get isMarkedMore(): boolean {
    return this.#state.mark === "more";
  }

  /** Of the shell in the foreground that reads, without marks that report it; null if none was seen. */
  firstPrompt(foreground: ForegroundState | null): string | null {
    const { mark, firsts } = this.#state;
    const reader = mark === "prompt" ? null : readerOf(foreground);
    return firsts.find(({ pid }) => pid === reader?.pid)?.prompt ?? null;
  }

  isAtPrompt(foreground: ForegroundState | null): boolean {
    const { mark, markedPid, prompts } = this.#state;
    const reader = readerOf(foreground);
    if (reader === null || reader.runsScript === true) return false;
    const { pid, verdict, echo, runsScript } = reader;
    if (mark === "prompt" || mark === "more") return true;
    const prompt = prompts.findLast((each) => each.pid === pid);
    if (prompt !== undefined) return prompt.verdict === verdict;
    // Typed before the first probe: it is not known yet whose marks they are, but a command runs.
    if (mark === "command" && (pid === markedPid || (markedPid === null && verdict === "prompt"))) return false;
    // A line editor echoes by itself; `read -n1` leaves it to the terminal. A whole line is read inside of a command, or at a prompt that
    // stood too briefly to be seen.
    return verdict === "raw" ? echo !== true : runsScript === false;
  }

  step(cause: Cause, { frame, foreground }: { frame: Frame | null; foreground: ForegroundState | null }): void {
    const reader = readerOf(foreground);
    if (cause.type === "shell-mark") this.#mark(cause.mark, reader);
    else if (cause.type === "foreground") this.#learnMarked(reader);
    else if (cause.type === "gap") this.#state = { ...this.#state, mark: null };
    if (frame !== null) this.#state = { ...this.#state, line: promptIn(frame) };
    const { line, firsts } = this.#state;
    if (reader === null || line === "") return;
    if (frame !== null) this.#learn(reader);
    const { pid } = reader;
    if (firsts.every((each) => each.pid !== pid))
      this.#state = { ...this.#state, firsts: [...firsts.slice(1 - promptsMax), { pid, prompt: line }] };
  }

  save(): PromptPresenceState {
    return this.#state;
  }

  #mark({ type, isTrusted }: ShellMark, reader: Reader | null): void {
    if (!isTrusted || type === "command-line" || type === "act") return;
    this.#state = { ...this.#state, mark: places[type] ?? "prompt" };
    this.#learnMarked(reader);
  }

  #learnMarked(reader: Reader | null): void {
    const { mark, prompts } = this.#state;
    if (mark !== "prompt" || reader === null) return;
    const { pid } = reader;
    this.#state = { ...this.#state, markedPid: pid, prompts: prompts.filter((each) => each.pid !== pid) };
  }

  /** A shell without marks, or one whose marks have stopped, shows what ends like a prompt while it reads. */
  #learn({ pid, verdict, runsScript }: Reader): void {
    const { mark, prompts } = this.#state;
    if (mark === "prompt" || mark === "more" || runsScript === true) return;
    const others = prompts.filter((each) => each.pid !== pid);
    this.#state = { ...this.#state, prompts: [...others.slice(1 - promptsMax), { pid, verdict }] };
  }
}

function promptIn(frame: Frame): string {
  const { before, after } = cursorLine(frame);
  return !frame.isAlternate && after === "" && looksLikePrompt(before) ? before.trimEnd() : "";
}

function readerOf(foreground: ForegroundState | null): Reader | null {
  if (foreground === null) return null;
  const { verdict, program, pid, echo, runsScript } = foreground;
  const isReading = program !== null && isShellProgram(program) && (verdict === "raw" || verdict === "prompt");
  return isReading ? { pid: pid ?? 0, verdict, echo, runsScript } : null;
}
