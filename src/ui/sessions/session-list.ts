/**
 * All sessions for the whole page: the daemon sends changes over one WebSocket. If none can be opened, the page repeats its
 * requests. Unchanged sessions keep their identity, so that their rows are not rendered again.
 */
import { waits } from "../../core/waits.ts";
import { questionLine } from "../../core/dialogs/question-line.ts";
import { needOf } from "../../core/status/need.ts";
import type { DaemonUpdate, Session } from "../../client.ts";
import { hasFailed } from "../../protocol/exit-code.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import { connection, connectionOf, daemon, retryDelayMs } from "../api.ts";
import { checkBuild } from "../new-build.ts";
import { ValueStore } from "../store.ts";
import { readableDetails } from "./question-details.ts";
import { ActivityMeter } from "./activity.ts";
import { learnAccess } from "./access.ts";
import { isReachable, learn, nothingKnown, type KnownSessions } from "./known-sessions.ts";
import { plainSummary } from "./summary.ts";
import type { ListedSession, Standing } from "./attention.ts";

/** Updates within this time are rendered together. */
const GATHER_MS = 100;

export interface SessionListState {
  /** False until the first answer. */
  readonly isLoaded: boolean;
  readonly views: readonly ListedSession[];
  /** All open questions. */
  readonly approvals: readonly SessionApproval[];
  /** Questions that nobody is known to read: shown as such, and never answered. */
  readonly hints: readonly SessionApproval[];
  /** Other machines. */
  readonly machines: readonly MachineInfo[];
}

export const sessionList = new ValueStore<SessionListState>({
  isLoaded: false,
  views: [],
  approvals: [],
  hints: [],
  machines: [],
});

/** Increases when the audit log may have grown. */
export const auditNews = new ValueStore(0);

const activities = new Map<string, ActivityMeter>();
let known: KnownSessions = nothingKnown;
let isListed = false;
let gathered: DaemonUpdate[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;
/** Ends the pause before the next attempt. */
let tryNow = (): void => undefined;

/** Starts following. `early` is a session that was requested before the list. */
export function startSessionList(early: Promise<Session> | undefined): void {
  // Errors are reported by the requests for the list.
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

/** Applies the result of an action of the page before the update of the daemon arrives. */
export const learnSession = (view: Session): void => receive({ kind: "session", session: view.id, view });
export const forgetSession = (session: string): void => receive({ kind: "session", session, view: null });

function learnEarly(session: Session): void {
  if (!sessionList.get().isLoaded) learnSession(session);
}

async function follow(): Promise<never> {
  for (;;) {
    try {
      const wanted = { list: true, machines: true, kinds: ["status"] } as const;
      const updates = daemon().daemonUpdates({ ...wanted, over: "socket", attemptsMax: 0 });
      for await (const update of updates) {
        if (update.kind === "list" && update.machine === undefined) {
          if (isListed || connection.get() === "away") void checkBuild();
          connection.set("online");
        }
        receive(update);
      }
    } catch {
      // A browser does not report why a WebSocket failed; the next request does.
    }
    await ask();
    await pause(retryDelayMs());
  }
}

/** Reads the list by requests, in case no WebSocket can be opened. */
async function ask(): Promise<void> {
  try {
    const [{ sessions }, { approvals, hints }] = await Promise.all([
      daemon().call("sessions.list", {}),
      daemon().call("approvals.list", {}),
    ]);
    connection.set("online");
    receive({ kind: "list", sessions, approvals, hints });
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

/** Shows the first list at once and collects later updates. */
function receive(update: DaemonUpdate): void {
  gathered.push(update);
  if (!sessionList.get().isLoaded) takeGathered();
  else gathering ??= setTimeout(takeGathered, GATHER_MS);
}

function takeGathered(): void {
  clearTimeout(gathering);
  gathering = undefined;
  isListed ||= gathered.some(({ kind }) => kind === "list");
  // A list starts a connection, before which audit updates may have been missed.
  if (gathered.some(({ kind }) => kind === "audit" || kind === "list")) auditNews.set(auditNews.get() + 1);
  for (const update of gathered) {
    if (update.kind === "list" && update.machine === undefined && update.access !== undefined)
      learnAccess(update.access);
  }
  known = learn(known, gathered);
  gathered = [];
  show({ isSample: false });
}

function show({ isSample }: { readonly isSample: boolean }): void {
  const before = sessionList.get();
  const { sessions } = known;
  const nowMs = Date.now();
  // Those of a machine that does not answer cannot be answered.
  const isAnswerable = ({ session }: SessionApproval): boolean => isReachable(known, session);
  const approvals = keepSame(before.approvals, known.approvals.filter(isAnswerable));
  const hints = keepSame(before.hints, known.hints.filter(isAnswerable));
  const machines = keepSame(before.machines, [...known.machines.values()]);
  const questions = new Map(
    approvals.map(
      // On one line; the card of the question shows the full text.
      (approval) => [approval.session, questionLine({ ...approval, details: shortDetails(approval.details) })] as const,
    ),
  );
  const asked = new Map(approvals.map((approval) => [approval.session, approval]));
  const shown = new Map(before.views.map((view) => [view.session.id, view]));
  const views = [...sessions.values()].map((session) => {
    const activity = activities.get(session.id) ?? new ActivityMeter();
    activities.set(session.id, activity);
    if (isSample) activity.feed(session.end, nowMs);
    const isAway = !isReachable(known, session.id);
    const { id } = session;
    const seen = { session, activity, question: questions.get(id), approval: asked.get(id), nowMs, isAway };
    return viewOf(seen, shown.get(session.id));
  });
  for (const id of activities.keys()) if (!sessions.has(id)) activities.delete(id);
  const isSame =
    before.isLoaded === isListed &&
    approvals === before.approvals &&
    hints === before.hints &&
    machines === before.machines &&
    keepSame(before.views, views) === before.views;
  if (!isSame) sessionList.set({ isLoaded: isListed, views, approvals, hints, machines });
}

/** The list before if it has the same members. */
const keepSame = <Member>(before: readonly Member[], now: readonly Member[]): readonly Member[] =>
  before.length === now.length && now.every((member, index) => member === before[index]) ? before : now;

/** The compact JSON of an object, else the readable form. */
function shortDetails(details: string): string {
  const readable = readableDetails(details);
  return readable.startsWith("{") ? details : readable;
}

interface Seen {
  readonly session: Session;
  readonly activity: ActivityMeter;
  readonly question: string | undefined;
  readonly approval: SessionApproval | undefined;
  readonly nowMs: number;
  /** Its machine does not answer. */
  readonly isAway: boolean;
}

function viewOf(seen: Seen, before: ListedSession | undefined): ListedSession {
  const { session, activity, approval, question } = seen;
  const { samples } = activity;
  const standing = standingOf(seen);
  const sinceMs = before?.standing === standing ? before.sinceMs : sinceOf(session, activity);
  const summary = plainSummary(session.status?.summary ?? "");
  const asked = standing === "blocked" ? question || summary || "It asks a question" : undefined;
  const isSame =
    before?.session === session &&
    before.standing === standing &&
    before.question === asked &&
    before.approval === approval &&
    before.activity === samples;
  return isSame ? before : { session, standing, sinceMs, activity: samples, question: asked, approval, summary };
}

/** The status from the daemon, or without one, whether the program prints. */
function standingOf({ session, activity, nowMs, isAway }: Seen): Standing {
  const { state, exit, status, isImported } = session;
  if (isImported) return "recording";
  if (state === "lost") return "lost";
  if (state === "exited") return exit === null ? "exited" : endOf(exit);
  if (isAway) return "away";
  if (state === "starting") return "starting";
  if (status?.state === "waiting") return needOf(status) === "prompt" ? "waiting" : "prompt";
  if (status !== null && status.state !== "unknown" && status.state !== "exited") return status.state;
  return activity.isActive(nowMs) ? "active" : "quiet";
}

function endOf(exit: NonNullable<Session["exit"]>): Standing {
  if (hasFailed(exit)) return "failed";
  return exit.reason === "exited" && exit.code === 0 && exit.endedBy !== "request" ? "exited" : "ended";
}

function sinceOf({ endedAt, status }: Session, activity: ActivityMeter): number | undefined {
  if (endedAt !== null) return Date.parse(endedAt);
  return status === null ? activity.changedAtMs : status.sinceUs / 1000;
}
