/**
 * The conversation in a session, reduced from its observations: the shell, the agents in it one after another, and what they write.
 *
 * Law: the same frame twice changes nothing.
 */
import type { Frame } from "../screen/frame.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { ChatRules } from "../agents/chat-rules.ts";
import { isShellProgram, programInCommandLine } from "../agents/command-line.ts";
import { cursorLine } from "../agents/cursor-line.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { AgentPresence } from "../observe/agent-tracker.ts";
import { RECORD_SOURCE } from "../transcripts/record-fact.ts";
import type { Cause, Observation, TimedReducer } from "../observe/observation.ts";
import { Conversation, type ConversationState, type MessageRows } from "./conversation.ts";
import { Doubts, type DoubtsState } from "./doubts.ts";
import { LineConversation, type LineConversationState } from "./line-conversation.ts";
import type { ChatMessage } from "./message.ts";
import { MessageLog, type MessageLogState, type MessagePlace } from "./message-log.ts";
import { ProtocolChat, type ProtocolChatState } from "./protocol-chat.ts";
import { RecordFold, type RecordFoldState } from "./record-fold.ts";
import { ShellReader, type ShellCommand, type ShellReaderState } from "./shell-reader.ts";
import { matterOf } from "../dialogs/question-line.ts";
import type { TypedLine } from "../typing/typing.ts";
import { squash } from "../text/squash.ts";

/** Plain JSON. */
export interface ChatFoldState {
  readonly log: MessageLogState;
  readonly record: RecordFoldState;
  readonly doubts: DoubtsState;
  readonly shell: ShellReaderState;
  readonly approvals: ApprovalMessagesState;
  readonly isProbed: boolean;
  readonly program: string;
  readonly unknown: UnknownAgentState;
  /** Null for a program on a terminal. */
  readonly protocol: ProtocolChatState | null;
  readonly agent: {
    readonly name: string;
    readonly firstLine: number;
    readonly conversation: ConversationState | LineConversationState;
  } | null;
}

export class ChatFold implements TimedReducer<ChatMessage, ChatFoldState> {
  readonly #agents: AgentRegistry;
  readonly #log: MessageLog;
  readonly #record: RecordFold;
  readonly #doubts: Doubts;
  readonly #shell: ShellReader;
  readonly #approvals: ApprovalMessages;
  #conversation: Conversation | LineConversation | null = null;
  /** The kernel reports the foreground: in a live session, not in most recordings of others. */
  #isProbed = false;
  /** What the session runs; empty for a shell, whose commands are read. */
  #program: string;
  readonly #unknown: UnknownAgent;
  /** Reads the messages instead of the screen. */
  #protocol: ProtocolChat | null;
  /** The doubts as they were reported last. */
  #told: readonly string[];

  constructor(state?: ChatFoldState, agents: AgentRegistry = builtInAgents) {
    this.#agents = agents;
    this.#log = new MessageLog(state?.log);
    this.#record = new RecordFold(this.#log, state?.record);
    this.#doubts = new Doubts(agents, state?.doubts);
    this.#told = this.#doubts.now.found;
    this.#shell = new ShellReader(this.#log, state?.shell);
    this.#approvals = new ApprovalMessages(this.#log, state?.approvals);
    this.#isProbed = state?.isProbed ?? false;
    this.#program = state?.program ?? "";
    this.#unknown = new UnknownAgent(state?.unknown);
    this.#protocol = state?.protocol == null ? null : new ProtocolChat(this.#log, state.protocol);
    if (state?.agent != null) this.#conversation = this.#resumed(state.agent);
  }

  /** The messages that the last step changed, with their rows on the screen: where encoded events are looked for. */
  get changedRows(): readonly MessageRows[] {
    return this.#conversation?.changed ?? [];
  }

  get readsScreen(): boolean {
    const conversation = this.#conversation;
    return conversation !== null && (conversation.wasAlternate || !conversation.isEmpty);
  }

  /** When the record of the agent adds what the screen has not shown. */
  get wakeUs(): number | null {
    return this.#record.wakeUs;
  }

  /** An approval has changed; called before the step of the observation that changed it. */
  approve(approval: Approval): readonly ChatMessage[] {
    this.#approvals.see(approval);
    return this.#log.take();
  }

  step(observation: Observation): readonly ChatMessage[] {
    const { cause, agent, foreground, hasAgentChanged, offset, timeUs } = observation;
    const place = { offset, timeUs };
    if (hasAgentChanged) this.#meet(agent);
    switch (cause.type) {
      case "frame":
        if (this.#protocol === null) this.#frame(observation);
        break;
      case "shell-mark":
        this.#shellMark(cause.mark, { offset, timeUs });
        break;
      case "exit":
        this.#exit(cause, { offset, timeUs });
        break;
      case "input":
        if (!cause.isSecret) this.#input(cause, { offset, timeUs });
        break;
      case "mark":
        this.#log.mark(cause.mark);
        if (observation.protocol !== null)
          (this.#protocol ??= new ProtocolChat(this.#log)).step(observation.protocol.events, agent.agent, place);
        if (cause.mark.type === "wire-turn" && cause.mark.text !== "") this.#doubts.answered();
        break;
      case "gap":
        this.#conversation?.gap({ offset, timeUs });
        break;
      case "foreground":
        this.#isProbed ||= foreground?.verdict !== "not-available";
        break;
      case "start":
        this.#program = isInteractiveShell(cause.command) ? "" : cause.command.join(" ");
        break;
      case "fact":
        if (cause.source === RECORD_SOURCE) this.#record.take(cause.payload, { offset, timeUs });
        break;
      case "program-status":
        if (cause.change?.state === "done") this.#doubts.answered();
        break;
      case "title":
      case "progress":
      case "tab-status":
      case "tick":
        break;
    }
    const { hasChanged } = this.#log;
    this.#record.settle({ offset, timeUs }, { hasChanged, isOver: cause.type === "exit" });
    return this.#judged(this.#log.take(), { offset, timeUs });
  }

  /** With the message that begins the conversation, if there is something else to doubt in it now. */
  #judged(messages: readonly ChatMessage[], place: MessagePlace): readonly ChatMessage[] {
    this.#doubts.see(messages);
    const { found, start } = this.#doubts.now;
    if (found === this.#told || start === null) return messages;
    this.#told = found;
    this.#log.doubt(start, { doubts: found, isIncomplete: this.#doubts.isIncomplete }, place);
    return [...messages, ...this.#log.take()];
  }

  save(): ChatFoldState {
    const conversation = this.#conversation;
    return {
      log: this.#log.save(),
      record: this.#record.save(),
      doubts: this.#doubts.save(),
      shell: this.#shell.save(),
      approvals: this.#approvals.save(),
      isProbed: this.#isProbed,
      program: this.#program,
      unknown: this.#unknown.save(),
      protocol: this.#protocol?.save() ?? null,
      agent:
        conversation === null
          ? null
          : { name: conversation.rules.name, firstLine: conversation.firstLine, conversation: conversation.save() },
    };
  }

  #frame({ screen, agent: presence, typing: { pastes } }: Observation): void {
    if (screen === null) return;
    const { frame } = screen;
    const conversation = this.#conversation;
    if (conversation !== null) {
      const prompt = this.#isBelowShell(presence, frame) ? this.#shell.promptLine(frame) : null;
      if (prompt === null || prompt < conversation.firstLine) conversation.frame(frame, pastes);
      else this.#leave(conversation, { frame, prompt });
      return;
    }
    const command = this.#shell.frame(frame, this.#isAgent);
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    if (command !== null && this.#isAgent(command.command)) this.#startAgent(command, place);
    else if (presence.agent !== null && frame.isAlternate)
      // An agent that was started at a prompt that was not read as one.
      this.#begin(this.#agents.chatOf(presence.agent, presence.text), { firstLine: this.#shell.yield(place), place });
    else {
      if (command !== null) this.#unknown.reset();
      if (frame.isAlternate) this.#unknownProgram(frame, place);
    }
    this.#conversation?.frame(frame, pastes);
  }

  /** It is not if it is the session's own program; and an agent that reads lines is not gone while its own prompt is shown. */
  #isBelowShell({ by, agent }: AgentPresence, frame: Frame): boolean {
    if (by === "start" && this.#program !== "") return false;
    return this.#agents.named(agent)?.line?.prompt.test(cursorLine(frame).before) !== true;
  }

  readonly #isAgent = (line: string): boolean => this.#agents.ofCommandLine(line) !== null;

  #startAgent({ command, firstLine }: ShellCommand, place: MessagePlace): void {
    const agent = this.#agents.ofCommandLine(command);
    if (agent !== null) this.#begin(this.#agents.chatOf(agent, command), { firstLine, place });
  }

  /** An unknown program uses the full screen: it is read if it turns out to be an agent. */
  #unknownProgram(frame: Frame, place: MessagePlace): void {
    if (this.#shell.isIdle && this.#program !== "") this.#shell.run(this.#program, frame);
    const { command } = this.#shell;
    if (command === null) return;
    const rules = this.#agents.chatOf(programInCommandLine(command), "");
    if (this.#unknown.isShown(frame, rules)) this.#begin(rules, { firstLine: this.#shell.yield(place), place });
  }

  #input({ items, lines, handedOver }: Extract<Cause, { type: "input" }>, place: MessagePlace): void {
    if (handedOver === undefined) this.#shell.input(items);
    else if (this.#conversation === null) this.#shell.handOver(handedOver);
    if (this.#conversation === null) this.#unknown.typed(lines);
    else
      for (const { text, isKnown } of lines) {
        if (!isKnown) continue;
        this.#conversation.typed(text, place);
        this.#doubts.typed(text);
      }
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
    this.#conversation = this.#conversationOf(rules, firstLine);
    this.#unknown.reset();
  }

  #conversationOf(rules: ChatRules, firstLine: number): Conversation | LineConversation {
    const { agent } = rules;
    const line = this.#agents.named(agent)?.line ?? null;
    if (line === null) return new Conversation(rules, this.#log, firstLine);
    return new LineConversation({ agent, rules: line }, this.#log, firstLine);
  }

  /** An agent file may have changed since between an agent that reads lines and one that does not: it is read anew then. */
  #resumed({ name, firstLine, conversation }: NonNullable<ChatFoldState["agent"]>): Conversation | LineConversation {
    const rules = this.#agents.chatNamed(name);
    const line = this.#agents.named(rules.agent)?.line ?? null;
    if ("sent" in conversation)
      return line === null
        ? this.#conversationOf(rules, firstLine)
        : new LineConversation({ agent: rules.agent, rules: line }, this.#log, conversation);
    return line === null ? new Conversation(rules, this.#log, conversation) : this.#conversationOf(rules, firstLine);
  }

  /** The shell waits again: the agent is gone. */
  #leave(conversation: Conversation | LineConversation, { frame, prompt }: { frame: Frame; prompt: number }): void {
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    const text = conversation.closing(frame, prompt);
    this.#doubts.judge();
    conversation.end(place);
    this.#log.forget(this.#log.say({ id: null, role: "exit", agent: conversation.rules.agent, text }, place));
    this.#conversation = null;
    this.#shell.resume(frame, prompt);
  }

  /** In a recording of another recorder no mark is trusted and nothing contradicts one: its exit codes are the best there are. */
  #shellMark(mark: ShellMark, place: MessagePlace): void {
    if (this.#conversation !== null) return;
    const command = mark.type === "output-start" && mark.isTrusted ? this.#shell.started(place, this.#isAgent) : null;
    if (command !== null && this.#isAgent(command.command)) this.#startAgent(command, place);
    else if (command !== null) this.#unknown.reset();
    if (mark.type !== "output-end") return;
    if (mark.isTrusted || !this.#isProbed) this.#shell.ended(mark.exitCode);
  }

  #exit({ code, signal }: Extract<Cause, { type: "exit" }>, place: MessagePlace): void {
    const agent = this.#conversation?.rules.agent ?? null;
    this.#conversation?.end(place);
    if (agent !== null) this.#doubts.judge();
    this.#conversation = null;
    this.#shell.end(place);
    const text = signal !== null ? `ended by ${signal}` : code === null ? "ended" : `exit code ${code}`;
    this.#log.forget(this.#log.say({ id: null, role: "exit", agent, text }, place));
  }
}

const isInteractiveShell = ([program = "", ...words]: readonly string[]): boolean =>
  isShellProgram(program) && !words.some((word) => /^-[a-z]*c$/.test(word));

// Questions to a person as messages, with the answer when there is one.

/** Message ids of the approvals that are open, by the approval's id. */
type ApprovalMessagesState = Readonly<Record<string, string>>;

export class ApprovalMessages {
  readonly #log: MessageLog;
  readonly #open: Map<string, string>;

  constructor(log: MessageLog, state: ApprovalMessagesState = {}) {
    this.#log = log;
    this.#open = new Map(Object.entries(state));
  }

  see(approval: Approval): void {
    // What nobody reads is not a part of the conversation.
    if (approval.state === "hint" && !this.#open.has(approval.id)) return;
    const known = this.#open.get(approval.id) ?? null;
    const isOpen = approval.state === "open" || approval.state === "hint";
    const id = this.#log.say(
      {
        id: known,
        role: "approval",
        agent: approval.agent,
        text: approvalText(approval),
        approval: approval.id,
        isPartial: isOpen,
        source: approval.source === "protocol" ? "protocol" : "screen",
      },
      { offset: approval.offset, timeUs: approval.answer?.timeUs ?? approval.timeUs },
    );
    this.#open.set(approval.id, id);
    if (isOpen) return;
    this.#open.delete(approval.id);
    this.#log.forget(id);
  }

  save(): ApprovalMessagesState {
    return Object.fromEntries(this.#open);
  }
}

/** The question, what it is about, the options with the one that was taken marked, who answered. */
export function approvalText(approval: Approval): string {
  const { question, options, answer, state } = approval;
  const matter = matterOf(approval) ?? approval.details;
  const lines = options.map(({ id, label }) => `${answer?.option === id ? "[x]" : "[ ]"} ${id}. ${label}`);
  const end = answer === null ? (state === "gone" ? ["gone without an answer"] : []) : [`answered by ${answer.by}`];
  return [question, matter, ...lines, ...end].filter((line) => line !== "").join("\n");
}

// Distinguishes an agent without rules from an editor or a pager, by what it does with a prompt: the text that was typed into its input
// box appears above that box, behind the mark of a prompt.

/** What was typed and sent to the program, oldest first. */
type UnknownAgentState = readonly string[];

const LINES_MAX = 8;
/** Shorter ones are keys of a program rather than prompts. */
const LINE_CHARS_MIN = 3;

export class UnknownAgent {
  #sent: UnknownAgentState;

  constructor(state: UnknownAgentState = []) {
    this.#sent = state;
  }

  typed(lines: readonly TypedLine[]): void {
    const prompts = lines.filter(({ text, isKnown }) => isKnown && squash(text).length >= LINE_CHARS_MIN);
    this.#sent = [...this.#sent, ...prompts.map(({ text }) => squash(text))].slice(-LINES_MAX);
  }

  /** Another program reads from here on. */
  reset(): void {
    this.#sent = [];
  }

  /** `rules`: those for agents of which nothing is known. */
  isShown(frame: Frame, rules: ChatRules): boolean {
    if (this.#sent.length === 0) return false;
    const window = rules.window(frame);
    if (window?.end !== "box") return false;
    return frame.lines.slice(window.from, window.to).some((line) => {
      const { role, isStart = false, text } = rules.read(line, frame.columns);
      const shown = squash(text);
      if (role !== "user" || !isStart || shown.length < LINE_CHARS_MIN) return false;
      // A long one takes several rows; behind a short one may be a time.
      return this.#sent.some((sent) => sent.startsWith(shown) || shown.startsWith(sent));
    });
  }

  save(): UnknownAgentState {
    return this.#sent;
  }
}
