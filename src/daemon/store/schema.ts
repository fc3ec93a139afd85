/** The registry's tables, and their rows as the daemon uses them. The journals are the truth; this is the index of them. */
import type { ConversationEvidence } from "../../protocol/conversation.ts";
import type { Receipt } from "../../core/prompts/receipt.ts";
import type { ExitStatus } from "../../protocol/records.ts";
import type { Scope } from "../../protocol/operations.ts";
import type { EventTag } from "../../protocol/event-tag.ts";
import type { SessionSandbox, SessionState, SessionWorktree } from "../../protocol/session.ts";

export const STORE_VERSION = 1;

export const schemaSql = `
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, command TEXT NOT NULL, agent TEXT,
    working_directory TEXT NOT NULL, labels TEXT NOT NULL, columns INTEGER NOT NULL, rows INTEGER NOT NULL,
    pid INTEGER, host TEXT, created_at TEXT NOT NULL, ended_at TEXT, exit TEXT, end_offset INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, session TEXT, label TEXT NOT NULL,
    created_at TEXT NOT NULL, expires_at TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS grants (
    session TEXT PRIMARY KEY, is_mine INTEGER NOT NULL, parent TEXT, trusts_text INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS event_options (session TEXT PRIMARY KEY, options TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS leaders (
    session TEXT PRIMARY KEY, pid INTEGER NOT NULL, start_ticks INTEGER, system TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS receipts (
    session TEXT NOT NULL, key TEXT NOT NULL, receipt TEXT NOT NULL, PRIMARY KEY (session, key)
  ) STRICT;
`;

export interface StoredSession {
  readonly id: string;
  readonly name: string;
  readonly state: SessionState;
  readonly command: readonly string[];
  readonly agent: string | null;
  readonly workingDirectory: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly pid: number | null;
  /** File name of the socket of the host that runs it, null for an import. */
  readonly host: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly exit: ExitStatus | null;
  readonly end: number;
  /** A person's own workplace. Absent for all others and in what an earlier Lectern has written. */
  readonly isMine?: true;
  /** Id of the session that it was started from. */
  readonly parent?: string;
  /** The user vouches for all that it shows. Absent for all others and in what an earlier Lectern has written. */
  readonly trustsText?: true;
  /** The tag of its events. Absent if it is the default one. */
  readonly eventTag?: EventTag;
  /** It has events at the end of each turn and at its exit. Absent for all others. */
  readonly summaries?: true;
  /** Absent for a session that was started without a sandbox. */
  readonly sandbox?: SessionSandbox;
  /** Id of the session that it was resumed from. */
  readonly continues?: string;
  /** That of its agent, once it is known. */
  readonly conversation?: StoredConversation;
  /** Absent for a session without a worktree. */
  readonly worktree?: SessionWorktree;
  /** A command for each question that it asks. Absent for a session without one. */
  readonly onBlocked?: readonly string[];
}

export interface StoredConversation {
  /** Name of the agent. */
  readonly agent: string;
  readonly id: string;
  readonly by: ConversationEvidence;
  /** Where the agent keeps it; null if it was not yet when it was learned. */
  readonly file: string | null;
}

/** What a session has in a table of its own, because an earlier Lectern does not know it. */
export type StoredOptions = Pick<
  StoredSession,
  "eventTag" | "summaries" | "sandbox" | "worktree" | "onBlocked" | "continues" | "conversation"
>;

/**
 * The program of a session, which leads a session of the kernel. The row stays when the program has ended, and when the session is removed:
 * processes that it left behind are recognised by it.
 */
export interface StoredLeader {
  readonly session: string;
  readonly pid: number;
  /** Null if it could not be read. */
  readonly startTicks: number | null;
  /** Within which run of the system the pid means this program, see `systemId`. */
  readonly system: string;
}

export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the token's text, hex. */
  readonly hash: string;
  readonly scope: Scope;
  readonly session: string | null;
  readonly label: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export interface StoreContents {
  readonly sessions: readonly StoredSession[];
  readonly tokens: readonly StoredToken[];
  /** In the order in which they were written. */
  readonly leaders: readonly StoredLeader[];
  /** In the order in which they were accepted. */
  readonly receipts: readonly Receipt[];
}
