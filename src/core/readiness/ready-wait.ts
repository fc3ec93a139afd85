/**
 * One wait until a program is ready: the strategies together, the time limit, and the reason of the end. A state machine over (bytes, time, looks at
 * the foreground), without timers: `dueMs` says when to ask again, `lookDueMs` when a look is wanted.
 */
import type { ForegroundLook } from "../events/foreground.ts";
import type { ShellStep } from "./command-tracker.ts";
import { ForegroundStrategy } from "./foreground-strategy.ts";
import { MarkerStrategy } from "./marker-strategy.ts";
import { asksForPassword } from "./password-prompt.ts";
import type { Readiness } from "./readiness.ts";

/** How a wait recognizes that the program is ready. `auto`: by the best evidence that there is. Each other one: only by that. */
export type ReadyStrategy = "auto" | "mark" | "foreground" | "marker" | "quiet";

export interface ReadyWaitOptions {
  readonly strategy: ReadyStrategy;
  /** How looks at the foreground come; null where there is no probe. */
  readonly foreground: "asked" | "told" | null;
  readonly markers: readonly string[];
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly quietMs: number;
  /** Prompts that belong to what was before: a shell that is still starting prints one before it reads what was typed. Default 0. */
  readonly promptsToSkip?: number;
  /**
   * The shell was asked for marks, and only its own are given to the wait: they come sooner than a look, which waits for them a little.
   * False for marks that any program can print: a prompt of theirs counts only if the kernel reports the same, or does not know. Default false.
   */
  readonly givesMarks?: boolean;
  /**
   * A command was typed at a prompt. Then a prompt counts at once only behind the start of a command: line editors draw theirs anew when something is pasted.
   * For an empty command, which never starts, the kernel must say so too, or some time pass. Default false.
   */
  readonly needsStart?: boolean;
  /** Something was typed, and nothing has come since. Default false. */
  readonly isUnanswered?: boolean;
  /** Something was typed at the prompt of a shell that says what it does, and it has said nothing since. Default false. */
  readonly owesMark?: boolean;
}

/** While a shell says what it does, a prompt that comes after a command's end is its word; without one this long after it, the prompt was replaced. */
const PROMPT_AFTER_END_MS = 250;
/** A shell that speaks is done with most commands sooner; a password that one asks for is seen early enough. */
const FIRST_LOOK_MS = 5;
/** A prompt that is drawn anew is followed by the start of the command well within this time. */
const START_AFTER_PROMPT_MS = 250;
const NEVER = Number.POSITIVE_INFINITY;

export class ReadyWait {
  readonly #options: ReadyWaitOptions;
  readonly #foreground: ForegroundStrategy | undefined;
  readonly #marker: MarkerStrategy | undefined;
  readonly #takesMarks: boolean;
  readonly #takesQuiet: boolean;
  readonly #endMs: number;
  #movedAtMs: number;
  #lastLine: string;
  #mark: Readiness | undefined;
  #commandEndedAtMs: number | undefined;
  #promptsToSkip: number;
  #needsStart: boolean;
  /** A prompt came where the start of a command should have come first. */
  #earlyPromptAtMs: number | undefined;
  #ended: Readiness | undefined;

  /** `lastLine` is the open line as it is at the start: a prompt may be there already. */
  constructor(options: ReadyWaitOptions, nowMs: number, lastLine = "") {
    const { strategy, foreground, markers, settleMs, quietMs } = options;
    const isAuto = strategy === "auto";
    this.#options = options;
    this.#endMs = nowMs + options.timeoutMs;
    this.#movedAtMs = nowMs;
    this.#lastLine = lastLine;
    this.#promptsToSkip = options.promptsToSkip ?? 0;
    this.#needsStart = options.needsStart ?? false;
    this.#takesMarks = isAuto || strategy === "mark";
    if (foreground !== null && (isAuto || strategy === "foreground")) {
      const listeningQuietMs = Math.max(settleMs, quietMs);
      const firstLookMs = options.givesMarks === true ? FIRST_LOOK_MS : 0;
      this.#foreground = new ForegroundStrategy(
        {
          source: foreground,
          listeningQuietMs,
          firstLookMs,
          isUnanswered: options.isUnanswered ?? false,
          owesMark: this.#needsStart || options.owesMark === true,
        },
        nowMs,
      );
    }
    if (strategy === "marker" || (isAuto && markers.length > 0)) this.#marker = new MarkerStrategy(markers, settleMs);
    const hasBetter = this.#marker !== undefined || this.#foreground !== undefined || this.#needsStart;
    this.#takesQuiet = strategy === "quiet" || (isAuto && !hasBetter);
    this.#marker?.output(lastLine, nowMs);
  }

  /** The last look at the foreground, for the result. */
  get lastLook(): ForegroundLook | undefined {
    return this.#foreground?.lastLook;
  }

  get lookDueMs(): number {
    return this.#foreground?.lookDueMs ?? NEVER;
  }

  /** False where no marker is waited for: then the open line may be left out. */
  get wantsText(): boolean {
    return this.#marker !== undefined;
  }

  /** When to ask `verdict` again although nothing happened; the time limit at the latest. */
  get dueMs(): number {
    const quietMs = this.#takesQuiet ? this.#movedAtMs + this.#options.quietMs : NEVER;
    const endedMs = this.#commandEndedAtMs === undefined ? NEVER : this.#commandEndedAtMs + PROMPT_AFTER_END_MS;
    const earlyMs = this.#earlyPromptAtMs === undefined ? NEVER : this.#earlyPromptAtMs + START_AFTER_PROMPT_MS;
    const markerMs = this.#foreground?.isBusy === true ? NEVER : (this.#marker?.dueMs ?? NEVER);
    return Math.min(this.#endMs, quietMs, endedMs, earlyMs, markerMs, this.#foreground?.dueMs ?? NEVER);
  }

  /** Output came; `lastLine` is the open line of the sanitized text now (see `wantsText`), `steps` what the shell said in it. */
  output(lastLine: string, steps: readonly ShellStep[], nowMs: number): void {
    this.#moved(nowMs);
    this.#lastLine = lastLine;
    this.#marker?.output(lastLine, nowMs);
    if (this.#takesMarks) for (const step of steps) this.#takeStep(step, nowMs);
  }

  look(look: ForegroundLook, nowMs: number): void {
    this.#foreground?.look(look, nowMs);
  }

  standing(look: ForegroundLook): void {
    this.#foreground?.standing(look);
  }

  /** The program ended, or more came than was wanted. */
  end(reason: "exit" | "limit"): void {
    this.#ended ??= { reason, asks: null };
  }

  /** Undefined while there is nothing to say. */
  verdict(nowMs: number): Readiness | undefined {
    const mark = this.#mayTakeMark(nowMs) ? this.#mark : undefined;
    return mark ?? this.#ended ?? this.#earlyPrompt(nowMs) ?? this.#foreground?.verdict(nowMs) ?? this.#ofText(nowMs);
  }

  #mayTakeMark(nowMs: number): boolean {
    if (this.#options.givesMarks === true || this.#foreground === undefined) return true;
    return this.#foreground.knowsNothing || this.#foreground.verdict(nowMs)?.reason === "foreground";
  }

  #earlyPrompt(nowMs: number): Readiness | undefined {
    if (this.#earlyPromptAtMs === undefined || !this.#mayTakeMark(nowMs)) return undefined;
    const isCertain = this.#foreground?.verdict(nowMs)?.reason === "foreground";
    if (!isCertain && nowMs < this.#earlyPromptAtMs + START_AFTER_PROMPT_MS) return undefined;
    return { reason: "mark", asks: "command" };
  }

  #ofText(nowMs: number): Readiness | undefined {
    const endedMs = this.#commandEndedAtMs === undefined ? NEVER : this.#commandEndedAtMs + PROMPT_AFTER_END_MS;
    if (nowMs >= endedMs && this.#mayTakeMark(nowMs)) {
      return { reason: "mark", asks: null };
    }
    // The kernel's word stands over the text: a program that computes is at no prompt, whatever it printed.
    if (this.#marker?.isReady(nowMs) === true && this.#foreground?.isBusy !== true) {
      return { reason: "marker", asks: "command" };
    }
    if (this.#takesQuiet && nowMs >= this.#movedAtMs + this.#options.quietMs) return this.#guess("quiet");
    return nowMs >= this.#endMs ? this.#guess("timeout") : undefined;
  }

  #guess(reason: "quiet" | "timeout"): Readiness {
    return { reason, asks: asksForPassword(this.#lastLine) ? "password" : null };
  }

  #moved(nowMs: number): void {
    this.#movedAtMs = nowMs;
    this.#foreground?.moved(nowMs);
  }

  #takeStep(step: ShellStep, nowMs: number): void {
    if (step.type !== "output") this.#foreground?.answered();
    switch (step.type) {
      case "prompt":
        this.#commandEndedAtMs = undefined;
        if (this.#promptsToSkip > 0) this.#promptsToSkip--;
        else if (this.#needsStart) this.#earlyPromptAtMs = nowMs;
        else this.#mark = { reason: "mark", asks: "command" };
        break;
      case "continuation":
        this.#mark = { reason: "mark", asks: "more" };
        break;
      case "command-start":
        this.#foreground?.started({ isTrusted: this.#options.givesMarks === true });
        this.#needsStart = false;
        this.#earlyPromptAtMs = undefined;
        this.#mark = undefined;
        this.#commandEndedAtMs = undefined;
        break;
      case "command-end":
        this.#commandEndedAtMs = nowMs;
        break;
      case "output":
    }
  }
}
