/** The tables of `notify.db`, and their rows. Unlike what was read from the journals, they cannot be rebuilt: they say what was sent. */
import type { SessionNotice, NoticeContent } from "../../features/notify/core/notice.ts";
import type { WatchState } from "../../features/notify/core/session-watch.ts";

export const NOTIFY_VERSION = 1;

export const notifySchemaSql = `
  CREATE TABLE IF NOT EXISTS notices (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, channel TEXT NOT NULL, session TEXT, state TEXT NOT NULL, created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL, row TEXT NOT NULL, UNIQUE (key, channel)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notices_by_state ON notices (state, created_ms);
  CREATE TABLE IF NOT EXISTS watches (session TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS answers (hash TEXT PRIMARY KEY, expires_ms INTEGER NOT NULL, row TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outages (machine TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS shown (key TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS disabled (channel TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS news (news TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT;
`;

/**
 * - `pending`: it goes out, or is tried again
 * - `sent`: its target has it
 * - `dead`: it is not tried again by itself
 * - `withdrawn`: it was not so any more before it went out
 */
export type NoticeState = "pending" | "sent" | "dead" | "withdrawn";

/** One notice to one channel. */
export interface NoticeRow {
  /** Made from the key and the channel: it is the same in each daemon. */
  readonly id: string;
  /** Of what happened, unique with the channel. */
  readonly key: string;
  readonly channel: string;
  /** Id; null for a machine and a test. */
  readonly session: string | null;
  readonly state: NoticeState;
  readonly createdMs: number;
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly nextMs: number;
  /** What the rule allows in it. */
  readonly content: NoticeContent;
  /** The result of the last attempt, in words; empty before the first. */
  readonly reason: string;
  readonly notice: SessionNotice;
}

/** An answer that a link gives. Its token is not kept. */
export interface AnswerRow {
  /** SHA-256 of the token, hexadecimal. */
  readonly hash: string;
  /** Id of the session, and of its question. */
  readonly session: string;
  readonly approval: string;
  /** Of the question as it was sent. */
  readonly digest: string;
  readonly option: string;
  readonly label: string;
  /** The question, as the notice has it. */
  readonly question: string;
  /** Who answers by it, for the record: the channel. */
  readonly by: string;
  readonly expiresMs: number;
  /** What came of its use; null before. */
  readonly result: string | null;
}

/** A question that a device shows. */
export interface ShownQuestion {
  readonly channel: string;
  readonly session: string;
  readonly question: string;
  readonly title: string;
  /** Of its answer links: SHA-256 of the tokens, hexadecimal. */
  readonly links: readonly string[];
}

export const shownKey = ({
  channel,
  question,
  session,
}: Pick<ShownQuestion, "channel" | "session" | "question">): string => `${channel} ${session} ${question}`;

export interface NotifyContents {
  readonly pending: readonly NoticeRow[];
  readonly watches: readonly (readonly [session: string, state: WatchState])[];
  /** Machines that are away. */
  readonly outages: readonly (readonly [machine: string, sinceMs: number])[];
  readonly answers: readonly AnswerRow[];
  /** The oldest first. */
  readonly shown: readonly ShownQuestion[];
  readonly disabled: readonly (readonly [channel: string, reason: string])[];
  /** Since when a kind of occurrence is reported to a channel. */
  readonly news: readonly (readonly [news: string, sinceMs: number])[];
}
