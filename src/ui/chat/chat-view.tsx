/** The live conversation of a session, with an input box. */
import "./chat.css";
import { useCallback, useLayoutEffect, useRef, type ReactElement, useMemo, useEffect, useState } from "react";
import type { Intent } from "../../core/intents/intent-fold.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { isLive } from "../sessions/session-actions.ts";
import { access, canAct } from "../sessions/access.ts";
import type { ListedSession } from "../sessions/attention.ts";
import { notify } from "../parts/notice.ts";
import { anchorOf } from "./anchor.ts";
import type { ConversationItems } from "./conversation.ts";
import { ConversationEntry } from "./conversation-entry.tsx";
import { PromptBox } from "./prompt-box.tsx";
import { referenceOf, EARLIER_SESSIONS_MAX } from "../sessions/continued.ts";
import { ResumeOffer } from "../sessions/resume.tsx";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { withGaps, gapsOf, type ConversationGap } from "./gaps.ts";
import { useConversation, type ReceiptReader } from "./use-conversation.ts";
import { usePrompts } from "./use-prompts.ts";
import type { Session } from "../../client.ts";
import type { GapNotice } from "../../protocol/records.ts";
import { toSessionRecord } from "../../client/session-record.ts";
import { daemon } from "../api.ts";
import { Link } from "../parts/link.tsx";
import { sessionPath } from "../router.ts";

/** Within this distance of the end, the view follows new messages. */
const NEAR_END_PX = 80;

interface ChatViewProps {
  readonly view: ListedSession;
  /** `at` is an offset in the journal. */
  readonly query: URLSearchParams;
}

export function ChatView({ view, query }: ChatViewProps): ReactElement {
  const { session } = view;
  const live = isLive(session);
  const mayAct = canAct(useStore(access));
  const prompts = usePrompts(session.id);
  const { conversation, version, isLoaded, problem } = useConversation(session.id, live, prompts);
  const intents = live ? conversation.intents : [];
  const gaps = useGaps(session, isLoaded);
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && version > 0 && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [version]);
  // Heights change after the layout, when code is coloured or the box below grows.
  useLayoutEffect(() => {
    const element = list.current;
    const items = element?.querySelector(".chat-items");
    if (element === null || items == null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(items);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const stopFollowing = useCallback(() => {
    isAtEnd.current = false;
  }, []);
  useLinked(conversation, { isLoaded, at: query.get("at"), onShown: stopFollowing });
  const onScroll = (): void => {
    const element = list.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
  };
  const items = withGaps(conversation.items, gaps);
  const trimmedTo = gaps.find(({ key }) => key === "gap trimmed")?.offset ?? 0;
  return (
    <div className="column">
      <div ref={list} className="chat-list" onScroll={onScroll}>
        {problem === undefined ? null : <p className="form-problem">{problem}</p>}
        {isLoaded && items.length === 0 && session.continues === null ? (
          <Empty title="No messages yet">
            <p>
              Messages, tool calls and questions of agents appear here, and commands of shells with shell integration.
              The terminal shows everything that {session.name} printed.
            </p>
          </Empty>
        ) : null}
        <ol className="chat-items" aria-label={`Conversation of ${session.name}`}>
          {isLoaded ? <EarlierSessions session={session} /> : null}
          {items.map((item) => (
            <ConversationEntry
              key={item.key}
              item={item}
              session={session.id}
              name={referenceOf(session)}
              hasPlace={item.offset >= trimmedTo}
            />
          ))}
          {intents.map((intent) => (
            <IntentEntry key={intent.call} intent={intent} />
          ))}
        </ol>
        {isLoaded ? (
          <p className="chat-continued">
            <ResumeOffer session={session} className="button" />
          </p>
        ) : null}
      </div>
      {live ? <HeldCalls session={session.id} /> : null}
      {live && mayAct ? <PromptBox view={view} prompts={prompts} /> : null}
    </div>
  );
}

interface LinkedOptions {
  readonly isLoaded: boolean;
  readonly at: string | null;
  readonly onShown: () => void;
}

/** Scrolls to the entry that the address names by its fragment or by an offset. */
function useLinked(conversation: ConversationItems, { isLoaded, at, onShown }: LinkedOptions): void {
  useLayoutEffect(() => {
    if (!isLoaded) return;
    const show = (): void => {
      const anchor = location.hash.slice(1);
      if (anchor === "" && at === null) return;
      const item = anchor === "" ? conversation.at(Number(at)) : conversation.named(anchor);
      const element = item === undefined ? null : document.querySelector(`#${CSS.escape(anchorOf(item.key))}`);
      if (element === null) return notify("The target of the link is no longer in this conversation", "problem");
      onShown();
      for (const before of document.querySelectorAll(".entry.linked")) before.classList.remove("linked");
      element.classList.add("linked");
      element.scrollIntoView({ block: "center" });
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [conversation, isLoaded, at, onShown]);
}

/** The gateway asks before the call is on the screen, so the conversation does not show its questions. */
function HeldCalls({ session }: { readonly session: string }): ReactElement | null {
  const { approvals } = useStore(sessionList);
  const shown = approvals.filter((each) => each.session === session && each.source === "wire");
  if (shown.length === 0) return null;
  return (
    <div className="chat-questions">
      {shown.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} session={session} />
      ))}
    </div>
  );
}

/** The model has named a tool; the call is executed when it is complete and allowed. */
function IntentEntry({ intent: { tool, isHeld } }: { readonly intent: Intent }): ReactElement {
  return (
    <li className="entry" data-kind="intent">
      <div className="card panel">
        <p className="card-head">
          <Icon name="tool" />
          <span className="tool-name">{escapeForDisplay(tool)}</span>
          <span className="note">{isHeld ? "held until the question is answered" : "about to be called"}</span>
          <span className="bubble-more" aria-hidden="true" />
        </p>
      </div>
    </li>
  );
}

/** The notices of a lost host are its last records. */
const LAST_BYTES = 4096;

interface Asked {
  readonly start: number;
  readonly notices: readonly GapNotice[];
}

const nothingAsked: Asked = { start: 0, notices: [] };

/** `isLoaded`: the views were read, so the daemon has opened the journal and knows its start. */
function useGaps({ id, start, end, exit, degraded }: Session, isLoaded: boolean): readonly ConversationGap[] {
  const isLost = exit?.reason === "lost";
  const ask = useCallback(
    async (signal: AbortSignal): Promise<Asked> => {
      if (!isLoaded) return nothingAsked;
      const now = await daemon().call("sessions.get", { session: id }, { signal });
      return { start: now.start, notices: isLost ? await lastNotices({ ...now, id }, signal) : [] };
    },
    [id, isLoaded, isLost],
  );
  const { value: asked = nothingAsked } = useAnswer(ask);
  return useMemo(
    () => gapsOf({ start: Math.max(start, asked.start), end, exit, degraded }, asked.notices),
    [start, end, exit, degraded, asked],
  );
}

async function lastNotices({ id, start, end }: Session, signal: AbortSignal): Promise<GapNotice[]> {
  const input = { session: id, from: Math.max(start, end - LAST_BYTES), types: ["gap" as const] };
  const { records } = await daemon().call("sessions.records", input, { signal });
  return records.map(toSessionRecord).flatMap((record) => (record.type === "gap" ? [record.gap] : []));
}

// The conversation before: that of the sessions that a session continues, each loaded when its end is near the view.

/** Prompts of an ended session have arrived or have not. */
const noReceipts: ReceiptReader = { learn: () => undefined, load: async () => undefined };

interface EarlierSessionsProps {
  /** The later one, whose entries follow. */
  readonly session: Session;
  /** Sessions between it and the one of the page. */
  readonly depth?: number;
}

/** Entries of a list. */
function EarlierSessions({ session, depth = 0 }: EarlierSessionsProps): ReactElement | null {
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
