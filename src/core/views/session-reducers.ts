/**
 * The reducers of one session and the observer before them, composed in one place: the daemon, the reports, the benches and the library
 * run this. An approval is known before the step that shows it, to status and chat: else a status would be reported that lasts no time.
 */
import type { AnswerKeys } from "../dialogs/answer-keys.ts";
import { whyUnread } from "../dialogs/reader.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { ApprovalFold, type ApprovalFoldState } from "../approvals/approval-fold.ts";
import { ChatFold, type ChatFoldState } from "../chat/chat-fold.ts";
import { protocolApprovals } from "../approvals/protocol-approval.ts";
import type { ChatMessage, MessageRole } from "../chat/message.ts";
import type { SightingPlace } from "../events/encoded-events.ts";
import { SessionEvents, type SessionEventsOptions, type SessionEventsState } from "../events/session-events.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import { IntentFold, type Intent } from "../intents/intent-fold.ts";
import { ConversationFold, type AgentConversation } from "../conversations/conversation-fold.ts";
import type { Observation } from "../observe/observation.ts";
import { Observer, type ObserverOptions, type ObserverState } from "../observe/observer.ts";
import type { Step } from "../observe/step.ts";
import { askedDraft, draftOf, type Draft, type Reader } from "../acting/draft.ts";
import type { Frame } from "../screen/frame.ts";
import { StatusFold, type StatusFoldState } from "../status/status-fold.ts";
import { UsageFold, type UsageFoldState } from "../usage/usage-fold.ts";
import type { ViewChange } from "./change.ts";
import { SummaryFold, type SummaryFoldState } from "./summary-fold.ts";

export interface SessionReducersOptions extends ObserverOptions {
  readonly agents?: AgentRegistry;
  readonly events?: SessionEventsOptions;
}

/** Plain data. */
export interface SessionReducersState {
  readonly observer: ObserverState;
  readonly events: SessionEventsState;
  readonly approvals: ApprovalFoldState;
  readonly status: StatusFoldState;
  readonly chat: ChatFoldState;
  readonly usage: UsageFoldState;
  readonly intents: readonly Intent[];
  readonly conversation: AgentConversation | null;
  /** Null if the session has no summaries. */
  readonly summaries: SummaryFoldState | null;
}

export class SessionReducers {
  readonly #observer: Observer;
  readonly #events: SessionEvents;
  readonly #approvals: ApprovalFold;
  readonly #status: StatusFold;
  readonly #chat: ChatFold;
  readonly #usage: UsageFold;
  readonly #intents: IntentFold;
  readonly #conversation: ConversationFold;
  readonly #summaries: SummaryFold | null;

  constructor(options: SessionReducersOptions = {}, state?: SessionReducersState) {
    this.#observer = new Observer(options, state?.observer);
    this.#events = new SessionEvents(options.events, state?.events);
    this.#approvals = new ApprovalFold(state?.approvals);
    this.#status = new StatusFold(state?.status);
    this.#chat = new ChatFold(state?.chat, options.agents);
    this.#usage = new UsageFold(state?.usage);
    this.#intents = new IntentFold(state?.intents);
    this.#conversation = new ConversationFold(state?.conversation);
    this.#summaries = options.events?.summaries === true ? new SummaryFold(state?.summaries ?? undefined) : null;
  }

  /** When one of them wants a tick; null if time alone changes nothing. */
  get wakeUs(): number | null {
    const folds = [this.#events, this.#approvals, this.#status, this.#chat, this.#summaries];
    const times = folds.map((fold) => fold?.wakeUs ?? null);
    return times.reduce((one, other) => (one === null || other === null ? (one ?? other) : Math.min(one, other)), null);
  }

  /** What the kernel reported last about the program in the foreground. */
  get foreground(): Pick<Observer, "foreground" | "isAtShellPrompt"> {
    return this.#observer;
  }

  /** Who takes what is typed. */
  get reader(): Reader {
    return this.#observer.reader;
  }

  /** The program in the foreground is an agent. */
  get isAgent(): boolean {
    return this.#observer.isAgent;
  }

  /** The keys that lead to an answer now; null if the approval is not open, or is not answered by keys. */
  keysFor(approval: string, option: string, frame: Frame): AnswerKeys | null {
    if (this.#approvals.open?.id !== approval) return null;
    return this.#approvals.keysFor(option, this.#observer.screen(frame));
  }

  /** Why nobody is known to read the answer to what the screen asks; null if somebody does, and if it asks nothing. */
  whyUnread(frame: Frame): string | null {
    const { dialog, context } = this.#observer.screen(frame);
    return dialog === null ? null : whyUnread(dialog.layout, context);
  }

  /** What was typed and not entered; also of a question that was not reported yet, because the screen has not come to rest. */
  draft(frame: Frame): Draft {
    const { dialog } = this.#observer.screen(frame);
    if (dialog !== null && this.whyUnread(frame) === null) return askedDraft(this.#observer.reader);
    const draft = draftOf(frame, this.#observer.draftContext);
    return dialog?.layout === "unknown" ? { ...draft, showsInput: false } : draft;
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): ViewChange[] {
    if (this.#chat.readsScreen) {
      this.#events.skip();
      return [];
    }
    const changes = this.#events.output(bytes, offset, timeUs).map((event) => eventChange(event, timeUs));
    this.#summaries?.take(changes, { end: offset + bytes.length, timeUs });
    return changes;
  }

  step(step: Step): ViewChange[] {
    const observation = this.#observer.step(step);
    return observation === null ? [] : this.#reduce(observation);
  }

  save(): SessionReducersState {
    return {
      observer: this.#observer.save(),
      events: this.#events.save(),
      approvals: this.#approvals.save(),
      status: this.#status.save(),
      chat: this.#chat.save(),
      usage: this.#usage.save(),
      intents: this.#intents.save(),
      conversation: this.#conversation.save(),
      summaries: this.#summaries?.save() ?? null,
    };
  }

  #reduce(observation: Observation): ViewChange[] {
    const changes = this.#changesOf(observation);
    if (this.#summaries === null) return changes;
    const summaries = [...this.#summaries.take(changes, observation), ...this.#summaries.step(observation)];
    return [...changes, ...summaries.map((event) => eventChange(event, observation.timeUs))];
  }

  #changesOf(observation: Observation): ViewChange[] {
    // A change belongs behind what made it.
    const place = { offset: observation.end, timeUs: observation.timeUs };
    // A question of a protocol comes with its call, which is said first.
    const first = observation.protocol === null ? null : this.#chat.step(observation);
    const approvals = [...this.#approvals.step(observation), ...protocolApprovals(observation)];
    const changes: ViewChange[] = approvals.map((approval) => ({ kind: "approval", ...place, approval }));
    for (const approval of approvals) {
      for (const status of this.#status.approve(approval, observation))
        changes.push({ kind: "status", ...place, status });
      for (const message of this.#chat.approve(approval))
        changes.push({ kind: "message", ...place, message: this.#readable(message) });
    }
    for (const status of this.#status.step(observation)) changes.push({ kind: "status", ...place, status });
    const messages = first ?? this.#chat.step(observation);
    for (const message of messages) changes.push({ kind: "message", ...place, message: this.#readable(message) });
    for (const { usage, hour } of this.#usage.step(observation)) changes.push({ kind: "usage", ...place, usage, hour });
    for (const intents of this.#intents.step(observation)) changes.push({ kind: "intents", ...place, intents });
    for (const conversation of this.#conversation.step(observation))
      changes.push({ kind: "conversation", ...place, conversation });
    for (const event of this.#eventsOf(observation, messages)) changes.push(eventChange(event, place.timeUs));
    return changes;
  }

  /** Of an agent whose messages are read, plain tags and encoded events are searched in these. */
  #eventsOf(observation: Observation, messages: readonly ChatMessage[]): readonly TaggedEvent[] {
    const { offset, cause } = observation;
    const events = [...this.#events.step(observation)];
    for (const message of messages) if (isOfAgent(message)) events.push(...this.#events.message(message, offset));
    if (cause.type !== "frame") return events;
    for (const { rows, message, role } of this.#chat.changedRows)
      events.push(...this.#events.see(rows, { scope: message, writer: writers[role] ?? "other", offset }));
    return events;
  }

  /** People and models read messages without signals; what a message was with them is kept beside. */
  #readable(message: ChatMessage): ChatMessage {
    const text = this.#events.readable(message);
    return text === message.text ? message : { ...message, text, rawText: message.text };
  }
}

/** Outputs of a shell are read from the bytes. */
const isOfAgent = ({ agent, role }: ChatMessage): boolean => agent !== null && role !== "shell" && role !== "exit";

const writers: Partial<Readonly<Record<MessageRole, SightingPlace["writer"]>>> = {
  assistant: "assistant",
  "tool-result": "tool",
};

const eventChange = (event: TaggedEvent, timeUs: number): ViewChange => ({
  kind: "event",
  offset: event.end,
  timeUs,
  event,
});
