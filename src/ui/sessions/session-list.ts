/** All sessions, asked for again and again while somebody looks; what did not change keeps its identity, so that no row is drawn for nothing. */
import type { Session } from "../../client.ts";
import { connection, connectionOf, daemon } from "../api.ts";
import { Store } from "../store.ts";
import { readableDetails } from "../approvals/details.ts";
import { Activity } from "./activity.ts";
import { plainSummary } from "./summary.ts";
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
    const isBlocked = sessions.some(({ status }) => status?.state === "blocked");
    const questions = isBlocked ? await openQuestions() : noQuestions;
    connection.set("online");
    take(sessions, questions, Date.now());
  } catch (error) {
    connection.set(connectionOf(error) ?? "online");
  }
}

const noQuestions: ReadonlyMap<string, string> = new Map();

/** In the words of who asks, by session. Without them the status says that there is one. */
async function openQuestions(): Promise<ReadonlyMap<string, string>> {
  const { approvals } = await daemon().call("approvals.list", {});
  const words = approvals.map(
    ({ session, question, details }) => [session, `${question} ${readableDetails(details)}`.trim()] as const,
  );
  return new Map(words);
}

function take(sessions: readonly Session[], questions: ReadonlyMap<string, string>, nowMs: number): void {
  const before = sessionList.get();
  const known = new Map(before.views.map((view) => [view.session.id, view]));
  const views = sessions.map((session) =>
    viewOf({ session, question: questions.get(session.id), nowMs }, known.get(session.id)),
  );
  for (const id of activities.keys()) if (!sessions.some((session) => session.id === id)) activities.delete(id);
  const isSame = views.length === before.views.length && views.every((view, index) => view === before.views[index]);
  if (!isSame || !before.isLoaded) sessionList.set({ isLoaded: true, views });
}

interface Seen {
  readonly session: Session;
  readonly question: string | undefined;
  readonly nowMs: number;
}

function viewOf({ session, question, nowMs }: Seen, before: SessionView | undefined): SessionView {
  const activity = activities.get(session.id) ?? new Activity();
  activities.set(session.id, activity);
  const samples = activity.feed(session.end, nowMs);
  const standing = standingOf(session, activity, nowMs);
  const sinceMs = before?.standing === standing ? before.sinceMs : sinceOf(session, activity);
  const summary = plainSummary(session.status?.summary ?? "");
  const words = standing === "blocked" ? { question: question ?? summary ?? "It asks something" } : { summary };
  const isSame =
    before?.standing === standing &&
    before.question === ("question" in words ? words.question : undefined) &&
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
