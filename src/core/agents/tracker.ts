/**
 * Which agent is in the foreground: several may run one after another in one shell, and between them there is the shell.
 *
 * What tells, most trusted first: the program that the kernel names, what a program calls itself (OSC 7501, titles), the command that was
 * typed, and what only one agent shows at a fixed place of its screen. Back at the shell is a positive sign as well: a shell that waits,
 * a shell's mark, or the same prompt again with the cursor behind it.
 */
import type { Frame } from "../screen/frame.ts";
import type { Step } from "../views/fold.ts";
import { builtInAgents } from "./built-in-agents.ts";
import { isShellProgram, programName } from "./command-line.ts";
import { cursorLine, looksLikePrompt } from "./cursor-line.ts";
import { findInputBox } from "./input-box.ts";
import type { Agent } from "./agent.ts";
import type { AgentRegistry } from "./registry.ts";
import { TypedLine, type TypedLineState } from "./typed-line.ts";

/** Who is in the foreground from `offset` on. */
export interface AgentPresence {
  /** Null at a shell or in an unknown program. */
  readonly agent: string | null;
  /** Counts the agents that ran in this session, from 1; 0 before the first. */
  readonly run: number;
  /** How it was told. */
  readonly by: "start" | "command" | "program" | "status" | "title" | "screen" | "mark" | "prompt" | "gap" | "exit";
  /** The words that told it, at most 200 characters. */
  readonly text: string;
  readonly offset: number;
  readonly timeUs: number;
}

export interface AgentTrackerState {
  readonly presence: AgentPresence;
  readonly typed: TypedLineState;
  readonly prompt: string | null;
  readonly line: string;
  readonly hasLeft: boolean;
  readonly isAlternate: boolean;
  readonly isAway: boolean;
  readonly row: number;
  readonly startRow: number;
}

/** Python, gdb, SQLite and their like: what is typed there is no command of a shell. */
const replPrompt = /(?:>>>|\.\.\.|\(\w[\w-]*\)|\w>)\s*$/;
const noLine = { before: "", after: "" };
const textCharsMax = 200;
const promptCharsMax = 400;

export class AgentTracker {
  readonly #agents: AgentRegistry;
  #presence: AgentPresence = { agent: null, run: 0, by: "start", text: "", offset: 0, timeUs: 0 };
  readonly #typed: TypedLine;
  /** What stood in front of the cursor when the line was begun that is typed now or was typed last. */
  #prompt: string | null = null;
  /** The cursor's line in the last frame, up to the cursor. */
  #line = "";
  /** The agent gave back the title, its status or the screen: a prompt is then believed sooner. */
  #hasLeft = false;
  #isAlternate = false;
  /** The cursor has left the row in which the agent was started: until then its line is no new prompt. */
  #isAway = false;
  /** Row of the cursor, counted since the beginning of the session. */
  #row = 0;
  #startRow = 0;

  constructor(state?: AgentTrackerState, agents: AgentRegistry = builtInAgents) {
    this.#agents = agents;
    this.#typed = new TypedLine(state?.typed);
    if (state === undefined) return;
    this.#presence = state.presence;
    this.#prompt = state.prompt;
    this.#line = state.line;
    this.#hasLeft = state.hasLeft;
    this.#isAlternate = state.isAlternate;
    this.#isAway = state.isAway;
    this.#row = state.row;
    this.#startRow = state.startRow;
  }

  get presence(): AgentPresence {
    return this.#presence;
  }

  get profile(): Agent | undefined {
    return this.#agents.named(this.#presence.agent);
  }

  /** The prompt of the shell or line editor, as it stood in front of the last line that was typed; null where none was seen. */
  get prompt(): string | null {
    return this.#prompt;
  }

  /** The line that was typed since the last Enter, as far as the keys tell it. */
  get typed(): TypedLineState {
    return this.#typed.save();
  }

  /** Returns who is in the foreground now, where that has changed; null where it has not. */
  step(step: Step): AgentPresence | null {
    switch (step.type) {
      case "start":
        return this.#enter(step.agent ?? this.#agents.ofArguments(step.command), {
          ...step,
          by: "start",
          text: step.command.join(" "),
        });
      case "input":
        return step.isSecret ? null : this.#input(step);
      case "osc":
        return this.#command(step);
      case "shell-mark":
        return this.#shellMark(step);
      case "foreground":
        return this.#foreground(step);
      case "frame":
        return this.#frame(step.frame);
      case "exit":
        return this.#enter(null, { ...step, by: "exit", text: "" });
      case "approval":
      case "mark":
      case "gap":
      case "tick":
        return null;
    }
  }

  save(): AgentTrackerState {
    return {
      presence: this.#presence,
      typed: this.#typed.save(),
      prompt: this.#prompt,
      line: this.#line,
      hasLeft: this.#hasLeft,
      isAlternate: this.#isAlternate,
      isAway: this.#isAway,
      row: this.#row,
      startRow: this.#startRow,
    };
  }

  #input(step: Extract<Step, { type: "input" }>): AgentPresence | null {
    if (this.#presence.agent !== null) return null;
    const wasEmpty = this.#typed.isEmpty;
    const lines = this.#typed.feed(step.bytes);
    const hasBegun = wasEmpty && (lines.length > 0 || !this.#typed.isEmpty);
    if (hasBegun && this.#line !== "") this.#prompt = this.#line.slice(-promptCharsMax);
    if (replPrompt.test(this.#prompt ?? "")) return null;
    for (const { text } of lines) {
      const line = text ?? this.#shownCommand();
      const agent = this.#agents.ofCommandLine(line);
      if (agent !== null) return this.#enter(agent, { ...step, by: "command", text: line });
    }
    return null;
  }

  /** What stands behind the prompt on the screen: a line out of the history or completed by the shell. */
  #shownCommand(): string {
    if (this.#prompt !== null && this.#line.startsWith(this.#prompt.trimEnd()))
      return this.#line.slice(this.#prompt.length);
    return /^.*?[$%#>❯➜»] (.*)$/u.exec(this.#line)?.[1] ?? "";
  }

  #command({ sequence, timeUs }: Extract<Step, { type: "osc" }>): AgentPresence | null {
    const at = { offset: sequence.offset, timeUs };
    const { command, data } = sequence;
    if (command === 7501) {
      const app = /(?:^|[;:])app=([^:;]{1,32})/.exec(data)?.[1];
      if (/(?:^|[;:])state=clear\b/.test(data)) this.#hasLeft = true;
      if (app === undefined) return null;
      const profile = this.#agents.ofStatusApp(app);
      return profile === undefined ? null : this.#enter(profile.name, { ...at, by: "status", text: `app=${app}` });
    }
    if (command === 0 || command === 2) {
      if (data === "") this.#hasLeft = true;
      const profile = this.#agents.ofTitle(data);
      return profile === undefined ? null : this.#enter(profile.name, { ...at, by: "title", text: data.trim() });
    }
    return null;
  }

  /** Only the session's own shell reports the command line and the end of a command. */
  #shellMark({ mark, offset, timeUs }: Extract<Step, { type: "shell-mark" }>): AgentPresence | null {
    if (!mark.isTrusted) return null;
    if (mark.type === "output-end") return this.#enter(null, { by: "mark", text: mark.code, offset, timeUs });
    const agent = mark.type === "command-line" ? this.#agents.ofCommandLine(mark.text) : null;
    if (mark.type !== "command-line" || agent === null) return null;
    return this.#enter(agent, { by: "command", text: mark.text, offset, timeUs });
  }

  #foreground(step: Extract<Step, { type: "foreground" }>): AgentPresence | null {
    if (step.program === null) return null;
    const name = programName(step.program);
    if (isShellProgram(name)) {
      // A wrapper script is a shell too, but it does not wait for keys.
      const waits = step.verdict === "raw" || step.verdict === "prompt";
      return waits ? this.#enter(null, { ...step, by: "program", text: name }) : null;
    }
    const profile = this.#agents.ofProgram(name);
    if (profile === undefined || this.#presence.agent !== null) return null;
    return this.#enter(profile.name, { ...step, by: "program", text: name });
  }

  #frame(frame: Frame): AgentPresence | null {
    // A shell is on the normal screen.
    const { before, after } = frame.isAlternate ? noLine : cursorLine(frame);
    if (this.#isAlternate && !frame.isAlternate) this.#hasLeft = true;
    this.#isAlternate = frame.isAlternate;
    this.#line = before;
    this.#row = frame.topLine + frame.cursor.row;
    if (this.#presence.agent !== null) return this.#backAtShell(frame, after);
    if (frame.isAlternate || before.trim() === "" || !looksLikePrompt(before)) {
      const found = this.#agents.onScreen(frame);
      if (found !== null) return this.#enter(found.agent, { ...frame, by: "screen", text: found.text });
    }
    return null;
  }

  #backAtShell(frame: Frame, after: string): AgentPresence | null {
    this.#isAway ||= this.#row !== this.#startRow;
    if (!this.#isAway || frame.isAlternate || !frame.cursor.isVisible) return null;
    const line = this.#line.trimEnd();
    const started = this.#prompt?.trimEnd() ?? "";
    const isSame = started !== "" && line === started;
    const isAlike = started !== "" && line.at(-1) === started.at(-1) && line.slice(0, 3) === started.slice(0, 3);
    const isNew = after === "" && (isAlike || this.#hasLeft) && looksLikePrompt(line);
    if (!isSame && !isNew) return null;
    const box = findInputBox(frame.lines, this.profile?.boxes ?? []);
    // What an inline agent leaves behind stands above the prompt.
    if (box !== null && frame.cursor.row <= box.bottom) return null;
    return this.#enter(null, { ...frame, by: "prompt", text: line });
  }

  #enter(
    agent: string | null,
    at: { by: AgentPresence["by"]; text: string; offset: number; timeUs: number },
  ): AgentPresence | null {
    if (agent === this.#presence.agent) return null;
    const { by, offset, timeUs } = at;
    const run = this.#presence.run + (agent === null ? 0 : 1);
    this.#presence = { agent, run, by, text: at.text.slice(0, textCharsMax), offset, timeUs };
    this.#hasLeft = false;
    this.#isAway = by !== "command";
    this.#startRow = this.#row;
    this.#typed.feed(new Uint8Array([0x03]));
    return this.#presence;
  }
}
