/** The order of the list: sessions that need a person come first. Pure. */
import type { Session } from "../../client.ts";
import type { SessionApproval } from "../../protocol/views.ts";

/** The state of a session on the page. `active` and `quiet`: a program without a known status, which prints or does not. */
export type Standing =
  | "blocked"
  /** An agent that waits for its next prompt. */
  | "waiting"
  /** Another program at its prompt: a shell, an editor, a REPL. */
  | "prompt"
  | "starting"
  | "working"
  | "active"
  | "quiet"
  | "idle"
  /** On a machine that does not answer: whether it runs is not known. */
  | "away"
  /** It ended by itself, with a code that is not 0 or by a signal. */
  | "failed"
  /** Somebody ended it. */
  | "ended"
  | "lost"
  /** Imported: it did not run here. */
  | "recording"
  | "exited";

/** A session with what the page derives from its changes. */
export interface ListedSession {
  readonly session: Session;
  readonly standing: Standing;
  /** Beginning of the standing in milliseconds since 1970; undefined if unknown. */
  readonly sinceMs: number | undefined;
  /** The question of a blocked session. */
  readonly question?: string | undefined;
  /** The same question with its options. */
  readonly approval?: SessionApproval | undefined;
  /** The summary of its status. */
  readonly summary?: string | undefined;
  /** Bytes of output in each of the last seconds, newest last. */
  readonly activity: readonly number[];
}

export interface SessionGroup {
  readonly key: "needs" | "working" | "prompt" | "quiet" | "away" | "ended";
  readonly title: string;
  readonly views: readonly ListedSession[];
}

const groupOf: Readonly<Record<Standing, SessionGroup["key"]>> = {
  blocked: "needs",
  waiting: "needs",
  prompt: "prompt",
  starting: "working",
  working: "working",
  active: "working",
  quiet: "quiet",
  idle: "quiet",
  away: "away",
  failed: "ended",
  ended: "ended",
  lost: "ended",
  recording: "ended",
  exited: "ended",
};

const titles: readonly (readonly [SessionGroup["key"], string])[] = [
  ["needs", "Needs you"],
  ["working", "Working"],
  ["prompt", "At a prompt"],
  ["quiet", "Quiet"],
  ["away", "Out of reach"],
  ["ended", "Ended"],
];

/** Whether a person is waited for. */
export const needsPerson = ({ standing }: Pick<ListedSession, "standing">): boolean => groupOf[standing] === "needs";

/** Blocked before waiting. Other standings are equal, so that rows do not move with every change. */
const rank = (standing: Standing): number => (standing === "blocked" ? 0 : standing === "waiting" ? 1 : 2);

/** The longest waiting session comes first in "Needs you", the newest one in other groups. Empty groups are omitted. */
export function groupSessions(views: readonly ListedSession[]): SessionGroup[] {
  return titles.flatMap(([key, title]) => {
    const members = views.filter(({ standing }) => groupOf[standing] === key);
    return members.length === 0 ? [] : [{ key, title, views: members.toSorted(key === "needs" ? byWait : byAge) }];
  });
}

function byWait(first: ListedSession, second: ListedSession): number {
  const byRank = rank(first.standing) - rank(second.standing);
  return byRank === 0 ? (first.sinceMs ?? 0) - (second.sinceMs ?? 0) : byRank;
}

const startedAt = ({ session }: ListedSession): number => Date.parse(session.endedAt ?? session.createdAt);

function byAge(first: ListedSession, second: ListedSession): number {
  const newest = startedAt(second) - startedAt(first);
  return newest === 0 ? first.session.id.localeCompare(second.session.id) : newest;
}

/** Whether all words occur in the name, command, directory, agent, labels or standing. */
export function matchesFilter({ session, standing }: ListedSession, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const labels = Object.entries(session.labels).map(([key, value]) => `${key}=${value}`);
  const text = [
    session.name,
    session.id,
    session.agent ?? "",
    session.workingDirectory,
    standing,
    ...session.command,
    ...labels,
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A session by name (one that runs first, then one that was not continued), id, or beginning of an id (4 characters or more). */
export function findListed(views: readonly ListedSession[], reference: string): ListedSession | undefined {
  const named = views.filter(({ session }) => session.name === reference);
  return (
    named.find(({ session: { state } }) => state === "running" || state === "starting") ??
    named.find(({ session: { continuedBy } }) => continuedBy === null) ??
    named[0] ??
    views.find(({ session: { id } }) => id === reference || (reference.length >= 4 && id.startsWith(reference)))
  );
}
