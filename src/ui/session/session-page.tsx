/** A session: its terminal, conversation and recording, beside the list if there is room. */
import { useState, type ReactElement, memo } from "react";
import type { Session } from "../../client.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { Link } from "../parts/link.tsx";
import { Name } from "../parts/name.tsx";
import { sessionPath, type PageRoute, type SessionTab } from "../router.ts";
import { EvidencePanel } from "../sessions/evidence.tsx";
import { limitNow } from "../sessions/summary.ts";
import { access, canAct } from "../sessions/access.ts";
import { findListed, type ListedSession, groupSessions } from "../sessions/attention.ts";
import { referenceOf } from "../sessions/continued.ts";
import { isLive } from "../sessions/session-actions.ts";
import { sessionList } from "../sessions/session-list.ts";
import { SessionMenu } from "../sessions/session-menu.tsx";
import { useStore } from "../store.ts";
import { GateMark } from "../parts/gate-mark.tsx";
import { SandboxMark } from "../parts/sandbox-mark.tsx";
import { StandingMark } from "../sessions/standing-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { Sparkline } from "../sessions/sparkline.tsx";

const TerminalView = later(async () => (await import("../terminal/terminal-view.tsx")).TerminalView);
const ChatView = later(async () => (await import("../chat/chat-view.tsx")).ChatView);
const ChangesPage = later(async () => (await import("../tasks/changes-page.tsx")).ChangesPage);
const ReplayView = later(async () => (await import("../replay/replay-view.tsx")).ReplayView);

const tabs: readonly (readonly [SessionTab, string])[] = [
  ["terminal", "Terminal"],
  ["chat", "Conversation"],
  ["changes", "Changes"],
  ["replay", "Replay"],
];

type SessionRoute = Extract<PageRoute, { readonly view: "session" }>;

export function SessionPage({ route }: { readonly route: SessionRoute }): ReactElement {
  const { views, isLoaded } = useStore(sessionList);
  const { session: shared } = useStore(access);
  const view = findListed(views, route.session);
  return (
    <div className="with-sidebar">
      {shared === null ? <SessionSidebar current={view?.session.id} /> : null}
      <main className="session column" id="main">
        {view === undefined ? (
          <Missing reference={route.session} isLoaded={isLoaded} />
        ) : (
          <SessionBody view={view} route={route} />
        )}
      </main>
    </div>
  );
}

function Missing({
  reference,
  isLoaded,
}: {
  readonly reference: string;
  readonly isLoaded: boolean;
}): ReactElement | null {
  // The list contains all sessions, so no request is needed.
  if (!isLoaded) return null;
  return (
    <div className="empty">
      <h1>No such session</h1>
      <p>No session has the name or id “{reference}”. It may have been removed.</p>
      <Link to="/" className="button">
        All sessions
      </Link>
    </div>
  );
}

interface SessionBodyProps {
  readonly view: ListedSession;
  readonly route: SessionRoute;
}

function SessionBody({ view, route }: SessionBodyProps): ReactElement {
  const { session, standing } = view;
  const { session: shared, ...given } = useStore(access);
  const mayAct = canAct({ ...given, session: shared });
  const [isReading, setReading] = useState(false);
  const readOnly = isReading || !mayAct;
  const [screenReader, setScreenReader] = useState(localStorage.getItem("lectern-screen-reader") === "yes");
  const toggleScreenReader = (): void => {
    localStorage.setItem("lectern-screen-reader", screenReader ? "no" : "yes");
    setScreenReader(!screenReader);
  };
  return (
    <>
      <header className="session-head">
        {shared === null ? (
          <Link to="/" className="icon-button session-back" label="All sessions">
            <Icon name="back" />
          </Link>
        ) : null}
        <div className="session-title">
          <h1 className="truncate" aria-label={session.name}>
            <Name text={session.name} />
          </h1>
          <EvidencePanel session={session.id} standing={standing} />
          <LimitWords session={session} />
          <code className="session-command note truncate" title={escapeForDisplay(session.workingDirectory)}>
            {displayCommand(session.command)}
          </code>
        </div>
        <nav className="tabs" aria-label="Views of the session">
          {tabs
            .filter(([tab]) => tab !== "changes" || session.worktree !== null)
            .map(([tab, title]) => (
              <Link key={tab} to={sessionPath(referenceOf(session), tab)} isCurrent={route.tab === tab}>
                {title}
              </Link>
            ))}
        </nav>
        <SessionMenu
          session={session}
          items={[
            {
              label: readOnly ? "Allow typing" : "Read only",
              onSelect: () => setReading(!isReading),
              isDisabled: !isLive(session) || !mayAct,
            },
            { label: screenReader ? "Screen reader mode off" : "Screen reader mode", onSelect: toggleScreenReader },
          ]}
        />
      </header>
      {standing === "blocked" && route.tab !== "chat" ? (
        <p className="blocked-strip" role="status">
          <span className="truncate">{escapeForDisplay(view.question ?? "The session waits for an answer")}</span>
          <Link to={sessionPath(session.name, "chat")} className="button">
            {mayAct ? "Answer" : "Read"}
          </Link>
        </p>
      ) : null}
      <SessionTabView view={view} route={route} readOnly={readOnly} screenReader={screenReader} />
    </>
  );
}

/** Until when a limit of usage holds the agent up, in local time. */
function LimitWords({ session: { state, status } }: { readonly session: Session }): ReactElement | null {
  if (state !== "running" || status?.limit === undefined) return null;
  return (
    <span className="session-limit" title={escapeForDisplay(status.limit.text)}>
      {limitNow(status.limit)}
    </span>
  );
}

interface SessionTabViewProps {
  readonly view: ListedSession;
  readonly route: SessionRoute;
  readonly readOnly: boolean;
  readonly screenReader: boolean;
}

function SessionTabView({ view, route, readOnly, screenReader }: SessionTabViewProps): ReactElement {
  const { session } = view;
  switch (route.tab) {
    case "chat":
      return <ChatView key={session.id} view={view} query={route.query} />;
    case "changes":
      return <ChangesPage key={session.id} session={session} query={route.query} />;
    case "replay":
      return <ReplayView key={session.id} session={session} query={route.query} />;
    default:
      return <TerminalView session={session} readOnly={readOnly} screenReader={screenReader} />;
  }
}

/** The short list of sessions. */
function SessionSidebar({ current }: { readonly current: string | undefined }): ReactElement {
  const { views } = useStore(sessionList);
  return (
    <nav className="sidebar" aria-label="Sessions">
      {groupSessions(views).map(({ key, title, views: members }) => (
        <section key={key} data-group={key}>
          <h2>{title}</h2>
          <ul>
            {members.map((view) => (
              <SidebarItem key={view.session.id} view={view} isCurrent={view.session.id === current} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface SidebarItemProps {
  readonly view: ListedSession;
  readonly isCurrent: boolean;
}

const SidebarItem = memo(function SidebarItem({ view, isCurrent }: SidebarItemProps): ReactElement {
  const { session, standing, sinceMs, activity } = view;
  return (
    <li>
      <Link to={sessionPath(referenceOf(session))} className="sidebar-item" isCurrent={isCurrent}>
        <StandingMark standing={standing} isShort />
        <span className="sidebar-name truncate">
          <Name text={session.name} />
        </span>
        <GateMark gate={session.gate} />
        <SandboxMark sandbox={session.sandbox} />
        {activity.length > 0 ? <Sparkline samples={activity} /> : null}
        <span className="sidebar-time note">{sinceMs === undefined ? null : <Ago sinceMs={sinceMs} />}</span>
      </Link>
    </li>
  );
});
