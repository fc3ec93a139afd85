/** What the views of a session told, as one list in the order in which it began. Pure: changes in, items out. */
import type { Approval } from "../../core/dialogs/approval.ts";
import type { ChatMessage } from "../../core/chat/message.ts";
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
  /** A call with what came back, where something did. */
  | (ItemBase & { readonly kind: "tool"; readonly call: ChatMessage; readonly result: ChatMessage | undefined })
  | (ItemBase & { readonly kind: "approval"; readonly approval: Approval })
  | (ItemBase & { readonly kind: "event"; readonly event: TaggedEvent });

export class ConversationItems {
  readonly #messages = new Map<string, ChatMessage>();
  readonly #approvals = new Map<string, Approval>();
  readonly #events = new Map<string, { readonly event: TaggedEvent; readonly timeUs: number }>();
  /** As they were last asked for, so that what did not change keeps its identity. */
  #items: readonly ConversationItem[] = [];
  #isStale = false;
  #intents: readonly Intent[] = [];

  /** A change replaces what was told before under the same id. False where nothing is new. */
  feed(changes: readonly ViewChange[]): boolean {
    const news = changes.filter((change) => this.#isNews(change));
    this.#isStale ||= news.length > 0;
    for (const change of news) {
      switch (change.kind) {
        case "message":
          if (isWithdrawn(change.message)) this.#messages.delete(change.message.id);
          else this.#messages.set(change.message.id, change.message);
          break;
        case "approval":
          this.#approvals.set(change.approval.id, change.approval);
          break;
        case "intents":
          this.#intents = change.intents;
          break;
        case "usage":
          break; // The list says what it has cost.
        case "event":
          this.#events.set(change.event.id, { event: change.event, timeUs: change.timeUs });
          break;
        case "status":
          break; // The head of the page says how it stands.
      }
    }
    return news.length > 0;
  }

  /** In the order in which they began. */
  get items(): readonly ConversationItem[] {
    if (this.#isStale) this.#items = this.#arrange();
    this.#isStale = false;
    return this.#items;
  }

  /** What a model is about to call, the oldest first. */
  get intents(): readonly Intent[] {
    return this.#intents;
  }

  /** Questions that nobody has answered, the oldest first. */
  get openApprovals(): readonly Approval[] {
    return [...this.#approvals.values()].filter(({ state }) => state === "open");
  }

  /** The item that an address names (see `anchorOf`): a result stands in the card of its call, a question has a card of its own. */
  named(anchor: string): ConversationItem | undefined {
    return this.items.find((item) => this.#keysOf(item).some((key) => anchorOf(key) === anchor));
  }

  /** The last item that began at an offset or before it. */
  at(offset: number): ConversationItem | undefined {
    return this.items.findLast((item) => item.offset <= offset);
  }

  /** What changed just where a reader resumes comes again, as it was. */
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
    const told = new Set([...results.values()].map(({ id }) => id));
    return [...this.#messages.values()].flatMap((message): ConversationItem[] => {
      const { id, role, offset, timeUs, approval } = message;
      const base = { key: `message ${id}`, offset, timeUs };
      // Its card says more.
      if (told.has(id) || (approval !== undefined && this.#approvals.has(approval))) return [];
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

/** The item as it was where nothing of it changed. */
function sameItem(before: ConversationItem | undefined, item: ConversationItem): ConversationItem {
  if (before === undefined) return item;
  const parts = Object.entries(item) as [keyof ConversationItem, unknown][];
  return parts.every(([key, value]) => before[key] === value) ? before : item;
}
