/**
 * The conversation of a session, kept fresh: what was told before by requests, then each change over a WebSocket, as it comes. Where none
 * gets through, the same requests again and again. One offset says how far the page has come, whichever way: nothing is missed in between.
 */
import { useEffect, useState } from "react";
import { waits } from "../../core/waits.ts";
import type { Receipt, SessionChange } from "../../client.ts";
import { connectionOf, daemon, messageOf } from "../api.ts";
import { Conversation } from "./conversation.ts";

const PAGE = 1000;
const KINDS = ["message", "approval", "event", "intents"] as const;

export interface ConversationState {
  readonly conversation: Conversation;
  /** Changes with each news. */
  readonly version: number;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
}

/** What the daemon has said of prompts; `receipts` is all of them, where they are asked for. */
export interface ReceiptReader {
  readonly learn: (receipt: Receipt) => void;
  readonly load: (signal: AbortSignal) => Promise<void>;
}

export function useConversation(session: string, isLive: boolean, receipts: ReceiptReader): ConversationState {
  const [state, setState] = useState<ConversationState>(() => fresh());
  useEffect(() => {
    const leaving = new AbortController();
    const news = new News(setState, leaving.signal);
    void follow({ session, isLive, news, receipts, signal: leaving.signal });
    return () => leaving.abort();
  }, [session, isLive, receipts]);
  return state;
}

const fresh = (): ConversationState => ({
  conversation: new Conversation(),
  version: 0,
  isLoaded: false,
  problem: undefined,
});

interface Following {
  readonly session: string;
  readonly isLive: boolean;
  readonly news: News;
  readonly receipts: ReceiptReader;
  readonly signal: AbortSignal;
}

async function follow({ session, isLive, news, receipts, signal }: Following): Promise<void> {
  let from = 0;
  while (!signal.aborted) {
    try {
      from = await readOn(session, from, { news, signal });
      news.tell({ isLoaded: true, problem: undefined });
      await receipts.load(signal);
      if (!isLive) return;
      const kinds = [...KINDS, "receipt"] as const;
      for await (const change of daemon().updates(session, { over: "socket", from, kinds, attemptsMax: 0, signal })) {
        from = change.offset;
        if (change.kind === "receipt") receipts.learn(change.receipt);
        else news.feed([change]);
      }
    } catch (error) {
      if (signal.aborted) return;
      // A socket that does not get through is no problem of the reader: it goes on by requests.
      const isPassing = connectionOf(error) === "away";
      news.tell({ isLoaded: true, ...(isPassing ? {} : { problem: messageOf(error) }) });
    }
    await pause(document.visibilityState === "visible" ? waits.retryMs : waits.hiddenRetryMs, signal);
  }
}

/** All that was told from an offset on; answers where to go on. */
async function readOn(
  session: string,
  start: number,
  { news, signal }: Pick<Following, "news" | "signal">,
): Promise<number> {
  for (let from = start; ;) {
    const input = { session, from, kinds: [...KINDS], changesMax: PAGE };
    const { changes, next } = await daemon().call("sessions.changes", input, { signal });
    news.feed(changes);
    if (changes.length < PAGE || next === from) return next;
    from = next;
  }
}

/** What comes is drawn with the next frame, all of it at once; a page that nobody looks at draws when somebody does. */
class News {
  readonly #setState: (state: ConversationState) => void;
  readonly #signal: AbortSignal;
  #state = fresh();
  #frame: number | undefined;

  constructor(setState: (state: ConversationState) => void, signal: AbortSignal) {
    this.#setState = setState;
    this.#signal = signal;
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame ?? 0), { once: true });
  }

  feed(changes: readonly Exclude<SessionChange, { readonly kind: "receipt" }>[]): void {
    if (this.#state.conversation.feed(changes)) this.tell({ version: this.#state.version + 1 });
  }

  tell(change: Partial<ConversationState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    const { version, isLoaded, problem } = this.#state;
    if (version === before.version && isLoaded === before.isLoaded && problem === before.problem) return;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (!this.#signal.aborted) this.#setState(this.#state);
    });
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
