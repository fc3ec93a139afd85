/**
 * The live conversation of a session: loads earlier changes by requests, then follows over a WebSocket. If no WebSocket
 * can be opened, it repeats the requests. Both use the same offset, so nothing is missed in between.
 */
import { useEffect, useState } from "react";
import type { SessionUpdate } from "../../client.ts";
import { delay } from "../../client/reconnect.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import { connectionOf, daemon, messageOf, retryDelayMs } from "../api.ts";
import { ConversationItems } from "./conversation.ts";

const PAGE = 1000;
const KINDS = ["message", "approval", "event", "intents"] as const;

export interface LoadedConversation {
  readonly conversation: ConversationItems;
  /** Increases with each change. */
  readonly version: number;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
}

/** Receives the receipts of prompts; `load` reads all of them. */
export interface ReceiptReader {
  readonly learn: (receipt: Receipt) => void;
  readonly load: (signal: AbortSignal) => Promise<void>;
}

export function useConversation(session: string, isLive: boolean, receipts: ReceiptReader): LoadedConversation {
  const [state, setState] = useState<LoadedConversation>(() => fresh());
  useEffect(() => {
    const leaving = new AbortController();
    const news = new News(setState, leaving.signal);
    void follow({ session, isLive, news, receipts, signal: leaving.signal });
    return () => leaving.abort();
  }, [session, isLive, receipts]);
  return state;
}

const fresh = (): LoadedConversation => ({
  conversation: new ConversationItems(),
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
      news.update({ isLoaded: true, problem: undefined });
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
      // A failed connection is not shown as a problem: the next requests continue.
      const isPassing = connectionOf(error) === "away";
      news.update({ isLoaded: true, ...(isPassing ? {} : { problem: messageOf(error) }) });
    }
    await delay(retryDelayMs(), signal);
  }
}

/** Reads all changes from an offset on; returns where to continue. */
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

/** Collects changes and renders them once per animation frame, so a hidden page renders when it is shown. */
class News {
  readonly #setState: (state: LoadedConversation) => void;
  readonly #signal: AbortSignal;
  #state = fresh();
  #frame: number | undefined;

  constructor(setState: (state: LoadedConversation) => void, signal: AbortSignal) {
    this.#setState = setState;
    this.#signal = signal;
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame ?? 0), { once: true });
  }

  feed(changes: readonly Exclude<SessionUpdate, { readonly kind: "receipt" }>[]): void {
    if (this.#state.conversation.feed(changes)) this.update({ version: this.#state.version + 1 });
  }

  update(change: Partial<LoadedConversation>): void {
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
