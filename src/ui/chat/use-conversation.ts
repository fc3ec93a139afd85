/**
 * The conversation of a session, kept fresh. It is asked for again and again instead of streamed: a browser opens six connections
 * to a daemon for all of its tabs together, and a stream in each tab would use them up.
 */
import { useEffect, useState } from "react";
import { daemon, messageOf } from "../api.ts";
import { Conversation } from "./conversation.ts";

const POLL_MS = 700;
const HIDDEN_POLL_MS = 5000;
const PAGE = 1000;
const KINDS = ["message", "approval", "event"] as const;

export interface ConversationState {
  readonly conversation: Conversation;
  /** Changes with each news. */
  readonly version: number;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
}

export function useConversation(session: string, isLive: boolean): ConversationState {
  const [state, setState] = useState<ConversationState>(() => fresh());
  useEffect(() => {
    const leaving = new AbortController();
    void follow(session, isLive, leaving.signal, setState);
    return () => leaving.abort();
  }, [session, isLive]);
  return state;
}

const fresh = (): ConversationState => ({
  conversation: new Conversation(),
  version: 0,
  isLoaded: false,
  problem: undefined,
});

async function follow(
  session: string,
  isLive: boolean,
  signal: AbortSignal,
  setState: (state: ConversationState) => void,
): Promise<void> {
  const { conversation } = fresh();
  let told = fresh();
  const tell = (change: Partial<ConversationState>): void => {
    const next = { ...told, conversation, ...change };
    const isSame = next.version === told.version && next.isLoaded === told.isLoaded && next.problem === told.problem;
    told = next;
    if (!isSame && !signal.aborted) setState(next);
  };
  let version = 0;
  let from = 0;
  let seen = "";
  while (!signal.aborted) {
    let isLast = true;
    try {
      const { changes, next } = await daemon().call(
        "sessions.changes",
        { session, from, kinds: [...KINDS], changesMax: PAGE },
        { signal },
      );
      isLast = changes.length < PAGE || next === from;
      // What changed just at the place where it reads on comes again.
      const news = JSON.stringify(changes);
      if (news !== seen) {
        conversation.feed(changes);
        version += 1;
      }
      seen = news;
      from = next;
      tell({ version, isLoaded: isLast, problem: undefined });
    } catch (error) {
      if (signal.aborted) return;
      tell({ version, isLoaded: true, problem: messageOf(error) });
    }
    if (isLast && !isLive) return;
    if (isLast) await pause(document.visibilityState === "visible" ? POLL_MS : HIDDEN_POLL_MS, signal);
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
