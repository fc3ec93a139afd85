/** Who needs a person first: the order of the list, as a pure function of what is known. */
import type { Session } from "../../client.ts";

/** What the page calls the state of a session. `active` and `quiet`: a program runs, and all that is known is whether it prints. */
export type Standing =
  | "blocked"
  | "waiting"
  | "starting"
  | "working"
  | "active"
  | "quiet"
  | "idle"
  | "failed"
  | "lost"
  /** From elsewhere: it never ran here. */
  | "recording"
  | "exited";

/** A session with what the page has seen of it. */
export interface ListedSession {
  readonly session: Session;
  readonly standing: Standing;
  /** Since when, milliseconds since 1970; undefined where nobody knows. */
  readonly sinceMs: number | undefined;
  /** What it asks a person, where it is blocked. */
  readonly question?: string | undefined;
  /** The last thing that was said in it. */
  readonly summary?: string | undefined;
  /** Bytes in each of the last seconds, the newest last. */
  readonly activity: readonly number[];
}

export interface SessionGroup {
  readonly key: "needs" | "working" | "quiet" | "ended";
  readonly title: string;
  readonly views: readonly ListedSession[];
}

const groupOf: Readonly<Record<Standing, SessionGroup["key"]>> = {
  blocked: "needs",
  waiting: "needs",
  starting: "working",
  working: "working",
  active: "working",
  quiet: "quiet",
  idle: "quiet",
  failed: "ended",
  lost: "ended",
  recording: "ended",
  exited: "ended",
};

const titles: readonly (readonly [SessionGroup["key"], string])[] = [
  ["needs", "Needs you"],
  ["working", "Working"],
  ["quiet", "Quiet"],
  ["ended", "Ended"],
];

/** Blocked before waiting; in the other groups the kind does not count, so that a row does not jump with every breath of its program. */
const rank = (standing: Standing): number => (standing === "blocked" ? 0 : standing === "waiting" ? 1 : 2);

/** In each group the one that waits longest comes first where somebody waits, else the newest. Empty groups are left out. */
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

/** All words must be in the name, command, directory, agent, labels or standing. */
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
