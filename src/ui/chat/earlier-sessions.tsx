/** The conversation before: that of the sessions that a session continues, each loaded when its end is near the view. */
import { useEffect, useLayoutEffect, useRef, useState, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { Link } from "../parts/link.tsx";
import { sessionPath } from "../router.ts";
import { access } from "../sessions/access.ts";
import { EARLIER_SESSIONS_MAX, referenceOf } from "../sessions/continued.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { ConversationEntry } from "./conversation-entry.tsx";
import { gapsOf, withGaps } from "./gaps.ts";
import { useConversation, type ReceiptReader } from "./use-conversation.ts";

/** Prompts of an ended session have arrived or have not. */
const noReceipts: ReceiptReader = { learn: () => undefined, load: async () => undefined };

interface EarlierSessionsProps {
  /** The later one, whose entries follow. */
  readonly session: Session;
  /** Sessions between it and the one of the page. */
  readonly depth?: number;
}

/** Entries of a list. */
export function EarlierSessions({ session, depth = 0 }: EarlierSessionsProps): ReactElement | null {
  const { isLoaded, views } = useStore(sessionList);
  const { session: shared } = useStore(access);
  const divider = useRef<HTMLLIElement>(null);
  const earlier = views.find((view) => view.session.id === session.continues)?.session;
  const mayLoad = earlier !== undefined && depth < EARLIER_SESSIONS_MAX;
  const isNear = useNear(divider, mayLoad);
  // A shared session shows no other one.
  if (session.continues === null || shared !== null || !isLoaded) return null;
  const date = new Date(session.createdAt);
  return (
    <>
      {mayLoad && isNear ? <EarlierEntries session={earlier} depth={depth} divider={divider} /> : null}
      <li ref={divider} className="entry-rule entry-resumed">
        <span>
          Resumed from{" "}
          {earlier === undefined ? (
            "a session whose recording was removed"
          ) : (
            <Link to={sessionPath(referenceOf(earlier), "chat")}>{earlier.name}</Link>
          )}
          ,{" "}
          <time dateTime={session.createdAt}>
            {date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}
          </time>
        </span>
      </li>
    </>
  );
}

/** True once the element has been near the view. */
function useNear(element: { readonly current: HTMLElement | null }, isWatched: boolean): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null || !isWatched || isNear) return;
    const root = current.closest(".chat-list");
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root, rootMargin: "50% 0px 0px 0px" },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, isWatched, isNear]);
  return isNear;
}

interface EarlierEntriesProps {
  readonly session: Session;
  readonly depth: number;
  /** Follows the entries. */
  readonly divider: { readonly current: HTMLElement | null };
}

function EarlierEntries({ session, depth, divider }: EarlierEntriesProps): ReactElement | null {
  const { conversation, isLoaded, problem } = useConversation(session.id, false, noReceipts);
  // At the very top, and without scroll anchoring, a browser would show what was added instead of what was in the view.
  useLayoutEffect(() => {
    const { current } = divider;
    const list = current?.closest(".chat-list");
    const top = current?.parentElement?.getBoundingClientRect().top;
    if (!isLoaded || current === null || list == null || top === undefined) return;
    if (list.scrollTop > 0 && CSS.supports("overflow-anchor", "auto")) return;
    list.scrollTop += current.getBoundingClientRect().top - top;
  }, [divider, isLoaded]);
  if (!isLoaded) return null;
  return (
    <>
      <EarlierSessions session={session} depth={depth + 1} />
      {problem === undefined ? null : <li className="form-problem">{problem}</li>}
      {withGaps(conversation.items, gapsOf(session, [])).map((item) => (
        <ConversationEntry
          key={item.key}
          item={item}
          session={session.id}
          name={referenceOf(session)}
          hasPlace={item.offset >= session.start}
          isEarlier
        />
      ))}
    </>
  );
}
