/** The changes of a session's views as one list of items, ordered by their beginning. Pure. */
import type { Approval } from "../../core/dialogs/approval.ts";
import { orderOf, type ChatMessage } from "../../core/chat/message.ts";
import { isWithdrawn } from "../../core/chat/withdrawn.ts";
import type { TaggedEvent } from "../../core/events/tagged-event.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { Intent } from "../../core/intents/intent-fold.ts";
import { anchorOf } from "./anchor.ts";

interface ItemBase {
  /** Unique in the conversation, and stable while the item grows. */
  readonly key: string;
  readonly offset: number;
  readonly timeUs: number;
}

export type ConversationItem =
  | (ItemBase & { readonly kind: "message"; readonly message: ChatMessage })
  /** A tool call with its result, if there is one. */
  | (ItemBase & { readonly kind: "tool"; readonly call: ChatMessage; readonly result: ChatMessage | undefined })
  | (ItemBase & { readonly kind: "approval"; readonly approval: Approval })
  | (ItemBase & { readonly kind: "event"; readonly event: TaggedEvent });

/** Its events are items of their own. */
const isOnlyTags = ({ text, rawText, isPartial }: ChatMessage): boolean =>
  text === "" && rawText !== undefined && !isPartial;

export class ConversationItems {
  readonly #messages = new Map<string, ChatMessage>();
  readonly #approvals = new Map<string, Approval>();
  readonly #events = new Map<string, { readonly event: TaggedEvent; readonly timeUs: number }>();
  /** The items of the last call, so that unchanged ones keep their identity. */
  #items: readonly ConversationItem[] = [];
  #isStale = false;
  #intents: readonly Intent[] = [];

  /** A change replaces earlier ones with the same id. Returns false if nothing has changed. */
  feed(changes: readonly ViewChange[]): boolean {
    const news = changes.filter((change) => this.#isNews(change));
    this.#isStale ||= news.length > 0;
    for (const change of news) {
      switch (change.kind) {
        case "message":
          if (isWithdrawn(change.message) || isOnlyTags(change.message)) this.#messages.delete(change.message.id);
          else this.#messages.set(change.message.id, change.message);
          break;
        case "approval":
          this.#keepApproval(change.approval);
          break;
        case "intents":
          this.#intents = change.intents;
          break;
        case "conversation":
        case "usage":
          break; // Shown in the list of sessions.
        case "event":
          this.#events.set(change.event.id, { event: change.event, timeUs: change.timeUs });
          break;
        case "status":
          break; // Shown in the head of the page.
      }
    }
    return news.length > 0;
  }

  /** In the order of their beginning. */
  get items(): readonly ConversationItem[] {
    if (this.#isStale) this.#items = this.#arrange();
    this.#isStale = false;
    return this.#items;
  }

  /** Tools that a model is about to call, oldest first. */
  get intents(): readonly Intent[] {
    return this.#intents;
  }

  /** A hint is not a part of the conversation as long as nobody has read it. */
  #keepApproval(approval: Approval): void {
    const isOwn = approval.state === "open" || approval.state === "answered" || this.#approvals.has(approval.id);
    if (isOwn) this.#approvals.set(approval.id, approval);
  }

  /** The item with an anchor (see `anchorOf`). A result is part of the item of its call, a question is an item of its own. */
  named(anchor: string): ConversationItem | undefined {
    return this.items.find((item) => this.#keysOf(item).some((key) => anchorOf(key) === anchor));
  }

  /** The last item that began at an offset or before it. */
  at(offset: number): ConversationItem | undefined {
    return this.items.findLast((item) => item.offset <= offset);
  }

  /** False for a repeated change, as at the offset where a reader resumes. */
  #isNews(change: ViewChange): boolean {
    switch (change.kind) {
      case "message":
        return !isEqual(this.#messages.get(change.message.id), change.message);
      case "approval":
        return !isEqual(this.#approvals.get(change.approval.id), change.approval);
      case "event":
        return !isEqual(this.#events.get(change.event.id)?.event, change.event);
      case "intents":
        return !isEqual(this.#intents, change.intents);
      case "conversation":
      case "usage":
      case "status":
        return false;
    }
  }

  #keysOf(item: ConversationItem): string[] {
    if (item.kind === "tool") return [item.key, `message ${item.result?.id ?? ""}`];
    if (item.kind !== "approval") return [item.key];
    const asking = [...this.#messages.values()].filter(({ approval }) => approval === item.approval.id);
    return [item.key, ...asking.map(({ id }) => `message ${id}`)];
  }

  #arrange(): ConversationItem[] {
    const known = new Map(this.#items.map((item) => [item.key, item]));
    const made = [...this.#ofMessages(), ...this.#ofApprovals(), ...this.#ofEvents()];
    return made
      .toSorted((first, second) => first.offset - second.offset)
      .map((item) => sameItem(known.get(item.key), item));
  }

  #ofMessages(): ConversationItem[] {
    const results = new Map<string, ChatMessage>();
    for (const message of this.#messages.values()) {
      const call = message.role === "tool-result" ? message.tool?.call : undefined;
      if (typeof call === "string" && this.#messages.has(call)) results.set(call, message);
    }
    const shownInCall = new Set([...results.values()].map(({ id }) => id));
    const ordered = [...this.#messages.values()].toSorted((first, second) => orderOf(first) - orderOf(second));
    return ordered.flatMap((message): ConversationItem[] => {
      const { id, role, offset, timeUs, approval } = message;
      const base = { key: `message ${id}`, offset, timeUs };
      // Shown in the item of its call or as a question.
      if (shownInCall.has(id) || (approval !== undefined && this.#approvals.has(approval))) return [];
      if (role !== "tool-call") return [{ ...base, kind: "message", message }];
      return [{ ...base, kind: "tool", call: message, result: results.get(id) }];
    });
  }

  #ofApprovals(): ConversationItem[] {
    return [...this.#approvals.values()].map((approval) => ({
      kind: "approval",
      key: `approval ${approval.id}`,
      offset: approval.offset,
      timeUs: approval.timeUs,
      approval,
    }));
  }

  #ofEvents(): ConversationItem[] {
    return [...this.#events.values()].map(({ event, timeUs }) => ({
      kind: "event",
      key: `event ${event.id}`,
      offset: event.offset,
      timeUs,
      event,
    }));
  }
}

const isEqual = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second);

/** The earlier item if nothing has changed. */
function sameItem(before: ConversationItem | undefined, item: ConversationItem): ConversationItem {
  if (before === undefined) return item;
  const parts = Object.entries(item) as [keyof ConversationItem, unknown][];
  return parts.every(([key, value]) => before[key] === value) ? before : item;
}
