/** Runs a command in a terminal: waits for the prompt, types the command or hands it over, and collects what comes of it. */
import { isProvenPrompt, promptAt, readOpenLine, type OpenLine } from "../core/readiness/learned-prompts.ts";
import { isReady } from "../core/readiness/readiness.ts";
import { readinessTimes } from "../core/readiness/times.ts";
import { waits } from "../core/waits.ts";
import { environmentOf } from "../pty/proc-files.ts";
import { BlobDirectory } from "./blob-file.ts";
import { TypedCommand } from "./command-file.ts";
import { EnteredLine } from "./entered-line.ts";
import { HandOver } from "./hand-over.ts";
import { readDefaults } from "./read-defaults.ts";
import {
  assertGoesOn,
  isShellAtPrompt,
  mayTypeCommand,
  notRun,
  notTyped,
  RunCollector,
  type RunResult,
} from "./run-command.ts";
import type { TerminalLink } from "./terminal-link.ts";
import { CTRL_C } from "./terminal-state.ts";
import type { ReadOptions, RunOptions } from "./terminal-options.ts";
import type { Outcome } from "./terminal-waits.ts";

export class TerminalCommand {
  readonly #link: TerminalLink;
  readonly #options: RunOptions;
  readonly #wait: { readonly inside: boolean };

  constructor(link: TerminalLink, options: RunOptions) {
    this.#link = link;
    this.#options = options;
    this.#wait = { inside: options.inside ?? false };
  }

  async run(command: string): Promise<RunResult> {
    const startMs = performance.now();
    const { source, state } = this.#link;
    const { onTyping, onTyped, onStarted, signal, timeoutMs = readDefaults.timeoutMs } = this.#options;
    this.#link.goOn();
    let before = await this.#untilPrompt();
    if (this.#mayType(before) && this.#isOwnEditor(before)) {
      if (await this.#isWithinCommand(before)) return notRun({ ...before, exit: state.exit ?? null });
      // The widget has answered, and its editor has yet to draw its line anew: what were typed then would be lost in it.
      before = await this.#untilPrompt();
    }
    const exit = state.exit ?? null;
    if (!this.#mayType(before)) return notRun({ ...before, exit });
    state.learnPrompt(before.foreground, { takesBlank: true });
    const { actDirectory } = source;
    const isTaken = actDirectory !== null && this.#takesCommands;
    const handOver = isTaken ? new HandOver(actDirectory, command, this.#link) : undefined;
    await onTyping?.(handOver?.id ?? null);
    // At a prompt that is known there was no wait for it to end.
    assertGoesOn(signal);
    const { place } = state;
    const byMarks = place === "prompt" || handOver !== undefined;
    // A shell that was asked for marks gives them, unless something else is in front of it.
    const hasMarks = byMarks || (source.nonce !== null && place !== "running");
    const reader = { command: this.#link.start.command, foreground: before.foreground, ...this.#wait };
    using typed = handOver === undefined ? new TypedCommand(command, this.#link, reader) : undefined;
    const act = typed === undefined ? handOver : new EnteredLine(typed, this.#link);
    if (act === undefined) throw new TypeError("A command is typed or handed over");
    state.forget();
    const how = { byMarks, hasMarks, handed: handOver?.line ?? null, onStarted };
    const collector = new RunCollector(how, this.#limits);
    this.#link.typing = act;
    this.#link.collector = collector;
    try {
      await act.run(async (keys) => await this.#link.write(keys), signal);
      onTyped?.();
      if (!hasMarks) onStarted?.();
      const restMs = Math.max(0, timeoutMs - (performance.now() - startMs));
      const isGoingOn = collector.awaitsStart || state.place === "running";
      const typedAt = (byMarks || place === "typed") && isGoingOn ? "prompt" : null;
      const wait = { ...this.#options, strategy: "auto", timeoutMs: restMs, run: this.#wait } as const;
      const ready = await this.#link.until(wait, Number.POSITIVE_INFINITY, typedAt);
      const outcome = await this.#withoutMarks(ready);
      if (act instanceof EnteredLine) collector.feed(act.rest(), []);
      const end = { ...outcome, exit: state.exit ?? null };
      const result = collector.result(end, this.#promptOf(outcome));
      return handOver?.withoutNotices(result) ?? result;
    } catch (error) {
      collector.discard();
      throw error;
    } finally {
      this.#link.typing = undefined;
      this.#link.collector = undefined;
      state.forget();
    }
  }

  get #limits(): ConstructorParameters<typeof RunCollector>[1] {
    const { blobDirectory, blobs } = this.#link.start.settings;
    return {
      bytesMax: this.#options.maxOutputBytes ?? readDefaults.maxOutputBytes,
      blobs: blobs ?? (blobDirectory === undefined ? undefined : new BlobDirectory(blobDirectory)),
    };
  }

  async #untilPrompt(): Promise<Outcome> {
    const { state } = this.#link;
    const { signal } = this.#options;
    try {
      const { timeoutMs = readDefaults.timeoutMs } = state.isGivingUp
        ? await untilGivenUp(this.#link, this.#options)
        : this.#options;
      if (state.place === "typed" && (await this.#isStillEditing(timeoutMs)))
        return { reason: "quiet", asks: "command", foreground: null };
      const wait = { ...this.#options, strategy: "auto", timeoutMs, run: this.#wait } as const;
      return await this.#link.until(wait, Number.POSITIVE_INFINITY, null);
    } catch (error) {
      if (signal?.aborted === true) throw notTyped(signal.reason);
      throw error;
    }
  }

  /** Something was typed at the prompt of a shell that is handed commands, and it has begun nothing: it says itself whether its line is empty. */
  async #isStillEditing(timeoutMs: number): Promise<boolean> {
    if (!this.#takesCommands) return false;
    const { signal } = this.#options;
    const wait = { strategy: "quiet", quietMs: readinessTimes.reaction.ms, timeoutMs, signal } as const;
    const { reason } = await this.#link.until(wait, Number.POSITIVE_INFINITY, null);
    return reason === "quiet" && this.#takesCommands;
  }

  /** A command that takes all hooks of its shell away ends without a mark: that shell, and not one inside, edits a line behind a prompt then. */
  async #withoutMarks(outcome: Outcome): Promise<Outcome> {
    const isOver = isReady(outcome) && this.#isOwnEditor(outcome) && this.#openLine(outcome) === "prompt";
    return isOver && !(await this.#isWithinCommand(outcome)) ? { ...outcome, asks: "command" } : outcome;
  }

  /** No mark reports that the shell is at its prompt, and it edits a line. */
  #isOwnEditor({ foreground }: Outcome): boolean {
    const { source, state } = this.#link;
    const isReported = state.place === "prompt" || state.place === "typed" || state.place === "none";
    return !isReported && foreground?.pid === source.leaderPid && isShellAtPrompt(foreground, state.takesPaste);
  }

  /**
   * Whether the shell edits a line within a command that it runs, or in a hook of its prompt: `read -e` and `vared` may show the same prompt, and
   * only its widget tells. A shell that `exec` has put in its place has none, and in vi's keymap the key would leave the insert mode: it is not
   * asked, and known by its environment, of which the start of the one with the widget has removed our variables.
   */
  async #isWithinCommand(outcome: Outcome): Promise<boolean> {
    const { actDirectory, leaderPid } = this.#link.source;
    if (actDirectory === null || leaderPid === null || !this.#isOwnEditor(outcome)) return false;
    if (environmentOf(leaderPid)?.includes(`LECTERN_ACT=${actDirectory}`) !== true) return false;
    const question = new HandOver(actDirectory, ":", this.#link);
    const { typing } = this.#link;
    this.#link.typing = question;
    try {
      return await question.isWithin(async (keys) => await this.#link.write(keys));
    } finally {
      this.#link.typing = typing;
    }
  }

  #openLine({ foreground }: Outcome): OpenLine {
    const rules = this.#link.promptRules(this.#wait);
    return rules === null ? "unknown" : readOpenLine(rules, foreground, this.#link.state.openLine);
  }

  #mayType(before: Outcome): boolean {
    const { source, state } = this.#link;
    const { place: shell, takesPaste, isFullScreen } = state;
    const { foreground } = before;
    const showsPrompt = (): boolean => {
      const rules = this.#link.promptRules(this.#wait);
      const isProven = rules !== null && isProvenPrompt(rules, foreground, state.openLine);
      return isProven || state.showsPrompt(foreground);
    };
    const openLine = (): OpenLine => this.#openLine(before);
    const place = {
      ...before,
      openLine,
      shell,
      hasMarks: source.nonce !== null,
      takesPaste,
      isFullScreen,
      showsPrompt,
    };
    return mayTypeCommand(place, this.#wait);
  }

  /** The shell with marks reads a line, with an editor, and has a directory from which it takes commands. */
  get #takesCommands(): boolean {
    const { source, state } = this.#link;
    const { place, standing, takesPaste } = state;
    if (source.actDirectory === null || (place !== "prompt" && place !== "typed")) return false;
    // Only of a shell that does not ask for pastes it has to be found out.
    return takesPaste || (source.probe?.() ?? standing)?.canonical !== true;
  }

  /** The prompt behind the output of a command; empty if it is not known. */
  #promptOf({ asks, foreground }: Outcome): string {
    const rules = asks === "command" ? this.#link.promptRules(this.#wait) : null;
    return rules === null ? "" : promptAt(rules, foreground, this.#link.state.lastLine);
  }
}

/**
 * A shell drops keys that come while it gives a line up. Readline 8.2 can miss a Ctrl-C that comes just before it reads: then it gives
 * the line up only with the next key, which it drops, and a second Ctrl-C is that key. A shell may also say nothing of Ctrl-C at an empty
 * prompt: after 2 s the kernel's word counts. Returns the time that is left.
 */
export async function untilGivenUp(
  link: TerminalLink,
  { timeoutMs = readDefaults.timeoutMs, signal }: ReadOptions,
): Promise<{ readonly timeoutMs: number }> {
  const startMs = performance.now();
  const endMs = startMs + Math.min(timeoutMs, waits.partMs);
  for (let isAgain = false; link.state.isGivingUp; isAgain = true) {
    const restMs = endMs - performance.now();
    if (restMs <= 0) break;
    const waitMs = Math.min(restMs, waits.interruptMs);
    const { reason } = await link.until(
      { strategy: "mark", timeoutMs: waitMs, signal },
      Number.POSITIVE_INFINITY,
      null,
    );
    if (reason === "timeout" && link.state.isGivingUp) await link.write(CTRL_C);
    // The prompt may come of the Ctrl-C before.
    else if (isAgain)
      await link.until({ strategy: "quiet", timeoutMs: waitMs, signal }, Number.POSITIVE_INFINITY, null);
  }
  return { timeoutMs: Math.max(0, timeoutMs - (performance.now() - startMs)) };
}
