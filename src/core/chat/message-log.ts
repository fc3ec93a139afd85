/**
 * Gives messages their ids and tells only of what changed.
 *
 * The screen says most messages. A better source revises them (the law is in `revision.ts`), also for some time after the screen has let
 * them go, and adds those that the screen never showed, each between two others.
 */
import type { Mark } from "../records.ts";
import { orderOf, type ChatMessage, type MessageRole, type MessageSource, type TakenBack } from "./message.ts";
import { isAlike, nextRevision, revised, type Revision, type Saying } from "./revision.ts";
import { squash } from "../text/squash.ts";
import { WireTexts, type WireTextsState } from "./wire-texts.ts";

// The order of messages: nearly all come last, and one that another source adds comes between two others.

type Ordered = Pick<ChatMessage, "id" | "order">;

export class MessageOrder {
  readonly #all: { readonly id: string; readonly order: number }[] = [];

  /** One that is known stays where it is. */
  add(message: Ordered): void {
    const { id } = message;
    if (this.#indexOf(message) === -1)
      this.#all.splice(this.#behind(orderOf(message)), 0, { id, order: orderOf(message) });
  }

  remove(message: Ordered): void {
    const index = this.#indexOf(message);
    if (index !== -1) this.#all.splice(index, 1);
  }

  next(order: number): number | undefined {
    return this.#all[this.#behind(order)]?.order;
  }

  /** An order directly in front of the message. */
  inFrontOf(message: Ordered): number {
    const order = orderOf(message);
    const before = this.#all[this.#indexOf(message) - 1]?.order ?? order - 1;
    return (before + order) / 2;
  }

  get ids(): string[] {
    return this.#all.map(({ id }) => id);
  }

  /** The ids from the last one on. */
  *backwards(): Generator<string> {
    for (let index = this.#all.length - 1; index >= 0; index--) yield this.#all[index]?.id ?? "";
  }

  #indexOf(message: Ordered): number {
    const order = orderOf(message);
    for (let index = this.#behind(order) - 1; this.#all[index]?.order === order; index--)
      if (this.#all[index]?.id === message.id) return index;
    return -1;
  }

  /** Index of the first one with a greater order. */
  #behind(order: number): number {
    let [low, high] = [0, this.#all.length];
    if ((this.#all.at(-1)?.order ?? -Infinity) <= order) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle]?.order ?? Infinity) > order) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Where and when. */
export interface MessagePlace {
  readonly offset: number;
  readonly timeUs: number;
}

/** What a reader of the chat saves, as it holds it. */
export type Writable<State> = { -readonly [Key in keyof State]: State[Key] };

/** What is known of a message now. */
export interface MessageDraft {
  /** null: a new one. */
  readonly id: string | null;
  readonly role: MessageRole;
  readonly agent: string | null;
  readonly text: string;
  readonly tool?: ChatMessage["tool"] | null;
  readonly shell?: ChatMessage["shell"] | null;
  readonly approval?: string | null;
  readonly subAgent?: string | undefined;
  /** Absent: as it was. */
  readonly isIncomplete?: boolean;
  readonly isPartial?: boolean;
  /** Default: the screen. */
  readonly source?: MessageSource;
}

/** So many messages that the screen has let go, with so many characters in all, can still be revised. */
const CLOSED_MESSAGES_MAX = 128;
const CLOSED_CHARS_MAX = 262_144;
/** So much of a call tells which approval asks for it. */
const CALL_CHARS_MAX = 48;
/** The distance in `order` of messages that are added one behind the other. */
const ORDER_STEP = 1 / 1024;

export interface MessageLogState {
  readonly count: number;
  readonly open: readonly ChatMessage[];
  readonly closed: readonly ChatMessage[];
  readonly revisions: readonly (readonly [id: string, revision: Revision])[];
  readonly partial: string | null;
  readonly call: string | null;
  readonly wire: WireTextsState;
}

const noMessages: MessageLogState = {
  count: 0,
  open: [],
  closed: [],
  revisions: [],
  partial: null,
  call: null,
  wire: [],
};

const byId = (messages: readonly ChatMessage[]): Map<string, ChatMessage> =>
  new Map(messages.map((message) => [message.id, message]));

/** Holds the messages that can still change. */
export class MessageLog {
  #count: number;
  /** As the screen has them. */
  readonly #open: Map<string, ChatMessage>;
  /** Those that the screen has let go, and those that it never showed. */
  readonly #closed: Map<string, ChatMessage>;
  /** Of all of them. */
  readonly #order = new MessageOrder();
  readonly #revisions: Map<string, Revision>;
  readonly #changes = new Map<string, ChatMessage>();
  #partial: string | null;
  /** The tool call that was said last: a result belongs to it. */
  #call: string | null;
  readonly #wire: WireTexts;

  constructor(state: MessageLogState = noMessages) {
    this.#count = state.count;
    this.#open = byId(state.open);
    this.#closed = byId(state.closed);
    for (const message of [...state.closed, ...state.open]) this.#order.add(message);
    this.#revisions = new Map(state.revisions);
    this.#partial = state.partial;
    this.#call = state.call;
    this.#wire = new WireTexts(state.wire);
  }

  /** As the screen has it; undefined if the screen has let it go. */
  get(id: string): ChatMessage | undefined {
    return this.#open.get(id);
  }

  /** The messages that can be revised, in their order, as they were told last. */
  get revisable(): ChatMessage[] {
    return this.#order.ids.flatMap((id) => this.#known(id) ?? []).map((message) => this.#told(message));
  }

  /** Another source says what a message is. Returns false if the message is not known any more, or nothing may change. */
  revise(id: string, saying: Saying, place: MessagePlace): boolean {
    const message = this.#known(id);
    const next = message === undefined ? null : nextRevision(this.#revisions.get(id), message.source, saying);
    if (message === undefined || next === null) return false;
    this.#revisions.set(id, next);
    const map = this.#open.has(id) ? this.#open : this.#closed;
    this.#put({ ...message, end: place.offset, endTimeUs: place.timeUs }, map);
    return true;
  }

  /**
   * Adds a message that the screen has not shown, behind the message `after`; null: behind all. If the screen shows it later, it is this
   * message. `place`: when it was said. Returns its id.
   */
  add(
    draft: Omit<MessageDraft, "id">,
    from: { source: MessageSource; after: string | null },
    place: MessagePlace,
  ): string {
    const before = from.after === null ? undefined : this.#known(from.after);
    const order = before === undefined ? undefined : this.#orderBehind(orderOf(before));
    const call = this.#call;
    const message = this.#messageOf({ ...draft, id: null }, undefined, place);
    this.#call = call;
    const isLast = before === undefined || order === undefined;
    const added = { ...message, source: from.source, ...(isLast ? {} : { order, offset: before.offset }) };
    const { text, isIncomplete, id } = added;
    this.#revisions.set(id, { source: from.source, text, isIncomplete, revision: 0 });
    this.#put(added, this.#closed);
    this.#limitClosed();
    return id;
  }

  /** The agent has taken the message back: it stays, and says so. Nothing changes if it is not known any more. */
  takeBack(id: string, takenBack: TakenBack, place: MessagePlace): void {
    const message = this.#known(id);
    if (message === undefined || message.takenBack !== undefined) return;
    const map = this.#open.has(id) ? this.#open : this.#closed;
    this.#put({ ...message, takenBack, end: place.offset, endTimeUs: place.timeUs }, map);
  }

  /** What speaks against the conversation that the message begins, or nothing any more. */
  doubt(
    id: string,
    { doubts, isIncomplete }: Required<Pick<ChatMessage, "doubts" | "isIncomplete">>,
    place: MessagePlace,
  ): void {
    const message = this.#known(id);
    if (message === undefined) return;
    const { doubts: _, ...rest } = message;
    const changed = { ...rest, isIncomplete, ...(doubts.length > 0 && { doubts }) };
    this.#put({ ...changed, end: place.offset, endTimeUs: place.timeUs }, this.#closed);
  }

  /** A conversation begins. */
  start(agent: string, place: MessagePlace): void {
    this.#call = null;
    this.forget(this.say({ id: null, role: "conversation-start", agent, text: agent }, place));
  }

  /**
   * Says a message as the screen has it, new or anew; returns its id. A new one comes directly in front of the message `next`: a call or its
   * result only if `isRestored`, which was there before half a repaint, because agents draw those of a turn in changing order.
   */
  say(draft: MessageDraft, place: MessagePlace, next?: string, isRestored = false): string {
    const known = (draft.id === null ? undefined : this.#open.get(draft.id)) ?? this.#added(draft);
    const order = known === undefined ? this.#orderOfNew(draft, next, isRestored) : undefined;
    const message = { ...this.#messageOf(draft, known, place), ...(order !== undefined && { order }) };
    if (known?.source !== message.source || !isEqual(known, message)) this.#put(message);
    return message.id;
  }

  /** Only `id` grows, where `isBusy`; the one that grew before is complete. */
  setPartial(id: string | null, isBusy: boolean, place: MessagePlace): void {
    const now = isBusy ? id : null;
    if (this.#partial !== null && this.#partial !== now) this.#change(this.#partial, { isPartial: false }, place);
    this.#partial = now;
    if (now !== null) this.#change(now, { isPartial: true }, place);
  }

  /** Nothing grows any more. An answer that did has no end: its agent was killed, or has crashed. */
  cutPartial(place: MessagePlace): void {
    const partial = this.#partial;
    if (partial !== null && this.#open.get(partial)?.role === "assistant") this.setIncomplete(partial, place);
    this.setPartial(null, false, place);
  }

  setIncomplete(id: string, place: MessagePlace): void {
    this.#change(id, { isIncomplete: true }, place);
  }

  /** It was never there: its text becomes empty, of a shell's command that as well. What a better source has said stays, and only the screen lets it go. */
  withdraw(id: string, place: MessagePlace): void {
    const [message, said] = [this.#open.get(id), this.#revisions.get(id)];
    if (message !== undefined && said !== undefined && said.source !== "screen") {
      const kept = { ...message, source: said.source, text: said.text, isPartial: false };
      this.#put({ ...kept, end: place.offset, endTimeUs: place.timeUs });
      return this.forget(id);
    }
    const isShell = this.#open.get(id)?.shell !== undefined;
    const shell = isShell ? { shell: { command: "", exitCode: null } } : {};
    this.#change(id, { text: "", isPartial: false, ...shell }, place);
    this.forget(id);
  }

  /** It stays as it is. */
  finish(id: string, place: MessagePlace): void {
    this.#change(id, { isPartial: false }, place);
    this.forget(id);
  }

  /** The screen does not change it any more. */
  forget(id: string): void {
    const message = this.#open.get(id);
    this.#open.delete(id);
    if (this.#partial === id) this.#partial = null;
    if (message === undefined) return;
    if (message.agent !== null && message.text !== "") this.#closed.set(id, message);
    else {
      this.#revisions.delete(id);
      this.#order.remove(message);
    }
    this.#limitClosed();
  }

  /** A mark of the gateway: messages that are open may be told exactly now. */
  mark(event: Mark): void {
    const before = [...this.#open.values()].map((message) => this.#told(message));
    if (!this.#wire.mark(event)) return;
    for (const told of before) {
      const now = this.#told(this.#open.get(told.id) ?? told);
      if (now.source !== told.source || !isEqual(now, told)) this.#changes.set(now.id, now);
    }
  }

  /** Something has changed since the last `take`. */
  get hasChanged(): boolean {
    return this.#changes.size > 0;
  }

  /** What changed since the last call, in order. */
  take(): ChatMessage[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }

  save(): MessageLogState {
    return {
      count: this.#count,
      open: [...this.#open.values()],
      closed: [...this.#closed.values()],
      revisions: [...this.#revisions],
      partial: this.#partial,
      call: this.#call,
      wire: this.#wire.save(),
    };
  }

  #newId(): string {
    this.#count += 1;
    return `m${this.#count}`;
  }

  #nameOf(call: string | null): string {
    return (call === null ? undefined : this.#known(call)?.tool?.name) ?? "";
  }

  #known(id: string): ChatMessage | undefined {
    return this.#open.get(id) ?? this.#closed.get(id);
  }

  /** The message, added by another source, that the screen shows now for the first time. */
  #added({ id, role, text }: MessageDraft): ChatMessage | undefined {
    if (id !== null) return undefined;
    const found = [...this.#closed.values()].find(
      (message) => message.source !== "screen" && message.role === role && isAlike(message.text, text),
    );
    if (found !== undefined) this.#closed.delete(found.id);
    return found;
  }

  #messageOf(draft: MessageDraft, known: ChatMessage | undefined, place: MessagePlace): ChatMessage {
    const { role, agent, text, shell, approval } = draft;
    const id = known?.id ?? this.#newId();
    const call = role === "tool-result" ? (known?.tool?.call ?? this.#call) : id;
    if (role === "tool-call") this.#call = id;
    const result = role === "tool-result" ? { name: this.#nameOf(call), input: null, call } : null;
    const tool = draft.tool ?? result;
    return {
      id,
      ...(known?.order !== undefined && { order: known.order }),
      role,
      agent,
      text,
      source: draft.source ?? "screen",
      isPartial: draft.isPartial ?? known?.isPartial ?? false,
      isIncomplete: draft.isIncomplete ?? known?.isIncomplete ?? false,
      offset: known?.offset ?? place.offset,
      end: place.offset,
      timeUs: known?.timeUs ?? place.timeUs,
      endTimeUs: place.timeUs,
      ...(tool != null && { tool }),
      ...(shell != null && { shell }),
      ...(approval != null && { approval }),
      ...(draft.subAgent !== undefined && { subAgent: draft.subAgent }),
      ...(known?.takenBack !== undefined && { takenBack: known.takenBack }),
    };
  }

  /** Undefined: behind all. */
  #orderOfNew(draft: MessageDraft, next: string | undefined, isRestored: boolean): number | undefined {
    if (draft.role === "tool-call" && !isRestored) return this.#orderOfCall(draft);
    const behind = next === undefined ? undefined : this.#open.get(next);
    return behind === undefined || (draft.role === "tool-result" && !isRestored)
      ? undefined
      : this.#order.inFrontOf(behind);
  }

  /** A call that is shown only after its approval comes before it; undefined for any other. */
  #orderOfCall({ text, tool }: MessageDraft): number | undefined {
    const turn: ChatMessage[] = [];
    let user: ChatMessage | undefined;
    for (const id of this.#order.backwards()) {
      const message = this.#known(id);
      if (message?.role === "user") user = message;
      if (user !== undefined) break;
      if (message !== undefined) turn.unshift(message);
    }
    const calls = turn.filter(({ role }) => role === "tool-call");
    const asksFor = (approval: ChatMessage, call: Pick<MessageDraft, "text" | "tool">): boolean =>
      squash(approval.text).includes(squash(call.tool?.input ?? call.text).slice(0, CALL_CHARS_MAX));
    const free = turn.filter((message) => {
      if (message.role !== "approval") return false;
      const own = calls.findIndex((call) => asksFor(message, call));
      if (own !== -1) calls.splice(own, 1);
      return own === -1;
    });
    const last = turn.at(-1);
    const asked = free.find((approval) => asksFor(approval, { text, tool })) ?? free.find((one) => one === last);
    const before = asked === undefined ? undefined : (turn[turn.indexOf(asked) - 1] ?? user);
    return before === undefined ? undefined : this.#orderBehind(orderOf(before));
  }

  /** Between the message with this order and the next one; undefined if there is none. */
  #orderBehind(order: number): number | undefined {
    const next = this.#order.next(order);
    if (next === undefined) return undefined;
    return order + ORDER_STEP < next ? order + ORDER_STEP : (order + next) / 2;
  }

  #limitClosed(): void {
    let chars = 0;
    for (const { text } of this.#closed.values()) chars += text.length;
    for (const [id, message] of this.#closed) {
      if (this.#closed.size <= CLOSED_MESSAGES_MAX && chars <= CLOSED_CHARS_MAX) return;
      chars -= message.text.length;
      this.#closed.delete(id);
      this.#order.remove(message);
      this.#revisions.delete(id);
    }
  }

  #change(id: string, change: Partial<ChatMessage>, place: MessagePlace): void {
    const known = this.#open.get(id);
    if (known === undefined) return;
    const message = { ...known, ...change };
    if (!isEqual(known, message)) this.#put({ ...message, end: place.offset, endTimeUs: place.timeUs });
  }

  #put(message: ChatMessage, map = this.#open): void {
    map.set(message.id, message);
    this.#order.add(message);
    this.#changes.set(message.id, this.#told(message));
  }

  /** As the best source has it. What was matched to the wire stays so once it is complete. */
  #told(message: ChatMessage): ChatMessage {
    if (message.text === "") return message;
    const known = this.#revisions.get(message.id);
    const onWire = this.#wire.find(message);
    const next = onWire === null ? null : nextRevision(known, message.source, onWire);
    if (next !== null && !message.isPartial) this.#revisions.set(message.id, next);
    return revised(message, next ?? known);
  }
}

/** But for where and when it changed. */
function isEqual(one: ChatMessage, other: ChatMessage): boolean {
  return (
    one.text === other.text &&
    one.role === other.role &&
    one.isPartial === other.isPartial &&
    one.isIncomplete === other.isIncomplete &&
    one.tool?.name === other.tool?.name &&
    one.tool?.input === other.tool?.input &&
    one.tool?.call === other.tool?.call &&
    one.shell?.command === other.shell?.command &&
    one.shell?.exitCode === other.shell?.exitCode
  );
}
