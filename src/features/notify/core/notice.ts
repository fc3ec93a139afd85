/** What leaves the machine about a session: built from facts, limited by what the rule allows, with secrets masked. */
import type { ApprovalOption } from "../../../core/dialogs/approval.ts";
import { wholeCharacters } from "../../../core/text/cut-text.ts";
import { oneLine, visibleLines } from "../../../core/text/one-line.ts";
import { maskSecrets } from "../../../core/text/mask-secrets.ts";

export const NOTICE_KINDS = ["blocked", "done", "failed", "limit", "away"] as const;
/**
 * - `blocked`: a question waits for a person
 * - `done`: a turn or a command has ended
 * - `failed`: the program has ended with an error, and nobody asked it to end
 * - `limit`: the agent waits for its usage limit
 * - `away`: a machine of `lectern hosts` or of the cluster does not answer
 */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const NOTICE_CONTENTS = ["none", "title", "question"] as const;
/** `none`: only that something happened; `title`: which session and what; `question`: the question with its details and options, too. */
export type NoticeContent = (typeof NOTICE_CONTENTS)[number];

export interface NoticeQuestion {
  readonly id: string;
  readonly text: string;
  readonly details: string;
  readonly options: readonly ApprovalOption[];
  /** The details are here in full, so that who reads them may allow. */
  readonly isWhole: boolean;
}

/** One notice as it is kept and sent. */
export interface SessionNotice {
  readonly kind: NoticeKind | "test";
  /** When it happened, milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly title: string;
  /** Empty if there is nothing to add. */
  readonly body: string;
  /** As ntfy has it: 1 (low) to 5 (urgent). */
  readonly priority: 1 | 2 | 3 | 4 | 5;
  /** Null if it may not be named, or if it is about a machine. */
  readonly session: { readonly id: string; readonly name: string } | null;
  /** Name of the machine that sends, or that is away; null if it may not be named. */
  readonly node: string | null;
  readonly agent: string | null;
  /** Null if there is none, or if it may not be shown. */
  readonly question: NoticeQuestion | null;
}

/** What happened. */
export interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly timeMs: number;
  readonly session: { readonly id: string; readonly name: string } | null;
  readonly node: string;
  readonly agent: string | null;
  /** In one line: the status, the exit code, why a machine is away. */
  readonly summary: string;
  readonly question: Omit<NoticeQuestion, "isWhole"> | null;
  /** The program shows only a part of its question. */
  readonly isFolded: boolean;
  /** Further questions that wait in the session. */
  readonly others: number;
}

const TITLE_CHARS_MAX = 120;
const SUMMARY_CHARS_MAX = 300;
const DETAILS_CHARS_MAX = 1500;
const LABEL_CHARS_MAX = 100;
const OPTIONS_MAX = 12;

const priorities: Readonly<Record<NoticeKind, SessionNotice["priority"]>> = {
  blocked: 4,
  failed: 4,
  limit: 3,
  away: 3,
  done: 2,
};
const verbs: Readonly<Record<NoticeKind, string>> = {
  blocked: "needs you",
  done: "is done",
  failed: "has failed",
  limit: "waits for its usage limit",
  away: "is away",
};

/** The notice of these facts with no more than `content` allows. */
export function noticeOf(facts: NoticeFacts, content: NoticeContent): SessionNotice {
  const { agent, kind, node, others, session, timeMs } = facts;
  const bare = { kind, timeMs, priority: priorities[kind] };
  if (content === "none") {
    const title = kind === "away" ? "A machine is away" : `A session ${verbs[kind]}`;
    return { ...bare, title, body: "", session: null, node: null, agent: null, question: null };
  }
  const subject = session?.name ?? node;
  const title = line(
    `${subject} ${verbs[kind]}${agent === null || agent === session?.name ? "" : ` (${agent})`}`,
    TITLE_CHARS_MAX,
  );
  const question = content === "question" ? questionOf(facts) : null;
  const more = others > 0 ? `${others} more ${others === 1 ? "question waits" : "questions wait"}` : "";
  const what =
    content === "question" ? (question === null ? line(facts.summary, SUMMARY_CHARS_MAX) : bodyOf(question)) : "";
  return {
    ...bare,
    title,
    body: [what, more].filter((part) => part !== "").join("\n"),
    session,
    node,
    agent,
    question,
  };
}

/** The notice of `lectern notify test`. */
export const testNotice = (node: string, timeMs: number): SessionNotice => ({
  kind: "test",
  timeMs,
  title: "Lectern: test",
  body: `Notices of "${node}" arrive here`,
  priority: 3,
  session: null,
  node,
  agent: null,
  question: null,
});

function questionOf({ question, isFolded }: NoticeFacts): NoticeQuestion | null {
  if (question === null) return null;
  const shown = block(question.details);
  return {
    id: question.id,
    text: line(question.text, SUMMARY_CHARS_MAX),
    details: shown.text,
    options: question.options
      .slice(0, OPTIONS_MAX)
      .map((option) => ({ ...option, label: line(option.label, LABEL_CHARS_MAX) })),
    isWhole: shown.isWhole && !isFolded && question.text.length <= SUMMARY_CHARS_MAX,
  };
}

function bodyOf({ details, options, text }: NoticeQuestion): string {
  // An id that is the label, as of `[y/N]`, is in the question.
  const named = options.filter(({ id, label }) => id.toLowerCase() !== label.toLowerCase());
  const labels = named.map(({ id, label }) => `${id}. ${label}`).join("\n");
  return [text, details, labels].filter((part) => part !== "").join("\n");
}

/** On one line, without secrets and characters that act. */
const line = (text: string, charsMax: number): string => cut(maskSecrets(oneLine(text)), charsMax);

function block(text: string): { readonly text: string; readonly isWhole: boolean } {
  const masked = maskSecrets(visibleLines(text).join("\n").trim());
  return { text: cut(masked, DETAILS_CHARS_MAX), isWhole: masked.length <= DETAILS_CHARS_MAX };
}

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, wholeCharacters(text, charsMax - 1))}…`;

/** An option, and where a POST request chooses it once; null if it cannot be answered by a link. */
export interface LinkedOption extends ApprovalOption {
  readonly answerUrl: string | null;
}

/** A notice on its way to one channel. */
export interface OutgoingNotice extends Omit<SessionNotice, "question"> {
  /** The same at each attempt and in each daemon: who receives it twice recognises it. */
  readonly id: string;
  /** The session on the page; null without a public address. */
  readonly url: string | null;
  readonly question: (Omit<NoticeQuestion, "options"> & { readonly options: readonly LinkedOption[] }) | null;
}
