/**
 * Learns the conversation of each agent while it runs, so that it is known when its host, the daemon and the machine are gone: it is a fact
 * of the journal, and the registry has what the views fold from it. Asked after each change of the status, which also shows a conversation
 * that was begun anew.
 */
import { conversationFact } from "../../../core/conversations/conversation-fold.ts";
import type { Agent } from "../../../core/agents/agent.ts";
import type { ChatMessage } from "../../../core/chat/message.ts";
import { shownMessages } from "../../../core/chat/withdrawn.ts";
import { waits } from "../../../core/waits.ts";
import type { Receipt } from "../../../core/acting/receipt.ts";
import type { KnownAgents } from "../../../daemon/agents/known-agents.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import {
  findConversations,
  type ConversationPlace,
  type FoundConversation,
} from "../../../daemon/conversations/find-conversation.ts";
import type { SaidPrompt } from "../../../daemon/conversations/said-files.ts";

/** Agents write their files a moment after they show that they work. */
const ATTEMPTS_MAX = 8;
const PROMPTS_MAX = 1000;

export interface ConversationsOptions {
  readonly agents: Pick<KnownAgents, "registry">;
  readonly registry: SessionRegistry;
  readonly views: SessionViews;
  readonly prompts: { readonly of: (session: string) => readonly Receipt[] };
  readonly onError: (error: unknown) => void;
}

interface Learning {
  timer: NodeJS.Timeout | undefined;
  attemptsLeft: number;
  isAsking: boolean;
}

export class Conversations implements Disposable {
  readonly #options: ConversationsOptions;
  readonly #learning = new Map<SessionEntry, Learning>();
  readonly #subscription: Disposable;
  #isClosed = false;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#subscription = options.views.subscribe((entry, changes) => {
      if (changes.some(({ kind }) => kind === "status")) this.#schedule(entry);
      // The row follows the journal.
      if (changes.some(({ kind }) => kind === "conversation"))
        options.registry.save(entry).catch((error: unknown) => options.onError(error));
    });
  }

  /** Asks for each session that runs: a daemon before this one may have ended before it knew. */
  begin(): void {
    for (const entry of this.#options.registry.all) this.#schedule(entry);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#subscription[Symbol.dispose]();
    for (const { timer } of this.#learning.values()) clearTimeout(timer);
    this.#learning.clear();
  }

  #schedule(entry: SessionEntry): void {
    if (this.#isClosed || !entry.live || this.#agentOf(entry) === undefined) return;
    const learning = this.#learning.get(entry) ?? { timer: undefined, attemptsLeft: 0, isAsking: false };
    this.#learning.set(entry, learning);
    learning.attemptsLeft = ATTEMPTS_MAX;
    learning.timer ??= setTimeout(() => void this.#ask(entry, learning), waits.checkMs).unref();
  }

  async #ask(entry: SessionEntry, learning: Learning): Promise<void> {
    learning.timer = undefined;
    if (learning.isAsking) return;
    learning.isAsking = true;
    try {
      const isKnown = await this.#learn(entry);
      learning.attemptsLeft -= 1;
      if (!entry.live || this.#isClosed) this.#learning.delete(entry);
      else if (!isKnown && learning.attemptsLeft > 0)
        learning.timer ??= setTimeout(() => void this.#ask(entry, learning), waits.retryMs).unref();
    } catch (error) {
      if (!this.#isClosed) this.#options.onError(error);
    } finally {
      learning.isAsking = false;
    }
  }

  /** True if it is known and kept. */
  async #learn(entry: SessionEntry): Promise<boolean> {
    const agent = this.#agentOf(entry);
    if (agent === undefined || !entry.live) return true;
    const { prompts, views } = this.#options;
    const typed = prompts.of(entry.id);
    const found = await conversationsOfEntry(agent, entry, { views, variables: process.env, typed });
    const [only] = found;
    if (only === undefined || found.length > 1) {
      // None is certain. The one that is known may have been left: what was said last decides when it is resumed.
      const { conversation } = entry.stored;
      if (found.length > 1 && conversation?.by === "open-file")
        await this.#keep(entry, agent, { ...conversation, by: "prompts" });
      return false;
    }
    if (isOfAnother(only, entry, this.#options.registry.all)) return false;
    await this.#keep(entry, agent, only);
    return only.file !== null;
  }

  async #keep(entry: SessionEntry, { name }: Agent, { id, by, file }: FoundConversation): Promise<void> {
    const known = entry.stored.conversation;
    if (known?.id === id && known.agent === name && known.by === by && known.file === file) return;
    await entry.fact(conversationFact({ agent: name, id, by, file }, entry.conversations));
  }

  #agentOf(entry: SessionEntry): Agent | undefined {
    const agent = this.#options.agents.registry.named(entry.status?.agent ?? null);
    return agent?.conversation === null ? undefined : agent;
  }
}

/**
 * The session has a conversation, and another session that runs is in the found one: it was told the same at about the same time, and the
 * file of this one does not show it yet.
 */
export function isOfAnother(
  { by, id }: Pick<FoundConversation, "by" | "id">,
  entry: Pick<SessionEntry, "stored">,
  all: Iterable<Pick<SessionEntry, "stored" | "live">>,
): boolean {
  const known = entry.stored.conversation?.id;
  if (by !== "prompts" || known === undefined || known === id) return false;
  return [...all].some((other) => other !== entry && other.live && other.stored.conversation?.id === id);
}

interface SearchContext {
  readonly views: SessionViews;
  /** Of its agent, if that has ended. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The prompts that were typed for others. */
  readonly typed?: readonly Receipt[];
}

/** Those that are possible for the session. */
export async function conversationsOfEntry(
  { conversation }: Agent,
  entry: SessionEntry,
  context: SearchContext,
): Promise<FoundConversation[]> {
  if (conversation === null) return [];
  return await findConversations(conversation, conversationPlace(entry, context));
}

/** Where the conversation of the session is looked for. */
export function conversationPlace(
  entry: SessionEntry,
  { typed = [], variables, views }: SearchContext,
): ConversationPlace {
  return {
    leader: entry.live ? (entry.leaderPid ?? entry.stored.pid) : null,
    workingDirectory: entry.stored.workingDirectory,
    startedMs: Date.parse(entry.stored.createdAt),
    prompts: async () => {
      const shown = await promptsOf(entry, views);
      // A theme without backgrounds hides the prompts of pi, and only its record has them.
      return shown.length > 0 ? shown : typed.flatMap(submitted);
    },
    variables,
  };
}

const submitted = ({ steps, text }: Receipt): SaidPrompt[] =>
  steps.filter(({ state }) => state === "submitted").map(({ timeUs }) => ({ text, timeMs: timeUs / 1000 }));

/** What the user has said in a session, as its views have read it. */
export const promptsOf = async (entry: SessionEntry, views: SessionViews): Promise<SaidPrompt[]> =>
  (await messagesOf(entry, views))
    .filter(({ role }) => role === "user")
    .slice(-PROMPTS_MAX)
    .map(({ text, timeUs }) => ({ text, timeMs: timeUs / 1000 }));

/** What all agents call it to go to another conversation; `/new` in an opencode that was resumed shows nothing else of it. */
const LEAVING = /^\/(?:new|clear|resume|sessions|chat (?:resume|load))\b/;

/** It has gone to another conversation, such as with `/new`, in which nothing was said: no file shows that one. */
export async function hasBegunAnew(entry: SessionEntry, views: SessionViews): Promise<boolean> {
  const messages = await messagesOf(entry, views);
  const said = messages.findLastIndex(({ role }) => role === "user");
  return (
    said >= 0 &&
    messages
      .slice(said)
      .some(({ role, text }) => role === "conversation-start" || (role === "command" && LEAVING.test(text)))
  );
}

async function messagesOf(entry: SessionEntry, views: SessionViews): Promise<ChatMessage[]> {
  return await views.use(entry, async () => {
    const wanted = { session: entry.id, from: 0, kinds: ["message"], changesMax: 1_000_000 } as const;
    const changes = await views.store.list({ ...wanted, last: null });
    return shownMessages(
      changes.flatMap((change) => (change.kind === "message" ? [change.message] : [])),
      0,
    );
  });
}
