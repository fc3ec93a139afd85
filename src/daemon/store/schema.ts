/** The registry's tables, and their rows as the daemon uses them. The journals are the truth; this is the index of them. */
import type { Receipt } from "../../core/acting/receipt.ts";
import type { Scope } from "../../protocol/operations.ts";

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
  CREATE TABLE IF NOT EXISTS token_uses (token TEXT PRIMARY KEY, used_at TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS session_options (session TEXT PRIMARY KEY, options TEXT NOT NULL) STRICT;
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
  /** The last use, or up to an hour before it. */
  readonly lastUsedAt: string | null;
}

export interface StoreContents {
  /** As JSON, for `readStoredSession`; a cell that is not JSON is its text. */
  readonly sessions: readonly Readonly<Record<string, unknown>>[];
  readonly tokens: readonly StoredToken[];
  /** In the order in which they were written. */
  readonly leaders: readonly StoredLeader[];
  /** In the order in which they were accepted. */
  readonly receipts: readonly Receipt[];
}
