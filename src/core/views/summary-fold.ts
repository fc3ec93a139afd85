/**
 * Summaries of a session as events: one at the end of each turn, and one of the whole session at its exit. Each is a digest of what the
 * views reported until then.
 *
 * Law: a turn has one summary, and its id is that of the message which began the turn. So the records of a turn give the same event however
 * often they are read.
 */
import type { ChatMessage, MessageRole } from "../chat/message.ts";
import type { Approval } from "../dialogs/approval.ts";
import { lastTurn, makeDigest, startsTurn, type DigestExchange, type DigestTurn } from "../digest/digest.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import type { Observation } from "../observe/observation.ts";
import type { SessionStatus } from "../status/status.ts";
import type { ViewChange } from "./change.ts";

const ITEMS_MAX = 1000;
/** Of the items as JSON, in UTF-16 units. */
const CHARS_MAX = 1024 * 1024;

interface NewestState<Item> {
  readonly items: readonly (readonly [string, Item])[];
  readonly omitted: number;
}

const names: Readonly<Record<DigestTurn, string>> = { last: "TURN_SUMMARY", all: "SESSION_SUMMARY" };
/** An agent that rests for this long between two steps of a turn has not been recorded. */
const REST_US = 2_000_000;
/** A digest shows no more of a text, and searches the whole of it for names of files. */
const TEXT_CHARS_MAX = 4001;
const answers: ReadonlySet<MessageRole> = new Set<MessageRole>(["assistant", "tool-call", "tool-result", "error"]);

/** Plain data. */
export interface SummaryFoldState {
  readonly messages: NewestState<ChatMessage>;
  readonly approvals: NewestState<Approval>;
  readonly events: NewestState<TaggedEvent>;
  readonly statuses: NewestState<SessionStatus>;
  readonly exchanges: NewestState<DigestExchange>;
  /** Id of the message that began the last turn which was summarized. */
  readonly summarized: string | null;
  /** When a message last changed. */
  readonly messageUs: number;
}

type Place = Pick<Observation, "end" | "timeUs">;

export class SummaryFold {
  readonly #messages: Newest<ChatMessage>;
  readonly #approvals: Newest<Approval>;
  readonly #events: Newest<TaggedEvent>;
  readonly #statuses: Newest<SessionStatus>;
  readonly #exchanges: Newest<DigestExchange>;
  #summarized: string | null;
  #messageUs: number;

  constructor(state?: SummaryFoldState) {
    this.#messages = new Newest(state?.messages);
    this.#approvals = new Newest(state?.approvals);
    this.#events = new Newest(state?.events);
    this.#statuses = new Newest(state?.statuses);
    this.#exchanges = new Newest(state?.exchanges);
    this.#summarized = state?.summarized ?? null;
    this.#messageUs = state?.messageUs ?? 0;
  }

  /** When the turn is over if nothing happens; null if that does not depend on the time. */
  get wakeUs(): number | null {
    return this.#isWaiting && this.#openTurn !== null ? this.#restedUs : null;
  }

  /** What the views report. The message that begins a turn ends the one before. */
  take(changes: readonly ViewChange[], place: Place): TaggedEvent[] {
    return changes.flatMap((change) => this.#take(change, place));
  }

  /** After `take` of what the observation changed. */
  step({ cause, offset, end, timeUs }: Observation): TaggedEvent[] {
    const place = { end, timeUs };
    if (cause.type === "mark" && cause.mark.type === "wire-turn") {
      const { usage, costUsd } = cause.mark;
      this.#exchanges.put(String(offset), { offset, usage, costUsd });
    }
    if (cause.type === "exit") return [...this.#endTurn(place), this.#summary("all", "exit", place)];
    const isOver = this.#isWaiting && (this.#openTurn?.shell !== undefined || timeUs >= this.#restedUs);
    return isOver ? this.#endTurn(place) : [];
  }

  save(): SummaryFoldState {
    return {
      messages: this.#messages.save(),
      approvals: this.#approvals.save(),
      events: this.#events.save(),
      statuses: this.#statuses.save(),
      exchanges: this.#exchanges.save(),
      summarized: this.#summarized,
      messageUs: this.#messageUs,
    };
  }

  /** The message that began the turn which is answered and has no summary; null if there is none. */
  get #openTurn(): ChatMessage | null {
    const [request, ...rest] = lastTurn(this.#messages.values);
    if (request === undefined || !startsTurn(request) || request.id === this.#summarized) return null;
    const isAnswered = request.shell === undefined ? rest.some(({ role }) => answers.has(role)) : !request.isPartial;
    return isAnswered ? request : null;
  }

  get #isWaiting(): boolean {
    return this.#statuses.values.at(-1)?.state === "waiting" && this.#messages.values.at(-1)?.isPartial === false;
  }

  get #restedUs(): number {
    return Math.max(this.#statuses.values.at(-1)?.sinceUs ?? 0, this.#messageUs) + REST_US;
  }

  #take(change: ViewChange, place: Place): TaggedEvent[] {
    switch (change.kind) {
      case "message": {
        const { message, timeUs } = change;
        const ended = startsTurn(message) && !this.#messages.has(message.id) ? this.#endTurn(place) : [];
        this.#messages.put(message.id, withinLimit(message));
        this.#messageUs = timeUs;
        return ended;
      }
      case "approval":
        this.#approvals.put(change.approval.id, change.approval);
        return [];
      case "event":
        this.#events.put(change.event.id, withoutContent(change.event));
        return [];
      case "status":
        this.#statuses.put(String(change.status.sinceUs), change.status);
        return [];
      case "usage":
      case "intents":
      case "conversation":
        return [];
    }
  }

  #endTurn(place: Place): TaggedEvent[] {
    const request = this.#openTurn;
    if (request === null) return [];
    this.#summarized = request.id;
    return [this.#summary("last", request.id, place)];
  }

  #summary(turn: DigestTurn, id: string, { end, timeUs }: Place): TaggedEvent {
    const digest = makeDigest(
      {
        messages: this.#messages.values,
        approvals: this.#approvals.values,
        events: this.#events.values,
        statuses: this.#statuses.values,
        exchanges: this.#exchanges.values.length === 0 ? null : this.#exchanges.values,
        asOfUs: timeUs,
      },
      turn,
    );
    const omittedMessages = turn === "all" ? this.#messages.omitted : 0;
    return {
      type: "tagged-event",
      id: `summary:${id}`,
      name: names[turn],
      attributes: {},
      carrier: "derived",
      trust: "derived",
      offset: end,
      end,
      valid: true,
      payload: { ...digest, omittedMessages },
    };
  }
}

function withinLimit({ rawText: _, replaced: __, ...message }: ChatMessage): ChatMessage {
  const { shell, text, tool } = message;
  return {
    ...message,
    text: text.slice(0, TEXT_CHARS_MAX),
    ...(shell !== undefined && { shell: { ...shell, command: shell.command.slice(0, TEXT_CHARS_MAX) } }),
    ...(tool !== undefined && { tool: { ...tool, input: tool.input?.slice(0, TEXT_CHARS_MAX) ?? null } }),
  };
}

const withoutContent = (event: TaggedEvent): TaggedEvent =>
  event.valid ? { ...event, payload: null } : { ...event, text: "" };

/** The newest items of a list, as plain data within limits. An item replaces the one with its key and stays in its place. */
export class Newest<Item> {
  readonly #items: Map<string, Item>;
  #omitted: number;
  #chars = 0;
  /** Made when somebody reads them. */
  #values: readonly Item[] | null = null;

  constructor(state: NewestState<Item> = { items: [], omitted: 0 }) {
    this.#items = new Map(state.items);
    this.#omitted = state.omitted;
    for (const [, item] of state.items) this.#chars += charsOf(item);
  }

  get values(): readonly Item[] {
    return (this.#values ??= [...this.#items.values()]);
  }

  /** How many were dropped, the oldest first. */
  get omitted(): number {
    return this.#omitted;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  put(key: string, item: Item): void {
    this.#chars += charsOf(item) - charsOf(this.#items.get(key));
    this.#items.set(key, item);
    this.#values = null;
    while (this.#items.size > ITEMS_MAX || this.#chars > CHARS_MAX) this.#dropOldest();
  }

  save(): NewestState<Item> {
    return { items: [...this.#items], omitted: this.#omitted };
  }

  #dropOldest(): void {
    const [oldest] = this.#items;
    if (oldest === undefined) return;
    const [key, item] = oldest;
    this.#items.delete(key);
    this.#chars -= charsOf(item);
    this.#omitted += 1;
  }
}

const charsOf = (item: unknown): number => (item === undefined ? 0 : JSON.stringify(item).length);
