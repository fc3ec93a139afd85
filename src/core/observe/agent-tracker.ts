/**
 * Which agent is in the foreground: several may run one after another in one shell, and between them there is the shell.
 *
 * Evidence, most trusted first: the program that the kernel names, what a program calls itself (OSC 7501, titles), the command that was
 * typed, and what only one agent shows at a fixed place of its screen. Back at the shell is a positive sign as well: a shell that waits,
 * a trusted mark of a shell, or the same prompt again with the cursor behind it.
 */
import type { Agent } from "../agents/agent.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { isShellProgram, programName } from "../agents/command-line.ts";
import { cursorLine, endsLikeShell, looksLikePrompt, type CursorLine } from "../agents/cursor-line.ts";
import { findInputBox } from "../agents/input-box.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Frame } from "../screen/frame.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import type { Cause, ForegroundState } from "./observation.ts";

/** Who is in the foreground from `offset` on. */
export interface AgentPresence {
  /** Null at a shell or in an unknown program. */
  readonly agent: string | null;
  /** Counts the agents that ran in this session, from 1; 0 before the first. */
  readonly run: number;
  /** The kind of evidence. */
  readonly by: "start" | "command" | "program" | "status" | "title" | "screen" | "mark" | "prompt" | "exit";
  /** What was seen, at most 200 characters. */
  readonly text: string;
  readonly offset: number;
  readonly timeUs: number;
}

export interface AgentTrackerState {
  readonly presence: AgentPresence;
  /** What stood in front of the cursor when the line was begun that is typed now or was typed last. */
  readonly prompt: string | null;
  /** What runs now: the arguments that started the session, or the line that was typed at its shell; null if that is over. */
  readonly command: readonly string[] | string | null;
  /** The cursor's line in the last frame, up to the cursor. */
  readonly line: string;
  /** The agent gave back the title, its status or the screen: a prompt is then believed sooner. */
  readonly hasLeft: boolean;
  readonly isAlternate: boolean;
  /** The cursor has left the row in which the agent was started: until then its line is not a new prompt. */
  readonly isAway: boolean;
  /** Row of the cursor, counted since the beginning of the session: in the last frame, and when the agent was started. */
  readonly row: number;
  readonly startRow: number;
  /** The last frame shows the prompt of a shell, and no box of the agent. */
  readonly showsShell: boolean;
  /** A program that reads like a shell, whatever agent has its name; null if none was seen. */
  readonly shell: string | null;
}

/** What a step has beside its cause. */
export interface TrackerContext {
  readonly offset: number;
  readonly timeUs: number;
  readonly frame: Frame | null;
  readonly foreground: ForegroundState | null;
  /** The trusted marks of the shell say that it is at its prompt. */
  readonly isMarkedPrompt: boolean;
}

/** Python, gdb, SQLite and their like: what is typed there is not a command of a shell. */
const replPrompt = /(?:>>>|\.\.\.|\(\w[\w-]*\)|\w>)\s*$/;
const noLine: CursorLine = { before: "", after: "" };
const TEXT_CHARS_MAX = 200;
const PROMPT_CHARS_MAX = 400;
const COMMAND_CHARS_MAX = 4000;

const nobody: AgentTrackerState = {
  presence: { agent: null, run: 0, by: "start", text: "", offset: 0, timeUs: 0 },
  prompt: null,
  command: null,
  line: "",
  hasLeft: false,
  isAlternate: false,
  isAway: false,
  row: 0,
  startRow: 0,
  showsShell: false,
  shell: null,
};

/** Who is in the foreground now, and what shows it; undefined if nothing new does. */
type Sighting = Pick<AgentPresence, "agent" | "by" | "text"> | undefined;

const shell = (by: AgentPresence["by"], text = ""): Sighting => ({ agent: null, by, text });
const found = (agent: Agent | string | null | undefined, by: AgentPresence["by"], text: string): Sighting =>
  agent === null || agent === undefined
    ? undefined
    : { agent: typeof agent === "string" ? agent : agent.name, by, text };

const isOnlyChat = ({ boxes, dialogs, draft, limits, line, screen, titles }: Agent): boolean =>
  draft === undefined &&
  line === null &&
  [boxes, screen, titles, limits, dialogs.questions].every(({ length }) => length === 0);

const isShell = ({ program }: Pick<ForegroundState, "program">): boolean =>
  program !== null && isShellProgram(programName(program));

/** A wrapper script is a shell too, but it does not wait for keys. */
const isReadingShell = ({ program, verdict }: Pick<ForegroundState, "program" | "verdict">): boolean =>
  isShell({ program }) && (verdict === "raw" || verdict === "prompt");

export class AgentTracker {
  readonly #agents: AgentRegistry;
  #state: AgentTrackerState;

  constructor(state: AgentTrackerState = nobody, agents: AgentRegistry = builtInAgents) {
    this.#agents = agents;
    this.#state = state;
  }

  get presence(): AgentPresence {
    return this.#state.presence;
  }

  /** Undefined also for an agent of which only the conversation is known, such as `generic`: it is treated as an unknown program. */
  get profile(): Agent | undefined {
    const agent = this.#agents.named(this.presence.agent);
    return agent === undefined || isOnlyChat(agent) ? undefined : agent;
  }

  /** The prompt of the shell or line editor, as it stood in front of the last line that was typed; null if none was seen. */
  get prompt(): string | null {
    return this.#state.prompt;
  }

  /** True if another agent, or none, is in the foreground now. */
  step(cause: Cause, context: TrackerContext): boolean {
    const sighting = this.#sightingOf(cause, context);
    const { presence, row } = this.#state;
    if (sighting === undefined || sighting.agent === presence.agent) return false;
    const { agent, by, text } = sighting;
    const { offset, timeUs } = context;
    const run = presence.run + (agent === null ? 0 : 1);
    this.#set({
      presence: { agent, run, by, text: text.slice(0, TEXT_CHARS_MAX), offset, timeUs },
      hasLeft: false,
      isAway: by !== "command",
      startRow: row,
    });
    return true;
  }

  save(): AgentTrackerState {
    return this.#state;
  }

  #set(change: Partial<AgentTrackerState>): void {
    this.#state = { ...this.#state, ...change };
  }

  #sightingOf(cause: Cause, { frame, foreground, isMarkedPrompt }: TrackerContext): Sighting {
    switch (cause.type) {
      case "start":
        this.#set({ command: cause.command.join(" ").length > COMMAND_CHARS_MAX ? null : cause.command });
        return {
          agent: cause.agent ?? this.#agents.ofArguments(cause.command),
          by: "start",
          text: cause.command.join(" "),
        };
      case "input":
        return this.#input(cause);
      case "title":
        if (cause.text === "") this.#set({ hasLeft: true });
        return found(this.#agents.ofTitle(cause.text), "title", cause.text.trim());
      case "program-status": {
        const { state, app } = cause.change ?? { state: null, app: "" };
        if (state === "clear") this.#set({ hasLeft: true });
        return app === "" ? undefined : found(this.#agents.ofStatusApp(app), "status", `app=${app}`);
      }
      case "shell-mark":
        return this.#shellMark(cause.mark);
      case "foreground":
        return foreground === null ? undefined : this.#foreground(foreground);
      case "frame":
        if (frame === null) return undefined;
        return (
          (cause.hasNewRules === true ? this.#byNewRules(frame, foreground) : undefined) ??
          this.#frame(frame, { foreground, isMarkedPrompt })
        );
      case "exit":
        this.#set({ command: null });
        return shell("exit");
      case "progress":
      case "tab-status":
      case "mark":
      case "fact":
      case "gap":
      case "tick":
        return undefined;
    }
  }

  #input({ lines, isFirst }: Extract<Cause, { type: "input" }>): Sighting {
    const { presence, line: shown } = this.#state;
    if (isFirst && shown !== "" && this.profile === undefined) this.#set({ prompt: shown.slice(-PROMPT_CHARS_MAX) });
    if (presence.agent !== null) return undefined;
    if (replPrompt.test(this.prompt ?? "")) return undefined;
    for (const { text, isKnown } of lines) {
      // A paste may have several.
      for (const line of isKnown ? text.split("\n") : [this.#shownCommand()]) {
        this.#set({ command: line.slice(0, COMMAND_CHARS_MAX) });
        const agent = this.#agents.ofCommandLine(line);
        if (agent !== null) return { agent, by: "command", text: line };
      }
    }
    return undefined;
  }

  /** What stands behind the prompt on the screen: a line out of the history or completed by the shell. */
  #shownCommand(): string {
    const { prompt, line } = this.#state;
    if (prompt !== null && line.startsWith(prompt.trimEnd())) return line.slice(prompt.length);
    return /^.*?[$%#>❯➜»] (.*)$/u.exec(line)?.[1] ?? "";
  }

  /** Only the session's own shell reports the command line and the end of a command. */
  #shellMark(mark: ShellMark): Sighting {
    if (!mark.isTrusted) return undefined;
    if (mark.type === "output-end") {
      this.#set({ command: null });
      return shell("mark", mark.code);
    }
    if (mark.type !== "command-line") return undefined;
    this.#set({ command: mark.text.slice(0, COMMAND_CHARS_MAX) });
    return found(this.#agents.ofCommandLine(mark.text), "command", mark.text);
  }

  #foreground({ program, verdict }: ForegroundState): Sighting {
    if (program === null) return undefined;
    const name = programName(program);
    if (isShellProgram(name)) {
      if (!isReadingShell({ program, verdict })) return undefined;
      // What was taken for a shell may have been an agent that had just ended.
      if (this.#state.shell !== null) this.#set({ shell: null });
      return shell("program", name);
    }
    if (name === this.#state.shell) return undefined;
    if (this.#readsLikeShell({ program, verdict })) return shell("prompt", this.#state.line.trimEnd());
    return this.presence.agent === null ? found(this.#agents.ofProgram(name), "program", name) : undefined;
  }

  /** An agent that is known only now: by what was seen of it before. */
  #byNewRules(frame: Frame, foreground: ForegroundState | null): Sighting {
    const { command, prompt, presence } = this.#state;
    if (presence.agent !== null || presence.by === "exit" || this.#state.shell !== null) return undefined;
    const byKernel = foreground === null ? undefined : this.#foreground(foreground);
    if (byKernel !== undefined) return byKernel;
    const byTitle = found(this.#agents.ofTitle(frame.title), "title", frame.title.trim());
    if (byTitle !== undefined || command === null) return byTitle;
    if (typeof command !== "string") return found(this.#agents.ofArguments(command), "start", command.join(" "));
    const isAtPrompt = prompt !== null && !frame.isAlternate && cursorLine(frame).before.trimEnd() === prompt.trimEnd();
    return isAtPrompt ? undefined : found(this.#agents.ofCommandLine(command), "command", command);
  }

  #frame(
    frame: Frame,
    { foreground, isMarkedPrompt }: Pick<TrackerContext, "foreground" | "isMarkedPrompt">,
  ): Sighting {
    // A shell is on the normal screen.
    const { before, after } = frame.isAlternate ? noLine : cursorLine(frame);
    const { isAlternate, hasLeft } = this.#state;
    this.#set({
      hasLeft: hasLeft || (isAlternate && !frame.isAlternate),
      isAlternate: frame.isAlternate,
      line: before,
      showsShell: this.#showsShell(frame, { before, after }),
      row: frame.topLine + frame.cursor.row,
    });
    if (this.presence.agent !== null) {
      const isShellNow = this.#isBackAtShell(frame, after) || (foreground !== null && this.#readsLikeShell(foreground));
      return isShellNow ? shell("prompt", before.trimEnd()) : undefined;
    }
    if (!frame.isAlternate && before.trim() !== "" && looksLikePrompt(before)) return undefined;
    // What an agent that was killed has left behind: the shell reads, or computes between two keys at its prompt.
    if (foreground !== null && (isReadingShell(foreground) || (isMarkedPrompt && isShell(foreground))))
      return undefined;
    const seen = this.#agents.onScreen(frame);
    return seen === null ? undefined : { agent: seen.agent, by: "screen", text: seen.text };
  }

  /** Only of an agent with a box: whether others show their own prompt is not known. */
  #showsShell(frame: Frame, { before, after }: CursorLine): boolean {
    const { boxes = [] } = this.profile ?? {};
    const isPrompt = after === "" && frame.cursor.isVisible && endsLikeShell(before) && looksLikePrompt(before);
    return isPrompt && boxes.length > 0 && findInputBox(frame.lines, boxes) === null;
  }

  /** A shell under the name of an agent: it reads at the prompt of a shell, without a box. */
  #readsLikeShell({ program, verdict }: Pick<ForegroundState, "program" | "verdict">): boolean {
    const { profile } = this;
    const name = programName(program ?? "");
    const isReading = this.#state.showsShell && (verdict === "raw" || verdict === "prompt");
    if (!isReading || profile === undefined || profile.line !== null || this.#agents.ofProgram(name) !== profile)
      return false;
    this.#set({ shell: name });
    return true;
  }

  /** The agent is what the session runs, so no shell waits below it. */
  get #isOwnProgram(): boolean {
    const { presence, command } = this.#state;
    const program = typeof command === "string" ? undefined : command?.[0];
    return presence.by === "start" && program !== undefined && !isShellProgram(program);
  }

  #isBackAtShell(frame: Frame, after: string): boolean {
    if (this.profile?.line?.prompt.test(this.#state.line) === true || this.#isOwnProgram) return false;
    const isAway = this.#state.isAway || this.#state.row !== this.#state.startRow;
    if (isAway !== this.#state.isAway) this.#set({ isAway });
    if (!isAway || frame.isAlternate || !frame.cursor.isVisible) return false;
    const line = this.#state.line.trimEnd();
    const started = this.prompt?.trimEnd() ?? "";
    const isSame = started !== "" && line === started;
    const isAlike = started !== "" && line.at(-1) === started.at(-1) && line.slice(0, 3) === started.slice(0, 3);
    const isNew = after === "" && (isAlike || this.#state.hasLeft) && looksLikePrompt(line);
    if (!isSame && !isNew) return false;
    const box = findInputBox(frame.lines, this.profile?.boxes ?? []);
    // What an inline agent leaves behind stands above the prompt.
    return box === null || frame.cursor.row > box.bottom;
  }
}
