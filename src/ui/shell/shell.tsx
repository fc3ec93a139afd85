/** The frame of all views: the bar, dialogs, notices, and messages about the connection. */
import { useEffect, type ReactElement, type FormEvent } from "react";
import { ApprovalsPage } from "../approvals/approvals-page.tsx";
import { connection, daemon } from "../api.ts";
import { askForNotifications, shouldAsk } from "../sessions/notifications.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { later } from "../parts/later.tsx";
import { Link } from "../parts/link.tsx";
import { dismissNotice, notices } from "../parts/notice.ts";
import { hasNewBuild } from "../new-build.ts";
import { navigate, sessionPath, useRoute, type PageRoute } from "../router.ts";
import { SearchPage } from "../search/search-page.tsx";
import { SessionPage } from "../session/session-page.tsx";
import { access } from "../sessions/access.ts";
import { needsPerson, findListed } from "../sessions/attention.ts";
import { BulkDialog } from "../sessions/bulk-dialogs.tsx";
import { openDialog } from "../sessions/dialogs.ts";
import { EditDialog, KillDialog, RemoveDialog } from "../sessions/edit-dialogs.tsx";
import { NewSessionDialog } from "../sessions/new-session-dialog.tsx";
import { SessionsPage } from "../overview/sessions-page.tsx";
import { PushDialog } from "../sessions/push-dialog.tsx";
import { ResumeDialog } from "../sessions/resume.tsx";
import { ShareDialog } from "../sessions/share-dialog.tsx";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { Palette } from "./palette.tsx";
import { onShortcut } from "./shortcuts.ts";
import { formText } from "../parts/form-text.ts";
import { isLive } from "../sessions/session-actions.ts";

const PolicyPage = later(async () => (await import("../policy/policy-page.tsx")).PolicyPage);
const UsagePage = later(async () => (await import("../usage/usage-page.tsx")).UsagePage);
const NewTaskDialog = later(async () => (await import("../tasks/new-task-dialog.tsx")).NewTaskDialog);
const AuditPage = later(async () => (await import("../audit/audit-page.tsx")).AuditPage);

export function Shell(): ReactElement {
  const route = useRoute();
  const state = useStore(connection);
  const { session: shared } = useStore(access);
  useEffect(() => {
    if (shared !== null) return undefined;
    addEventListener("keydown", onShortcut);
    return () => removeEventListener("keydown", onShortcut);
  }, [shared]);
  const seen = route.view === "session" && shared === null ? route.session : undefined;
  useEffect(() => (seen === undefined ? undefined : reportSeen(seen)), [seen]);
  if (shared !== null && state !== "locked") return <SharedPage route={route} session={shared} />;
  return (
    <>
      <Title route={route} />
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar route={route} />
      <ConnectionBanner />
      {route.view === "sessions" ? <AskForNotifications /> : null}
      {state === "locked" ? <Locked /> : <View route={route} />}
      {route.view === "session" ? null : (
        <nav className="bottom-nav" aria-label="Main, below">
          <PageLinks route={route} />
        </nav>
      )}
      <OpenDialogs />
      <Notices />
    </>
  );
}

/** What a share link shows: one session, without any way to another one. */
function SharedPage({ route, session }: { readonly route: PageRoute; readonly session: string }): ReactElement {
  const { views } = useStore(sessionList);
  const isThere = route.view === "session";
  useEffect(() => {
    if (!isThere) navigate(sessionPath(session), { replace: true });
  }, [isThere, session]);
  const name = views.find((view) => view.session.id === session)?.session.name ?? "Shared session";
  return (
    <>
      <title>{`${name} · Lectern`}</title>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <span className="wordmark">
          <Mark />
          Lectern
        </span>
        <p className="shared-note">Shared with you to read</p>
      </header>
      <ConnectionBanner />
      {route.view === "session" ? <SessionPage route={route} /> : null}
      <Notices />
    </>
  );
}

/** The title of the window: the number of sessions that need a person and the current view. The icon of the window has the number, too. */
function Title({ route }: { readonly route: PageRoute }): ReactElement {
  const { views } = useStore(sessionList);
  const needy = views.filter(needsPerson).length;
  const what = route.view === "session" ? route.session : titleOf(route.view);
  useEffect(() => showBadge(needy), [needy]);
  return <title>{`${needy === 0 ? "" : `(${needy}) `}${what ?? "Sessions"} · Lectern`}</title>;
}

function View({ route }: { readonly route: PageRoute }): ReactElement {
  switch (route.view) {
    case "session":
      return <SessionPage route={route} />;
    case "search":
      return <SearchPage query={route.query} />;
    case "approvals":
      return <ApprovalsPage />;
    case "audit":
      return <AuditPage />;
    case "usage":
      return <UsagePage query={route.query} />;
    case "policy":
      return <PolicyPage query={route.query} />;
    default:
      return <SessionsPage />;
  }
}

const pages = [
  ["sessions", "/", "Sessions"],
  ["approvals", "/approvals", "Questions"],
  ["search", "/search", "Search"],
  ["audit", "/audit", "Audit"],
] as const;

const titleOf = (view: PageRoute["view"]): string | undefined =>
  view === "policy" ? "Try a policy" : view === "usage" ? "Usage" : pages.find(([page]) => page === view)?.[2];

function PageLinks({ route }: { readonly route: PageRoute }): ReactElement {
  const { views } = useStore(sessionList);
  const blocked = views.filter(({ standing }) => standing === "blocked").length;
  return (
    <>
      {pages.map(([view, path, title]) => (
        <Link
          key={view}
          to={path}
          isCurrent={(route.view === "policy" || route.view === "usage" ? "audit" : route.view) === view}
        >
          {title}
          {view === "approvals" && blocked > 0 ? (
            <span className="count">
              <span className="visually-hidden">, waiting: </span>
              {blocked}
            </span>
          ) : null}
        </Link>
      ))}
    </>
  );
}

function TopBar({ route }: { readonly route: PageRoute }): ReactElement {
  return (
    <header className="bar">
      <Link to="/" className="wordmark" label="Lectern, all sessions">
        <Mark />
        Lectern
      </Link>
      <nav className="bar-nav" aria-label="Main">
        <PageLinks route={route} />
      </nav>
      <IconButton label="Notifications on this device" icon="bell" onClick={() => openDialog.set({ kind: "push" })} />
      <button type="button" className="jump" onClick={() => openDialog.set({ kind: "palette" })}>
        <Icon name="search" />
        <span>Go to or do</span>
        <kbd>Ctrl K</kbd>
      </button>
      <Button className="new-task" onClick={() => openDialog.set({ kind: "task" })}>
        New task
      </Button>
      <Button kind="primary" className="new" onClick={() => openDialog.set({ kind: "new" })}>
        <Icon name="plus" />
        <span>New session</span>
      </Button>
    </header>
  );
}

const Mark = (): ReactElement => (
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <path d="M3 4.5h14l-2 8H5zM10 12.5v4M6.5 17.5h7" />
  </svg>
);

/** A message about the connection, or about what came with the last one. */
function ConnectionBanner(): ReactElement | null {
  const isAway = useStore(connection) === "away";
  const isOld = useStore(hasNewBuild);
  if (isAway) {
    return (
      <p className="banner" role="status">
        The daemon does not answer. Programs keep running. Start it with <code>lectern up</code>; this page reconnects.
      </p>
    );
  }
  if (!isOld) return null;
  return (
    <div className="banner" role="status">
      <p>Lectern was replaced by another version since this page was opened.</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  );
}

function AskForNotifications(): ReactElement | null {
  if (!useStore(shouldAsk)) return null;
  return (
    <div className="banner" role="status">
      <Icon name="bell" />
      <p>Notify you when a session waits?</p>
      <Button onClick={() => void askForNotifications(false)}>No</Button>
      <Button kind="primary" onClick={() => void askForNotifications(true)}>
        Notify me
      </Button>
    </div>
  );
}

function OpenDialogs(): ReactElement {
  const open = useStore(openDialog);
  return (
    <>
      {open.kind === "palette" ? <Palette /> : null}
      {open.kind === "new" ? <NewSessionDialog /> : null}
      {open.kind === "task" ? <NewTaskDialog /> : null}
      {open.kind === "edit" ? <EditDialog session={open.session} /> : null}
      {open.kind === "kill" ? <KillDialog session={open.session} /> : null}
      {open.kind === "push" ? <PushDialog /> : null}
      {open.kind === "share" ? <ShareDialog session={open.session} /> : null}
      {open.kind === "resume" ? <ResumeDialog session={open.session} refusal={open.refusal} /> : null}
      {open.kind === "bulk" ? <BulkDialog action={open.action} sessions={open.sessions} /> : null}
      {open.kind === "remove" ? <RemoveDialog session={open.session} /> : null}
    </>
  );
}

function Notices(): ReactElement {
  const shown = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} className="notice panel" data-kind={kind}>
          <Icon name={kind === "done" ? "check" : "warn"} />
          <p>{text}</p>
          <IconButton label="Dismiss" icon="close" onClick={() => dismissNotice(id)} />
        </div>
      ))}
    </div>
  );
}

/** The login page: which command to run, and a field for the link if the terminal is on another machine. */
function Locked(): ReactElement {
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = formText(new FormData(event.currentTarget), "link");
    const code = given.slice(given.indexOf("#") + 1).trim();
    if (code !== "") location.href = `/login#${encodeURIComponent(code)}`;
  };
  return (
    <main className="page" id="main">
      <div className="empty">
        <h1>This browser is not logged in</h1>
        <p>Run this on the machine of the daemon. It opens a link that logs one browser in, within ten minutes:</p>
        <pre>
          <code>lectern open</code>
        </pre>
        <form className="form-line" onSubmit={onSubmit}>
          <label>
            <span className="visually-hidden">Login link</span>
            <input name="link" placeholder="or paste the link here" autoComplete="off" required />
          </label>
          <Button type="submit" kind="primary">
            Log in
          </Button>
        </form>
      </div>
    </main>
  );
}

// The number of sessions that need a person, on the icon of the window and on that of the installed page.

const COUNT_SHOWN_MAX = 9;
const PLAIN_ICON = "/icon.svg";

/** `0` shows the plain icon. */
function showBadge(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const address = count === 0 ? PLAIN_ICON : `data:image/svg+xml,${encodeURIComponent(iconWith(count))}`;
  if (link !== null && link.getAttribute("href") !== address) link.href = address;
  // Only an installed page has one, and not in every browser.
  const shown = count === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(count);
  shown?.catch(() => undefined);
}

function iconWith(count: number): string {
  const text = count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#211f1b"/>' +
    '<path d="M8 14h36l-5 20H13zM26 34v14M16 50h20" fill="#f2ede3" stroke="#f2ede3" stroke-width="4"/>' +
    '<circle cx="44" cy="44" r="20" fill="#b4581c"/>' +
    `<text x="44" y="54" font-family="sans-serif" font-weight="700" font-size="${text.length > 1 ? 22 : 28}" fill="#fff" text-anchor="middle">${text}</text></svg>`
  );
}

// Reports to the daemon that a person has a session in front, so that no notice of it goes to their phone.

/** Less than a person is taken to be there after the last report, `PRESENT_MS`. */
const REPORT_MS = 20_000;

/** Reports until the returned function is called. `reference`: id or name, as in the address of the page. */
function reportSeen(reference: string): () => void {
  const report = (): void => {
    if (document.visibilityState !== "visible" || !document.hasFocus() || connection.get() !== "online") return;
    const { views } = sessionList.get();
    const found = findListed(views, reference)?.session;
    // A notice too many is no harm.
    if (found !== undefined && isLive(found))
      daemon()
        .call("sessions.seen", { session: found.id })
        .catch(() => undefined);
  };
  report();
  const timer = setInterval(report, REPORT_MS);
  addEventListener("focus", report);
  return () => {
    clearInterval(timer);
    removeEventListener("focus", report);
  };
}
