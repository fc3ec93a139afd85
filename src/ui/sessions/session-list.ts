/**
 * All sessions, kept fresh for the whole page: the daemon tells of changes over one WebSocket; where none gets through, the page asks again
 * and again. What did not change keeps its identity, so that no row is drawn for nothing.
 */
import { questionLine } from "../../core/dialogs/question-line.ts";
import { waits } from "../../core/waits.ts";
import type { Session, SessionApproval, SessionUpdate } from "../../client.ts";
import { connection, connectionOf, daemon } from "../api.ts";
import { Store } from "../store.ts";
import { readableDetails } from "../approvals/details.ts";
import { Activity } from "./activity.ts";
import { learn, nothingKnown, type KnownSessions } from "./known-sessions.ts";
import { plainSummary } from "./summary.ts";
import type { SessionView, Standing } from "./attention.ts";

/** What comes within this time is drawn at once. */
const GATHER_MS = 100;

export interface SessionListState {
  /** False until the first answer. */
  readonly isLoaded: boolean;
  readonly views: readonly SessionView[];
  /** Every question that waits for a person. */
  readonly approvals: readonly SessionApproval[];
}

export const sessionList = new Store<SessionListState>({ isLoaded: false, views: [], approvals: [] });

/** Another one where the audit log may have grown. */
export const auditNews = new Store(0);

const activities = new Map<string, Activity>();
let known: KnownSessions = nothingKnown;
let isListed = false;
let gathered: SessionUpdate[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;
/** Ends the pause before the next try. */
let tryNow = (): void => undefined;

/** Keeps the list fresh from now on. `early`: one that the page asked for before all others. */
export function startSessionList(early: Promise<Session> | undefined): void {
  // Where the daemon does not give it, the list finds out what is the matter.
  early?.then(learnEarly).catch(() => undefined);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") tryNow();
  });
  addEventListener("online", () => tryNow());
  setInterval(() => {
    if (sessionList.get().isLoaded) show({ isSample: true });
  }, waits.activityMs);
  void follow();
}

/** What the page knows before the daemon has told it: the answer to what it did itself. */
export const learnSession = (view: Session): void => receive({ kind: "session", session: view.id, view });
export const forgetSession = (session: string): void => receive({ kind: "session", session, view: null });

function learnEarly(session: Session): void {
  if (!sessionList.get().isLoaded) learnSession(session);
}

async function follow(): Promise<never> {
  for (;;) {
    try {
      const updates = daemon().allUpdates({ over: "socket", list: true, kinds: ["status"], attemptsMax: 0 });
      for await (const update of updates) {
        if (update.kind === "list") connection.set("online");
        receive(update);
      }
    } catch {
      // A browser does not say why it got no socket: the next request does.
    }
    await ask();
    await pause(document.visibilityState === "visible" ? waits.retryMs : waits.hiddenRetryMs);
  }
}

/** The list by requests: where no socket gets through, this is how it stays fresh. */
async function ask(): Promise<void> {
  try {
    const [{ sessions }, { approvals }] = await Promise.all([
      daemon().call("sessions.list", {}),
      daemon().call("approvals.list", {}),
    ]);
    connection.set("online");
    receive({ kind: "list", sessions, approvals });
  } catch (error) {
    connection.set(connectionOf(error) ?? "online");
  }
}

function pause(delayMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  tryNow = resolve;
  return promise.finally(() => clearTimeout(timer));
}

/** The first list is shown at once; a burst of changes is one change of the page. */
function receive(update: SessionUpdate): void {
  gathered.push(update);
  if (!sessionList.get().isLoaded) takeGathered();
  else gathering ??= setTimeout(takeGathered, GATHER_MS);
}

function takeGathered(): void {
  clearTimeout(gathering);
  gathering = undefined;
  isListed ||= gathered.some(({ kind }) => kind === "list");
  // A list begins a connection: what came before it was not told.
  if (gathered.some(({ kind }) => kind === "audit" || kind === "list")) auditNews.set(auditNews.get() + 1);
  known = learn(known, gathered);
  gathered = [];
  show({ isSample: false });
}

function show({ isSample }: { readonly isSample: boolean }): void {
  const before = sessionList.get();
  const { sessions, approvals } = known;
  const nowMs = Date.now();
  const questions = new Map(
    approvals.map(
      // On one line: the card of the question has it as it is.
      (approval) => [approval.session, questionLine({ ...approval, details: shortDetails(approval.details) })] as const,
    ),
  );
  const shown = new Map(before.views.map((view) => [view.session.id, view]));
  const views = [...sessions.values()].map((session) => {
    const activity = activities.get(session.id) ?? new Activity();
    activities.set(session.id, activity);
    if (isSample) activity.feed(session.end, nowMs);
    return viewOf({ session, activity, question: questions.get(session.id), nowMs }, shown.get(session.id));
  });
  for (const id of activities.keys()) if (!sessions.has(id)) activities.delete(id);
  const isSame =
    before.isLoaded === isListed &&
    approvals === before.approvals &&
    views.length === before.views.length &&
    views.every((view, index) => view === before.views[index]);
  if (!isSame) sessionList.set({ isLoaded: isListed, views, approvals });
}

/** An object with lines of its own is shorter as it came. */
function shortDetails(details: string): string {
  const readable = readableDetails(details);
  return readable.startsWith("{") ? details : readable;
}

interface Seen {
  readonly session: Session;
  readonly activity: Activity;
  readonly question: string | undefined;
  readonly nowMs: number;
}

function viewOf({ session, activity, question, nowMs }: Seen, before: SessionView | undefined): SessionView {
  const { samples } = activity;
  const standing = standingOf(session, activity, nowMs);
  const sinceMs = before?.standing === standing ? before.sinceMs : sinceOf(session, activity);
  const summary = plainSummary(session.status?.summary ?? "");
  const asked = standing === "blocked" ? question || summary || "It asks something" : undefined;
  const isSame =
    before?.session === session &&
    before.standing === standing &&
    before.question === asked &&
    before.activity === samples;
  return isSame ? before : { session, standing, sinceMs, activity: samples, question: asked, summary };
}

/** What the daemon says, and where it says nothing, what the page sees. */
function standingOf({ state, exit, status, isImported }: Session, activity: Activity, nowMs: number): Standing {
  if (isImported) return "recording";
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
