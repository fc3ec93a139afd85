/**
 * Makes the observations of one session: it owns the one tracker of agents, the one reader of what is typed, and what the kernel
 * reported last.
 */
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { ReaderContext } from "../dialogs/reader.ts";
import type { DraftContext, Reader } from "../acting/draft.ts";
import { awaitsInput, type Mark } from "../records.ts";
import type { Frame } from "../screen/frame.ts";
import { Typing, type TypingState } from "../typing/typing.ts";
import { AgentTracker, type AgentTrackerState } from "./agent-tracker.ts";
import type { Cause, ForegroundState, Observation } from "./observation.ts";
import { limitNoticeOf } from "./limit-notice.ts";
import { SeenFacts } from "../facts/seen-facts.ts";
import { ProtocolReader, type ProtocolReaderState } from "./protocol-reader.ts";
import { ScreenFacts } from "./screen-facts.ts";
import { PromptPresence, type PromptPresenceState } from "./prompt-presence.ts";
import type { Step } from "./step.ts";
import { readShellMark } from "../shell-marks/shell-mark.ts";
import type { OscSequence } from "../text/osc-reader.ts";
import { parseProgramStatus } from "./program-report.ts";

export interface ObserverOptions {
  /** The nonce of the session's shell marks: only marks that have it are trusted. Default null, which trusts none. */
  readonly markNonce?: string | null;
  /** Default: the built-in agents. */
  readonly agents?: AgentRegistry;
}

/** Plain data. */
export interface ObserverState {
  readonly tracker: AgentTrackerState;
  readonly typing: TypingState;
  readonly foreground: ForegroundState | null;
  readonly shell: PromptPresenceState;
  /** The process that was last seen waiting for a line or a key. */
  readonly lastPid: number | null;
  readonly inputOffset: number;
  /** A dialog stood on the last frame. */
  readonly hasDialog: boolean;
  readonly facts: readonly string[];
  readonly protocol: ProtocolReaderState;
  readonly timeZone: string | null;
  /** The command that a shell was offered last. */
  readonly offered: OfferedCommand | null;
  readonly place: Place;
}

type OfferedCommand = Pick<Extract<Mark, { type: "command" }>, "id" | "text">;

/** Where and when the last step was. */
interface Place {
  readonly offset: number;
  readonly end: number;
  readonly timeUs: number;
}

export class Observer {
  readonly #markNonce: string | null;
  readonly #tracker: AgentTracker;
  readonly #typing: Typing;
  readonly #shell: PromptPresence;
  readonly #facts: SeenFacts;
  readonly #protocol: ProtocolReader;
  #foreground: ForegroundState | null;
  #lastPid: number | null;
  /** Of the last input. */
  #inputOffset: number;
  #hasDialog: boolean;
  /** In which the program writes times; null if it is not known. */
  #timeZone: string | null;
  #offered: OfferedCommand | null;
  #place: Place;

  constructor({ markNonce = null, agents = builtInAgents }: ObserverOptions = {}, state?: ObserverState) {
    this.#markNonce = markNonce;
    this.#tracker = new AgentTracker(state?.tracker, agents);
    this.#typing = new Typing(state?.typing);
    this.#shell = new PromptPresence(state?.shell);
    this.#facts = new SeenFacts(state?.facts);
    this.#protocol = new ProtocolReader(state?.protocol);
    this.#foreground = state?.foreground ?? null;
    this.#lastPid = state?.lastPid ?? null;
    this.#inputOffset = state?.inputOffset ?? 0;
    this.#hasDialog = state?.hasDialog ?? false;
    this.#timeZone = state?.timeZone ?? null;
    this.#offered = state?.offered ?? null;
    this.#place = state?.place ?? { offset: 0, end: 0, timeUs: 0 };
  }

  /** Null for a step that shows nothing about the session. */
  step(step: Step): Observation | null {
    const cause = this.#causeOf(step);
    if (cause === null) return null;
    this.#place = placeOf(step, this.#place);
    const frame = ("frame" in step ? step.frame : undefined) ?? null;
    const foreground = this.#foreground;
    const { isMarked: isMarkedPrompt } = this.#shell;
    const hasAgentChanged = this.#tracker.step(cause, { ...this.#place, frame, foreground, isMarkedPrompt });
    if (hasAgentChanged) this.#typing.reset({ mayHold: this.#tracker.profile === undefined });
    this.#shell.step(cause, { frame, foreground });
    const screen = frame === null ? null : this.screen(frame);
    if (step.type === "frame") this.#hasDialog = this.#tracker.profile !== undefined && screen?.dialog !== null;
    const limit = limitNoticeOf(cause, { screen, timeUs: this.#place.timeUs, timeZone: this.#timeZone });
    const protocol = this.#protocolOf(cause);
    return { ...this.#place, ...this.#present(), cause, screen, protocol, limit, hasAgentChanged };
  }

  /** What stands on a screen, with what is known of the session now. */
  screen(frame: Frame): ScreenFacts {
    return new ScreenFacts(frame, { ...this.#reader(), prompt: this.#tracker.prompt });
  }

  /** What the kernel reported last. */
  get foreground(): ForegroundState | null {
    return this.#foreground;
  }

  /** The program in the foreground is an agent, as far as is known. */
  get isAgent(): boolean {
    return this.#tracker.profile !== undefined;
  }

  /** A shell in the foreground reads a command: what is typed is run. */
  get isAtShellPrompt(): boolean {
    return this.#shell.isAtPrompt(this.#foreground);
  }

  /** What `draftOf` needs beside the frame. */
  get draftContext(): DraftContext {
    const { profile, prompt } = this.#tracker;
    return {
      profile,
      prompt,
      typed: this.#typing.line,
      answers: this.#typing.answers,
      inputOffset: this.#inputOffset,
      foreground: this.#foreground,
      isMarkedPrompt: this.#shell.isMarked,
      isMarkedMore: this.#shell.isMarkedMore,
      firstPrompt: this.#shell.firstPrompt(this.#foreground),
      isAtShellPrompt: this.isAtShellPrompt,
      reader: this.reader,
    };
  }

  /** Who takes what is typed. */
  get reader(): Reader {
    const { presence, profile } = this.#tracker;
    const { run } = presence;
    const agent = profile === undefined ? null : presence.agent;
    const { verdict, pid } = this.#foreground ?? { verdict: "unknown" as const, pid: null };
    return { agent, run, pid: awaitsInput(verdict) ? pid : null, lastPid: this.#lastPid };
  }

  save(): ObserverState {
    return {
      tracker: this.#tracker.save(),
      typing: this.#typing.save(),
      foreground: this.#foreground,
      lastPid: this.#lastPid,
      inputOffset: this.#inputOffset,
      shell: this.#shell.save(),
      hasDialog: this.#hasDialog,
      facts: this.#facts.save(),
      protocol: this.#protocol.save(),
      timeZone: this.#timeZone,
      offered: this.#offered,
      place: this.#place,
    };
  }

  #present(): Pick<Observation, "agent" | "profile" | "prompt" | "typing" | "foreground" | "reader"> {
    const { presence: agent, profile, prompt } = this.#tracker;
    const { line, pastes } = this.#typing;
    const reader = this.#reader();
    return { agent, profile, prompt, typing: { line, pastes }, foreground: this.#foreground, reader };
  }

  #reader(): ReaderContext {
    const { presence, profile } = this.#tracker;
    const { canonical = null, verdict = null, program = null, isRelay = false } = this.#foreground ?? {};
    const isGuessed = presence.by === "title" || presence.by === "status" || presence.by === "screen";
    return { profile, isGuessed, verdict, canonical, program, isRelay, isAtShellPrompt: this.isAtShellPrompt };
  }

  #causeOf(step: Step): Cause | null {
    switch (step.type) {
      case "start":
        this.#timeZone = step.timeZone ?? null;
        return { type: "start", command: step.command, agent: step.agent ?? null, eventNonce: step.eventNonce ?? null };
      case "osc":
        return this.#handedOver(oscCause(step.sequence, this.#markNonce));
      case "input":
        return this.#input(step);
      case "foreground": {
        const before = this.#foreground?.verdict ?? null;
        const { type: _, frame: _frame, ...facts } = step;
        this.#foreground = { pid: null, echo: null, canonical: null, runsScript: null, ...facts };
        const { verdict, pid } = this.#foreground;
        // Who asks for a password reads nothing else.
        if (verdict === "raw" || verdict === "prompt") this.#lastPid = pid;
        return { type: "foreground", before };
      }
      case "mark":
        return this.#markCause(step.event);
      case "exit":
        return { type: "exit", code: step.code, signal: step.signal };
      case "frame":
        return { type: "frame", hasNewRules: step.hasNewRules === true };
      case "gap":
      case "tick":
        return { type: step.type };
    }
  }

  #protocolOf(cause: Cause): Observation["protocol"] {
    if (cause.type === "exit") return this.#protocol.end();
    if (cause.type === "fact") return this.#protocol.take(cause);
    return cause.type === "mark" ? this.#protocol.take(cause.mark) : null;
  }

  #markCause(mark: Mark): Cause | null {
    if (mark.type === "command") this.#offered = { id: mark.id, text: mark.text };
    if (mark.type !== "fact") return { type: "mark", mark };
    return this.#facts.take(mark) ? mark : null;
  }

  /** What a shell has taken is as good as typed, and nothing stands in its line. */
  #handedOver(cause: Cause | null): Cause | null {
    if (cause?.type !== "shell-mark" || cause.mark.type !== "act" || !cause.mark.isTrusted) return cause;
    const { offered } = { offered: this.#offered };
    if (cause.mark.answer !== "taken" || cause.mark.id !== offered?.id) return cause;
    const { text } = offered;
    this.#offered = null;
    this.#typing.clear();
    const lines = [{ text, isKnown: true }];
    return {
      type: "input",
      isSecret: false,
      items: [{ type: "enter", raw: "\r" }],
      lines,
      isFirst: false,
      handedOver: text,
    };
  }

  #input({ bytes, isSecret, offset }: Extract<Step, { type: "input" }>): Cause {
    this.#inputOffset = offset;
    const typed = this.#typing.input(bytes, { isSecret, isAgent: this.isAgent });
    // Keys for a dialog of an agent are not part of a prompt.
    if (!this.#hasDialog) return { type: "input", isSecret, ...typed };
    this.#typing.clear();
    return { type: "input", isSecret, ...typed, lines: [] };
  }
}

function placeOf(step: Step, before: Place): Place {
  switch (step.type) {
    case "osc":
      return { offset: step.sequence.offset, end: step.sequence.end, timeUs: step.timeUs };
    case "frame":
      // A screen that is read again is older than what was seen last, and time does not go back.
      if (step.hasNewRules === true) return { ...before, timeUs: Math.max(before.timeUs, step.frame.timeUs) };
      return { offset: step.frame.offset, end: step.frame.offset, timeUs: step.frame.timeUs };
    case "tick":
      return { ...before, timeUs: step.timeUs };
    case "mark":
      return { offset: step.offset, end: step.end, timeUs: step.timeUs };
    default:
      return { offset: step.offset, end: step.offset, timeUs: step.timeUs };
  }
}

/** `markNonce` is that of the session's shell marks; null if it has none. Null for a sequence that says nothing about the session. */
export function oscCause(sequence: OscSequence, markNonce: string | null): Cause | null {
  const { command, data } = sequence;
  switch (command) {
    case 0:
    case 2:
      return { type: "title", text: data };
    case 9:
      return progressCause(data);
    case 7501:
      return { type: "program-status", change: parseProgramStatus(data) };
    case 21337:
      return { type: "tab-status", status: /(?:^|;)status=([^;]*)/.exec(data)?.[1]?.toLowerCase() ?? "" };
    default: {
      const mark = readShellMark(sequence, markNonce);
      return mark === undefined ? null : { type: "shell-mark", mark };
    }
  }
}

/** 9;4: 1 and 3 are progress, 0 is none. 2 and 4 are an error and a pause, which say nothing of what the program does. */
function progressCause(data: string): Cause | null {
  const state = /^4;([013])(?:;|$)/.exec(data)?.[1];
  return state === undefined ? null : { type: "progress", isActive: state !== "0", text: `9;${data}` };
}
