/**
 * Whether the shell in the foreground reads at its prompt. Nothing has asked it then: a question in the line of its cursor was printed
 * by a job in the background, and an answer to it would be run as a command.
 *
 * Law: closed on doubt. What counts as inside of a command is a script, the shell that gives trusted marks between the begin and the
 * end of a command, and a read in another mode than that of the shell's prompt.
 */
import { cursorLine, looksLikePrompt } from "../agents/cursor-line.ts";
import { isShellProgram, programName } from "../agents/command-line.ts";
import type { ForegroundVerdict } from "../events/foreground.ts";
import type { Frame } from "../screen/frame.ts";
import type { Step } from "../views/fold.ts";

export interface ShellPlaceState {
  /** What the last trusted mark says; null where the shell gives none. */
  readonly mark: "prompt" | "command" | null;
  /** Process that read at the prompt which the marks reported; null where none was seen. */
  readonly markedPid: number | null;
  /** Shells that showed a prompt without a mark for it, the newest last, and how they read there. */
  readonly prompts: readonly Prompt[];
  readonly reader: Reader | null;
}

interface Prompt {
  readonly pid: number;
  readonly verdict: ForegroundVerdict;
}

/** A shell in the foreground that reads. */
interface Reader extends Prompt {
  readonly program: string;
  readonly echo: boolean | null;
  /** Null where the pty host did not report it. */
  readonly runsScript: boolean | null;
}

const promptsMax = 8;
/** Shells whose line editor takes single keys. They read a whole line only inside of a command, unless the editor is off. */
const lineEditors = new Set(["bash", "zsh", "fish"]);
const nothing: ShellPlaceState = { mark: null, markedPid: null, prompts: [], reader: null };

export class ShellPlace {
  #state: ShellPlaceState;

  constructor(state: ShellPlaceState = nothing) {
    this.#state = state;
  }

  get isAtPrompt(): boolean {
    const { mark, markedPid, prompts, reader } = this.#state;
    if (reader === null || reader.runsScript === true) return false;
    const { pid, verdict, program, echo, runsScript } = reader;
    if (mark === "prompt") return true;
    const prompt = prompts.findLast((each) => each.pid === pid);
    if (prompt !== undefined) return prompt.verdict === verdict;
    if (mark === "command" && pid === markedPid) return false;
    // A line editor echoes by itself; `read -n1` leaves it to the terminal.
    if (verdict === "raw") return echo !== true;
    return runsScript === false && !lineEditors.has(programName(program.replace(/^-/, "")));
  }

  step(step: Step): void {
    if (step.type === "shell-mark") this.#mark(step);
    else if (step.type === "foreground") this.#probed(step);
    else if (step.type === "frame") this.#frame(step.frame);
    else if (step.type === "gap") this.#state = { ...this.#state, mark: null };
  }

  save(): ShellPlaceState {
    return this.#state;
  }

  #mark({ mark: { type, isTrusted } }: Extract<Step, { type: "shell-mark" }>): void {
    if (!isTrusted || type === "command-line") return;
    this.#state = { ...this.#state, mark: type === "output-start" ? "command" : "prompt" };
    this.#learnMarked();
  }

  #probed({ verdict, program, echo = null, pid, runsScript, frame }: Extract<Step, { type: "foreground" }>): void {
    const isReading = program !== null && isShellProgram(program) && (verdict === "raw" || verdict === "prompt");
    const reader = isReading ? { pid: pid ?? 0, verdict, program, echo, runsScript: runsScript ?? null } : null;
    this.#state = { ...this.#state, reader };
    this.#learnMarked();
    if (frame !== undefined) this.#frame(frame);
  }

  #learnMarked(): void {
    const { mark, reader, prompts } = this.#state;
    if (mark !== "prompt" || reader === null) return;
    const { pid } = reader;
    this.#state = { ...this.#state, markedPid: pid, prompts: prompts.filter((each) => each.pid !== pid) };
  }

  /** A shell without marks, or one whose marks have stopped, shows what ends like a prompt while it reads. */
  #frame(frame: Frame): void {
    const { mark, prompts, reader } = this.#state;
    if (mark === "prompt" || reader === null || reader.runsScript === true || frame.isAlternate) return;
    const { before, after } = cursorLine(frame);
    if (after !== "" || !looksLikePrompt(before)) return;
    const { pid, verdict } = reader;
    const others = prompts.filter((each) => each.pid !== pid);
    this.#state = { ...this.#state, prompts: [...others.slice(1 - promptsMax), { pid, verdict }] };
  }
}
