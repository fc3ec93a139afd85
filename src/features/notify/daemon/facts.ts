/** What is to be reported of a session now, and the facts of a notice about it. */
import { createHash } from "node:crypto";
import type { NoticeFacts, NoticeKind } from "../core/notice.ts";
import type { SessionWatch } from "../core/session-watch.ts";
import { hasFailed } from "../../../protocol/exit-code.ts";
import type { MachineInfo } from "../../../protocol/machines.ts";
import type { ExitStatus } from "../../../protocol/records.ts";
import type { SessionApproval } from "../../../protocol/views.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";

/** Something that may be reported, with the facts of its notice. */
export interface Happening {
  readonly kind: NoticeKind;
  /** The same for the same thing, also in the next daemon. */
  readonly key: string;
  readonly sinceMs: number;
  readonly facts: NoticeFacts;
  /** Of the question; null if it is not about one. */
  readonly digest: string | null;
}

/** An agent often shows that it asks before its whole dialog is on the screen. */
export const UNREAD_QUESTION_MS = 2000;

/** Each question that waits, the oldest first; else the state. */
export function happeningsOf(
  entry: SessionEntry,
  {
    node,
    questions,
    watch,
  }: { readonly node: string; readonly questions: readonly SessionApproval[]; readonly watch: SessionWatch },
): readonly Happening[] {
  if (!entry.live) return failureOf(entry, node);
  const others = questions.length - 1;
  const asked = questions.map((question) => questionHappening(entry, question, { node, others }));
  if (asked.length > 0) return asked;
  const now = watch.current(null);
  if (now === null) return [];
  const sinceMs = now.sinceUs / 1000;
  const facts = { ...factsOf(entry, node), kind: now.kind, timeMs: sinceMs, summary: entry.status?.summary ?? "" };
  return [{ kind: now.kind, key: `${entry.id} ${now.key}`, sinceMs, facts, digest: null }];
}

function questionHappening(
  entry: SessionEntry,
  approval: SessionApproval,
  { node, others }: { readonly node: string; readonly others: number },
): Happening {
  const { details, digest, id, isComplete, options, question, timeUs } = approval;
  const sinceMs = timeUs / 1000;
  const facts: NoticeFacts = {
    ...factsOf(entry, node),
    kind: "blocked",
    timeMs: sinceMs,
    agent: approval.agent ?? entry.stored.agent,
    summary: question,
    question: { id, text: question, details, options },
    isFolded: !isComplete,
    others,
  };
  return {
    kind: "blocked",
    key: `${entry.id} question ${questionKey(approval)}`,
    sinceMs,
    facts,
    digest: digest ?? null,
  };
}

const LINE_HASH_CHARS = 12;

/**
 * A dialog of an agent is the same one while it is drawn. The line of any other program comes whole, and one that replaces another between two
 * frames keeps the id.
 */
const questionKey = ({ agent, id, question, source }: SessionApproval): string =>
  source === "screen" && agent === null
    ? `${id} ${createHash("sha256").update(question).digest("base64url").slice(0, LINE_HASH_CHARS)}`
    : id;

/** Of a session that has ended. */
function failureOf(entry: SessionEntry, node: string): readonly Happening[] {
  const { endedAt, exit } = entry.stored;
  if (exit === null || endedAt === null || !hasFailed(exit)) return [];
  const sinceMs = Date.parse(endedAt);
  const facts: NoticeFacts = { ...factsOf(entry, node), kind: "failed", timeMs: sinceMs, summary: exitText(exit) };
  return [{ kind: "failed", key: `${entry.id} failed`, sinceMs, facts, digest: null }];
}

/** `sinceMs`: when the outage began. */
export function machineHappening({ name, reason }: MachineInfo, sinceMs: number): Happening {
  const facts: NoticeFacts = {
    ...blankFacts,
    kind: "away",
    timeMs: sinceMs,
    session: null,
    node: name,
    agent: null,
    summary: reason ?? "",
  };
  return { kind: "away", key: `machine ${name} away ${sinceMs}`, sinceMs, facts, digest: null };
}

const blankFacts = { question: null, isFolded: false, others: 0 } as const;

function factsOf(entry: SessionEntry, node: string): Omit<NoticeFacts, "kind" | "timeMs" | "summary"> {
  const { agent, id, name } = entry.stored;
  return { ...blankFacts, session: { id, name }, node, agent: entry.status?.agent ?? agent };
}

function exitText(exit: ExitStatus): string {
  switch (exit.reason) {
    case "exited":
      return `Exit code ${exit.code}`;
    case "signaled":
      return `Ended by ${exit.signal}`;
    case "lost":
      return "Its host or the machine stopped";
  }
}

const ID_CHARS = 27;

/** The id of a notice: made from what it is about, so that each daemon makes the same one. */
export const noticeId = (node: string, key: string, channel: string): string =>
  `msg_${createHash("sha256")
    .update(JSON.stringify([node, key, channel]))
    .digest("base64url")
    .slice(0, ID_CHARS)}`;
