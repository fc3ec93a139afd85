/**
 * Hands a command to a shell with integration: a file in the directory that both know, a key, and the shell's answer.
 *
 * Law: who takes a command creates `ID.claim` and then looks for `ID.off`, who withdraws it creates `ID.off` and then `ID.claim`. So a command is
 * either taken or never runs, also if the key is read much later. The shell may be walled in and write in the directory: no link is followed.
 */
import { randomUUID } from "node:crypto";
import { constants, existsSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { ACT_KEY, ACT_KEY_RESIDUE, planAct } from "../core/acting/act.ts";
import { LecternError } from "../core/errors.ts";
import type { ShellStep } from "../core/readiness/command-tracker.ts";
import { readinessTimes } from "../core/readiness/times.ts";
import { awaitsInput } from "../core/records.ts";
import { withoutEchoedHook, withoutJobNotices } from "../core/shell-marks/job-notices.ts";
import type { ActAnswer } from "../core/shell-marks/shell-mark.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { readFileHead } from "../pty/line-editor-file.ts";
import { Movement } from "./movement.ts";
import { assertGoesOn, type RunResult } from "./run-command.ts";
import { probedNow, type TerminalSource } from "./terminal-source.ts";

/** Without an answer the command is withdrawn: no editor that reads keys takes so long. Sooner once the shell has reacted to the key and reads again. */
const ANSWER_MS_MAX = 5000;
/** An editor that had begun to read another key shows the rest of ours: after this time it is pressed again, once, as where the line was not accepted. */
const AGAIN_MS = 200;
const ID_CHARS = 12;
const BACKSPACE = "\u007f";
const encoder = new TextEncoder();
const KEY = encoder.encode(ACT_KEY);

interface HandedTerminal {
  readonly source: Pick<TerminalSource, "probe" | "probed"> & Partial<Pick<TerminalSource, "leaderPid">>;
  readonly state: { readonly lastLine: string };
}

export class HandOver {
  readonly id = randomUUID().slice(-ID_CHARS);
  readonly #directory: string;
  readonly #act: Exclude<ReturnType<typeof planAct>, { readonly refusal: string }>;
  #answer: ActAnswer | undefined;
  #hasEnded = false;
  #isTorn = false;
  readonly #terminal: HandedTerminal;
  /** The open line before the key was pressed. */
  readonly #lineBefore: string;
  #hasReacted = false;
  readonly #jobsBefore: string;
  /** The shell has claimed the command, and come to a prompt since. */
  #isBack = false;
  readonly #movement = new Movement();

  /** `directory`: the value of LECTERN_ACT. Throws `CONFLICT` for a command that no shell can be given. */
  constructor(directory: string, command: string, terminal: HandedTerminal) {
    const act = planAct(command);
    if ("refusal" in act)
      throw new LecternError("CONFLICT", `Cannot run the command: ${act.refusal}; nothing was typed`);
    this.#directory = directory;
    this.#terminal = terminal;
    this.#lineBefore = terminal.state.lastLine;
    this.#act = act;
    this.#jobsBefore = this.#jobs();
  }

  /** What the shell runs. */
  get line(): string {
    return this.#act.text;
  }

  /**
   * Resolves once the shell has taken the command; `press` types the bytes that it is given. Otherwise it is withdrawn: throws `CONFLICT` with
   * the reason, `CANCELLED`, and what `press` and the file system throw.
   */
  async run(press: (key: Uint8Array) => Promise<void>, signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", this.#movement.come, { once: true });
    try {
      this.#offer();
      await press(KEY);
      // A shell that Ctrl-C interrupts right after its claim comes to its prompt without an answer.
      const isGivenUp = (await this.#answered(press, signal)) && this.#isBack;
      const refusal = this.#refusal;
      if (this.#answer === undefined && this.#isWithdrawn()) {
        assertGoesOn(signal);
        if (this.#isUnbound) await this.#rubOut(press);
      } else if (this.#answer === undefined ? !isGivenUp : this.#answer.answer === "taken") return;
      throw new LecternError("CONFLICT", `Cannot run the command: ${refusal}; nothing was run`);
    } finally {
      signal?.removeEventListener("abort", this.#movement.come);
      if (this.#answer === undefined) this.#isWithdrawn();
      this.#clear();
    }
  }

  /**
   * Whether the shell edits a line within a command that it runs, as in `read -e`: it answers `more`. This command is withdrawn before the key is
   * pressed, so it never runs. What an editor without the key shows of it is removed again. Throws what `press` and the file system throw.
   */
  async isWithin(press: (key: Uint8Array) => Promise<void>): Promise<boolean> {
    this.#isWithdrawn();
    try {
      this.#offer();
      await press(KEY);
      const isSilent = await this.#answered(press, undefined, true);
      if (isSilent && this.#isKeyShown) await this.#rubOut(press);
      return this.#answer?.answer === "more";
    } finally {
      this.#clear();
    }
  }

  /** What came of the command, without what its shell has printed of itself. Not of a command that may have asked for it. */
  withoutNotices(result: RunResult): RunResult {
    if (!result.ended || result.omitted !== null) return result;
    const unechoed = /PROMPT_COMMAND|__lectern/.test(this.line) ? result : changed(result, withoutEchoedHook);
    if (this.#jobsBefore === "" || /\bjobs\b/.test(this.line)) return unechoed;
    const [before, after] = [this.#jobsBefore, this.#jobs()];
    const raw = { before: latin1(before), after: latin1(after) };
    return changed(unechoed, (text, isRaw) => withoutJobNotices(text, isRaw ? raw : { before, after }));
  }

  /** The jobs that ran at the last prompt, by the shell's list. */
  #jobs(): string {
    const path = this.#path("jobs");
    // Most shells have no job, and an error costs more than a look.
    return existsSync(path) ? (readFileHead(path, constants.O_NOFOLLOW) ?? "") : "";
  }

  /** Output came after the key. Returns what of it may be output of the command: all, from which the line is cut at the end. */
  feed(bytes: Uint8Array, steps: readonly ShellStep[]): Uint8Array {
    if (this.#answer === undefined) this.#take(steps);
    return bytes;
  }

  #take(steps: readonly ShellStep[]): void {
    this.#hasReacted = true;
    for (const step of steps) {
      if (step.type === "act" && step.id === this.id && step.answer !== "skipped") this.#answer = step;
      this.#isBack ||= step.type === "prompt" && this.#isClaimed;
    }
    // The line costs something, and nobody reads it once the answer is there.
    this.#isTorn ||= this.#answer === undefined && this.#terminal.state.lastLine.includes(ACT_KEY_RESIDUE);
    this.#movement.come();
  }

  /** What the line editor shows of the key. */
  get #residue(): string {
    const { lastLine } = this.#terminal.state;
    return lastLine.startsWith(this.#lineBefore) ? lastLine.slice(this.#lineBefore.length) : "";
  }

  end(): void {
    this.#hasEnded = true;
    this.#movement.come();
  }

  get #refusal(): string {
    if (this.#answer?.answer === "more")
      return "the shell waits for the rest of another command: end it, or give it up with Ctrl-C";
    if (this.#answer?.answer === "version")
      return `the shell was started with version ${this.#answer.version} of Lectern's shell integration, which takes no commands from this version of Lectern: start a new session`;
    if (this.#answer === undefined && this.#isClaimed && this.#residue.trimEnd() === this.line)
      return "the line editor of the shell has lost a key of Lectern's shell integration and does not enter the command, which is left in the line: clear it with Ctrl-U, and start a new session";
    if (this.#answer === undefined && this.#isBack)
      return "the shell was interrupted, as by Ctrl-C, before it ran the command";
    if (this.#isUnbound)
      return "the line editor of the shell has no binding for the key of Lectern's shell integration, which something has removed (as bind -r does): start a new session";
    if (this.#answer?.answer !== "draft")
      return "the shell did not answer: its line editor may be in a question or a paste, its eval may not be its own, or a function of Lectern's shell integration (__lectern_...) was removed";
    return `a line stands at the prompt of the shell, "${escapeForDisplay(this.#answer.draft)}": enter it, or clear it with Ctrl-U`;
  }

  /** A line editor inserts the end of a key that is bound to nothing. */
  get #isUnbound(): boolean {
    return this.#answer === undefined && !this.#isTorn && this.#isKeyShown;
  }

  #offer(): void {
    const { way, text, shown, tells } = this.#act;
    const fresh = this.#path(`${this.id}.new`);
    write(fresh, [this.id, way, shown, text, tells].join("\0"));
    renameSync(fresh, this.#path("act"));
  }

  get #isClaimed(): boolean {
    return existsSync(this.#path(`${this.id}.claim`));
  }

  /** Whether no answer is to come. `isAgain`: the key is not pressed again. */
  async #answered(
    press: (key: Uint8Array) => Promise<void>,
    signal: AbortSignal | undefined,
    isAgain = false,
  ): Promise<boolean> {
    let startMs = performance.now();
    const isOver = (): boolean => this.#answer !== undefined || this.#hasEnded || signal?.aborted === true;
    while (!isOver()) {
      const isTorn = !isAgain && this.#isTorn;
      const sinceMs = performance.now() - startMs;
      const waitMs = isTorn ? AGAIN_MS : this.#hasReacted ? readinessTimes.reaction.ms : ANSWER_MS_MAX;
      if (sinceMs < waitMs) {
        // The first wait is as short as those behind it.
        await this.#movement.next(Math.min(waitMs - sinceMs, readinessTimes.reaction.ms));
        continue;
      }
      const isUnread = !isTorn && sinceMs < ANSWER_MS_MAX && !(await this.#readsAgain());
      if (isUnread) await this.#movement.next(readinessTimes.reaction.ms);
      // Who has claimed the command and reads has not accepted the line: the widget binds the key for that when it comes again.
      else if (isTorn || (!isAgain && !isOver() && this.#isClaimed)) {
        isAgain = true;
        this.#hasReacted = false;
        startMs = performance.now();
        await press(KEY);
      } else return !isOver();
    }
    return false;
  }

  /** The line shows the end of the key, and nothing else that is new. */
  get #isKeyShown(): boolean {
    return this.#residue !== "" && ACT_KEY.endsWith(this.#residue);
  }

  /** Removes what the line shows of the key, and waits for that a moment. */
  async #rubOut(press: (key: Uint8Array) => Promise<void>): Promise<void> {
    if (!(await this.#isOwnShellReading())) return;
    await press(encoder.encode(BACKSPACE.repeat(this.#residue.length)));
    if (this.#residue !== "") await this.#movement.next(readinessTimes.reaction.ms);
  }

  /** Who inserted the key still reads: to another program Backspace may be an answer. */
  async #isOwnShellReading(): Promise<boolean> {
    const { source } = this.#terminal;
    const probe = await probedNow(source);
    return probe !== null && probe.pid === source.leaderPid && awaitsInput(probe.verdict);
  }

  /** The shell reads with nothing left to read, and has not answered. */
  async #readsAgain(): Promise<boolean> {
    const { source } = this.#terminal;
    const { verdict, pid = null } = (await probedNow(source)) ?? { verdict: "unknown" };
    if (this.#answer !== undefined) return false;
    // A command that it has claimed may read in its place.
    if (this.#isClaimed) return pid === source.leaderPid && awaitsInput(verdict);
    return awaitsInput(verdict) || verdict === "listening";
  }

  /** False where the shell was sooner. The claim stays: a shell that has read the file may be about to make it. */
  #isWithdrawn(): boolean {
    try {
      write(this.#path(`${this.id}.off`), "");
      write(this.#path(`${this.id}.claim`), "");
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return false;
    }
  }

  #clear(): void {
    this.#movement.stop();
    remove(this.#path("act"));
    if (this.#answer !== undefined) remove(this.#path(`${this.id}.claim`));
  }

  #path(name: string): string {
    return `${this.#directory}/${name}`;
  }
}

/** Both forms of the output; the bytes as text of one character each. */
function changed(result: RunResult, change: (text: string, isRaw: boolean) => string): RunResult {
  const output = change(result.output, false);
  if (output === result.output) return result;
  const bytes = Buffer.from(change(Buffer.from(result.bytes).toString("latin1"), true), "latin1");
  return { ...result, output, bytes };
}

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** Fails where there is something, and so follows no link. */
const write = (path: string, content: string): void =>
  writeFileSync(path, content, { encoding: "utf8", flag: "wx", mode: 0o600 });

/** It is there after most commands, so it is not looked for first. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
