/**
 * The conversation in a session as a fold over its steps: the shell, the agents in it one after another, and what they say.
 *
 * Law: the same steps give the same messages; the same frame twice changes nothing; a fold restored from what it saved goes on.
 */
import type { Frame } from "../screen/frame.ts";
import type { Fold, Step } from "../views/fold.ts";
import type { ShellMark } from "../readiness/shell-marks.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { ChatRules } from "../agents/chat-rules.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { AgentTracker, type AgentPresence, type AgentTrackerState } from "../agents/tracker.ts";
import { ApprovalMessages, type ApprovalMessagesState } from "./approval-messages.ts";
import { Conversation, type ConversationState, type MessageRows } from "./conversation.ts";
import type { ChatMessage } from "./message.ts";
import { MessageLog, type MessageLogState, type MessagePlace } from "./message-log.ts";
import { PastedTexts, type PastedTextsState } from "./pasted-texts.ts";
import { ShellReader, type ShellReaderState } from "./shell-reader.ts";

/** Plain JSON. */
export interface ChatFoldState {
  readonly log: MessageLogState;
  readonly shell: ShellReaderState;
  readonly approvals: ApprovalMessagesState;
  readonly tracker: AgentTrackerState;
  readonly pasted: PastedTextsState;
  /** Missing in what an older version saved. */
  readonly isProbed?: boolean;
  readonly agent: {
    readonly name: string;
    readonly firstLine: number;
    readonly conversation: ConversationState;
  } | null;
}

export class ChatFold implements Fold<ChatMessage, ChatFoldState> {
  readonly #agents: AgentRegistry;
  readonly #log: MessageLog;
  readonly #shell: ShellReader;
  readonly #approvals: ApprovalMessages;
  readonly #tracker: AgentTracker;
  readonly #pasted: PastedTexts;
  #conversation: Conversation | null = null;
  #firstLine = 0;
  /** The kernel reports the foreground: in a live session, not in most recordings of others. */
  #isProbed = false;

  constructor(state?: ChatFoldState, agents: AgentRegistry = builtInAgents) {
    this.#agents = agents;
    this.#log = new MessageLog(state?.log);
    this.#shell = new ShellReader(this.#log, state?.shell);
    this.#approvals = new ApprovalMessages(this.#log, state?.approvals);
    this.#tracker = new AgentTracker(state?.tracker, agents);
    this.#pasted = new PastedTexts(state?.pasted);
    this.#isProbed = state?.isProbed ?? false;
    if (state?.agent == null) return;
    const rules = agents.chatNamed(state.agent.name);
    this.#conversation = new Conversation(rules, { log: this.#log, pasted: this.#pasted }, state.agent.conversation);
    this.#firstLine = state.agent.firstLine;
  }

  get wakeUs(): number | null {
    return null;
  }

  /** The messages that the last step changed, with their rows on the screen: where encoded events are looked for. */
  get changedRows(): readonly MessageRows[] {
    return this.#conversation?.changed ?? [];
  }

  step(step: Step): readonly ChatMessage[] {
    const presence = this.#tracker.step(step);
    if (presence !== null) this.#meet(presence);
    switch (step.type) {
      case "frame":
        this.#frame(step.frame);
        break;
      case "shell-mark":
        this.#shellMark(step.mark);
        break;
      case "approval":
        this.#approvals.see(step.approval);
        break;
      case "exit":
        this.#exit(step);
        break;
      case "input":
        if (step.isSecret) break;
        this.#pasted.input(step.bytes);
        this.#shell.input(step.bytes);
        break;
      case "mark":
        this.#log.mark(step.event);
        break;
      case "gap":
        this.#conversation?.gap(step);
        break;
      case "foreground":
        this.#isProbed ||= step.verdict !== "not-available";
        break;
      case "start":
      case "osc":
      case "tick":
        break;
    }
    return this.#log.take();
  }

  save(): ChatFoldState {
    const conversation = this.#conversation;
    return {
      log: this.#log.save(),
      shell: this.#shell.save(),
      approvals: this.#approvals.save(),
      tracker: this.#tracker.save(),
      pasted: this.#pasted.save(),
      isProbed: this.#isProbed,
      agent:
        conversation === null
          ? null
          : { name: conversation.rules.name, firstLine: this.#firstLine, conversation: conversation.save() },
    };
  }

  #frame(frame: Frame): void {
    const conversation = this.#conversation;
    if (conversation !== null) {
      const prompt = this.#shell.promptLine(frame);
      if (prompt === null || prompt < this.#firstLine) conversation.frame(frame);
      else this.#leave(conversation, { frame, prompt });
      return;
    }
    const command = this.#shell.frame(frame, (line) => this.#agents.ofCommandLine(line) !== null);
    const agent = command === null ? null : this.#agents.ofCommandLine(command.command);
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    if (command !== null && agent !== null)
      this.#begin(this.#agents.chatOf(agent, command.command), { firstLine: command.firstLine, place });
    else if (!this.#beginUnseen(frame, place)) return;
    this.#conversation?.frame(frame);
  }

  /** An agent that was started at a prompt that was not read as one. */
  #beginUnseen(frame: Frame, place: MessagePlace): boolean {
    const { agent, text } = this.#tracker.presence;
    if (agent === null || !frame.isAlternate) return false;
    this.#begin(this.#agents.chatOf(agent, text), { firstLine: this.#shell.yield(place), place });
    return true;
  }

  /** An agent that the command line did not tell: an alias, a script, or what was started without a shell. */
  #meet({ agent, by, text, ...place }: AgentPresence): void {
    if (agent === null || this.#conversation !== null) return;
    // The reader of the shell tells where the command ends, but of what was typed before there was a prompt it knows nothing.
    if (by === "command" && !this.#shell.isIdle) return;
    const firstLine = by === "start" ? 0 : this.#shell.yield(place);
    this.#begin(this.#agents.chatOf(agent, text), { firstLine, place });
  }

  #begin(rules: ChatRules, { firstLine, place }: { firstLine: number; place: MessagePlace }): void {
    this.#log.start(rules.agent, place);
    this.#conversation = new Conversation(rules, { log: this.#log, pasted: this.#pasted }, firstLine);
    this.#firstLine = firstLine;
  }

  /** The shell waits again: the agent is gone. */
  #leave(conversation: Conversation, { frame, prompt }: { frame: Frame; prompt: number }): void {
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    const text = conversation.closing(frame, prompt);
    conversation.end(place);
    this.#log.forget(this.#log.say({ id: null, role: "exit", agent: conversation.rules.agent, text }, place));
    this.#conversation = null;
    this.#shell.resume(frame, prompt);
  }

  /** In a recording of another recorder no mark is trusted and nothing contradicts one: its exit codes are the best there are. */
  #shellMark(mark: ShellMark): void {
    if (this.#conversation !== null || mark.type !== "output-end") return;
    if (mark.isTrusted || !this.#isProbed) this.#shell.ended(mark.exitCode);
  }

  #exit({ code, signal, ...place }: { code: number | null; signal: string | null } & MessagePlace): void {
    const agent = this.#conversation?.rules.agent ?? null;
    this.#conversation?.end(place);
    this.#conversation = null;
    this.#shell.end(place);
    const text = signal !== null ? `ended by ${signal}` : code === null ? "ended" : `exit code ${code}`;
    this.#log.forget(this.#log.say({ id: null, role: "exit", agent, text }, place));
  }
}
