/** All sessions, asked for again and again while somebody looks; what did not change keeps its identity, so that no row is drawn for nothing. */
import type { Session } from "../../client.ts";
import { connection, connectionOf, daemon } from "../api.ts";
import { Store } from "../store.ts";
import { Activity } from "./activity.ts";
import type { SessionView, Standing } from "./attention.ts";

const POLL_MS = 1000;
/** While the page is in the background: only notifications need it. */
const HIDDEN_POLL_MS = 5000;

export interface SessionListState {
  /** False until the first answer. */
  readonly isLoaded: boolean;
  readonly views: readonly SessionView[];
}

export const sessionList = new Store<SessionListState>({ isLoaded: false, views: [] });

const activities = new Map<string, Activity>();
let timer: ReturnType<typeof setTimeout> | undefined;
let running = false;
let again = false;

/** Keeps the list fresh from now on. */
export function startSessionList(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refreshSessions();
  });
  refreshSessions();
}

/** Asks now, for example because this page has changed something. */
export function refreshSessions(): void {
  if (running) {
    again = true;
    return;
  }
  clearTimeout(timer);
  running = true;
  void load().finally(() => {
    running = false;
    const delayMs = document.visibilityState === "visible" ? POLL_MS : HIDDEN_POLL_MS;
    timer = setTimeout(refreshSessions, again ? 0 : delayMs);
    again = false;
  });
}

async function load(): Promise<void> {
  try {
    const { sessions } = await daemon().call("sessions.list", {});
    connection.set("online");
    take(sessions, Date.now());
  } catch (error) {
    connection.set(connectionOf(error) ?? "online");
  }
}

function take(sessions: readonly Session[], nowMs: number): void {
  const before = sessionList.get();
  const known = new Map(before.views.map((view) => [view.session.id, view]));
  const views = sessions.map((session) => viewOf(session, known.get(session.id), nowMs));
  for (const id of activities.keys()) if (!sessions.some((session) => session.id === id)) activities.delete(id);
  const isSame = views.length === before.views.length && views.every((view, index) => view === before.views[index]);
  if (!isSame || !before.isLoaded) sessionList.set({ isLoaded: true, views });
}

function viewOf(session: Session, before: SessionView | undefined, nowMs: number): SessionView {
  const activity = activities.get(session.id) ?? new Activity();
  activities.set(session.id, activity);
  const samples = activity.feed(session.end, nowMs);
  const standing = standingOf(session, activity, nowMs);
  const sinceMs = before?.standing === standing ? before.sinceMs : sinceOf(session, activity);
  const { status } = session;
  const words =
    status === null || status.summary === ""
      ? {}
      : { [standing === "blocked" ? "question" : "summary"]: status.summary };
  const isSame =
    before?.standing === standing &&
    before.activity === samples &&
    JSON.stringify(before.session) === JSON.stringify(session);
  return isSame ? before : { session, standing, sinceMs, activity: samples, ...words };
}

/** What the daemon says, and where it says nothing, what the page sees. */
function standingOf({ state, exit, status }: Session, activity: Activity, nowMs: number): Standing {
  if (state === "lost") return "lost";
  if (state === "exited") return exit?.reason === "exited" && exit.code === 0 ? "exited" : "failed";
  if (state === "starting") return "starting";
  if (status !== null && status.state !== "unknown" && status.state !== "exited") return status.state;
  return activity.isActive(nowMs) ? "active" : "quiet";
}

function sinceOf({ endedAt, status }: Session, activity: Activity): number | undefined {
  if (endedAt !== null) return Date.parse(endedAt);
  return status === null ? activity.changedAtMs : status.sinceUs / 1000;
}
