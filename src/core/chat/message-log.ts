/** Gives messages their ids and tells only of what changed. */
import type { Mark } from "../records.ts";
import type { ChatMessage, MessageRole } from "./message.ts";
import { WireTexts, type WireTextsState } from "./wire-texts.ts";

/** Where and when. */
export interface MessagePlace {
  readonly offset: number;
  readonly timeUs: number;
}

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
  readonly isIncomplete?: boolean;
  readonly isPartial?: boolean;
}

export interface MessageLogState {
  readonly count: number;
  readonly open: readonly ChatMessage[];
  readonly partial: string | null;
  readonly call: string | null;
  readonly wire: WireTextsState;
}

/** Holds the messages that can still change. */
export class MessageLog {
  #count: number;
  readonly #open: Map<string, ChatMessage>;
  readonly #changes = new Map<string, ChatMessage>();
  #partial: string | null;
  /** The tool call that was said last: a result belongs to it. */
  #call: string | null;
  readonly #wire: WireTexts;

  constructor(state: MessageLogState = { count: 0, open: [], partial: null, call: null, wire: [] }) {
    this.#count = state.count;
    this.#open = new Map(state.open.map((message) => [message.id, message]));
    this.#partial = state.partial;
    this.#call = state.call;
    this.#wire = new WireTexts(state.wire);
  }

  get(id: string): ChatMessage | undefined {
    return this.#open.get(id);
  }

  /** A conversation begins. */
  start(agent: string, place: MessagePlace): void {
    this.#call = null;
    this.forget(this.say({ id: null, role: "conversation-start", agent, text: agent }, place));
  }

  /** Says a message, new or anew; returns its id. */
  say(draft: MessageDraft, place: MessagePlace): string {
    const known = draft.id === null ? undefined : this.#open.get(draft.id);
    const id = known?.id ?? this.#newId();
    const call = draft.role === "tool-result" ? (known?.tool?.call ?? this.#call) : id;
    if (draft.role === "tool-call") this.#call = id;
    const tool = draft.role === "tool-result" ? { name: this.#nameOf(call), input: null, call } : draft.tool;
    const message: ChatMessage = {
      id,
      role: draft.role,
      agent: draft.agent,
      text: draft.text,
      source: "screen",
      isPartial: draft.isPartial ?? known?.isPartial ?? false,
      isIncomplete: (known?.isIncomplete ?? false) || draft.isIncomplete === true,
      offset: known?.offset ?? place.offset,
      end: place.offset,
      timeUs: known?.timeUs ?? place.timeUs,
      endTimeUs: place.timeUs,
      ...(tool === undefined || tool === null ? {} : { tool }),
      ...(draft.shell === undefined || draft.shell === null ? {} : { shell: draft.shell }),
      ...(draft.approval === undefined || draft.approval === null ? {} : { approval: draft.approval }),
    };
    if (known === undefined || !isEqual(known, message)) this.#put(message);
    return id;
  }

  /** Only `id` grows, where `isBusy`; the one that grew before is complete. */
  setPartial(id: string | null, isBusy: boolean, place: MessagePlace): void {
    const now = isBusy ? id : null;
    if (this.#partial !== null && this.#partial !== now) this.#change(this.#partial, { isPartial: false }, place);
    this.#partial = now;
    if (now !== null) this.#change(now, { isPartial: true }, place);
  }

  setIncomplete(id: string, place: MessagePlace): void {
    this.#change(id, { isIncomplete: true }, place);
  }

  /** It was never there: its text becomes empty, of a shell's command that as well. */
  withdraw(id: string, place: MessagePlace): void {
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

  /** It will not change any more. */
  forget(id: string): void {
    this.#open.delete(id);
    if (this.#partial === id) this.#partial = null;
  }

  /** A mark of the gateway: messages that are open may be told exactly now. */
  mark(event: Mark): void {
    const before = [...this.#open.values()].map((message) => this.#wire.refine(message));
    if (!this.#wire.mark(event)) return;
    for (const known of before) {
      const refined = this.#wire.refine(this.#open.get(known.id) ?? known);
      if (refined.source !== known.source || !isEqual(refined, known)) this.#changes.set(refined.id, refined);
    }
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
    return (call === null ? undefined : this.#open.get(call)?.tool?.name) ?? "";
  }

  #change(id: string, change: Partial<ChatMessage>, place: MessagePlace): void {
    const known = this.#open.get(id);
    if (known === undefined) return;
    const message = { ...known, ...change };
    if (!isEqual(known, message)) this.#put({ ...message, end: place.offset, endTimeUs: place.timeUs });
  }

  #put(message: ChatMessage): void {
    this.#open.set(message.id, message);
    this.#changes.set(message.id, message.text === "" ? message : this.#wire.refine(message));
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
