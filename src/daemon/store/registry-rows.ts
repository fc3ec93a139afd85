/** The tables of the registry, in the thread of the store: a slow disk stops no keystroke. */
import { renameSync, statSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { takeSqliteLock, type WriterLock } from "../../journal/writer-lock.ts";
import { DatabasePart } from "./database-part.ts";
import {
  schemaSql,
  STORE_VERSION,
  type StoreContents,
  type StoredOptions,
  type StoredLeader,
  type StoredSession,
  type StoredToken,
} from "./schema.ts";

export interface RegistryFiles {
  readonly databaseFile: string;
  readonly lockFile: string;
}

export class RegistryRows extends DatabasePart {
  readonly #lock: WriterLock;
  readonly #putSession = this.database.prepare(
    `INSERT OR REPLACE INTO sessions VALUES (:id, :name, :state, :command, :agent, :workingDirectory, :labels, :columns, :rows,
     :pid, :host, :createdAt, :endedAt, :exit, :end)`,
  );
  readonly #removeSession = this.database.prepare("DELETE FROM sessions WHERE id = ?");
  /** A table of its own: the columns of `sessions` are those that every earlier Lectern reads and writes. */
  readonly #putGrants = this.database.prepare("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?)");
  readonly #putEventOptions = this.database.prepare("INSERT OR REPLACE INTO event_options VALUES (?, ?)");
  readonly #removeEventOptions = this.database.prepare("DELETE FROM event_options WHERE session = ?");
  readonly #removeGrants = this.database.prepare("DELETE FROM grants WHERE session = ?");
  readonly #putLeader = this.database.prepare(
    "INSERT OR REPLACE INTO leaders VALUES (:session, :pid, :startTicks, :system)",
  );
  readonly #removeLeaders = this.database.prepare(
    "DELETE FROM leaders WHERE session IN (SELECT value FROM json_each(?))",
  );
  readonly #putToken = this.database.prepare(
    "INSERT OR REPLACE INTO tokens VALUES (:id, :hash, :scope, :session, :label, :createdAt, :expiresAt)",
  );
  readonly #removeToken = this.database.prepare("DELETE FROM tokens WHERE id = ?");
  readonly #putReceipt = this.database.prepare(
    "INSERT INTO receipts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET receipt = excluded.receipt",
  );
  readonly #removeReceipts = this.database.prepare("DELETE FROM receipts WHERE session = ?");
  readonly #count = this.database.prepare(
    "INSERT INTO counters VALUES (?, ? + 1) ON CONFLICT DO UPDATE SET value = max(value + 1, excluded.value) RETURNING value",
  );

  private constructor(databaseFile: string, lock: WriterLock) {
    super({ file: databaseFile, ifDamaged: "keep", initialise });
    this.#lock = lock;
  }

  /** The lock is held until it is closed or this process ends, however it ends: the kernel lets go of it. */
  static open({ databaseFile, lockFile }: RegistryFiles): RegistryRows {
    return new RegistryRows(databaseFile, takeLock(lockFile));
  }

  load(): StoreContents {
    return {
      sessions: this.rows<Row>(
        `SELECT sessions.*, is_mine, parent, trusts_text, options FROM sessions LEFT JOIN grants ON grants.session = id
         LEFT JOIN event_options ON event_options.session = id`,
      ).map(toSession),
      tokens: this.rows(
        "SELECT id, hash, scope, session, label, created_at AS createdAt, expires_at AS expiresAt FROM tokens",
      ),
      leaders: this.rows("SELECT session, pid, start_ticks AS startTicks, system FROM leaders ORDER BY rowid"),
      receipts: this.rows<{ receipt: string }>("SELECT receipt FROM receipts ORDER BY rowid").map(({ receipt }) =>
        JSON.parse(receipt),
      ),
    };
  }

  putSession(session: StoredSession): void {
    const { command, labels, exit, isMine, parent, trustsText, ...others } = session;
    const { eventTag, summaries, sandbox, worktree, onBlocked, continues, conversation, ...rest } = others;
    if (isMine || trustsText || parent !== undefined)
      this.#putGrants.run(rest.id, isMine ? 1 : 0, parent ?? null, trustsText ? 1 : 0);
    const options: Undefined<StoredOptions> = {
      eventTag,
      summaries,
      sandbox,
      worktree,
      onBlocked,
      continues,
      conversation,
    };
    if (Object.values(options).some((option) => option !== undefined))
      this.#putEventOptions.run(rest.id, JSON.stringify(options));
    this.#putSession.run({
      ...rest,
      command: JSON.stringify(command),
      labels: JSON.stringify(labels),
      exit: exit === null ? null : JSON.stringify(exit),
    });
  }

  removeSession(id: string): void {
    this.#removeSession.run(id);
    this.#removeGrants.run(id);
    this.#removeEventOptions.run(id);
  }

  putLeader(leader: StoredLeader): void {
    this.#putLeader.run({ ...leader });
  }

  removeLeaders(sessions: readonly string[]): void {
    this.#removeLeaders.run(JSON.stringify(sessions));
  }

  putToken(token: StoredToken): void {
    this.#putToken.run({ ...token });
  }

  removeToken(id: string): void {
    this.#removeToken.run(id);
  }

  putReceipt(receipt: Receipt): void {
    this.#putReceipt.run(receipt.session, receipt.key, JSON.stringify(receipt));
  }

  removeReceipts(session: string): void {
    this.#removeReceipts.run(session);
  }

  /** A number that no question of this data directory has had, on disk before it is given. `above`: at least as many were asked, also if the database is an older one. */
  nextQuestion(above: number): number {
    return Number(this.#count.get("questions", above)?.["value"]);
  }

  override close(): void {
    super.close();
    this.#lock.release();
  }
}

/** A directory in its place is nobody's lock. */
function takeLock(path: string): WriterLock {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) renameSync(path, `${path}.damaged-${Date.now()}`);
  const taken = takeSqliteLock(path);
  if (taken === undefined) throw new Error("database is locked");
  return taken;
}

function initialise(fresh: DatabaseSync): void {
  const version = Number(fresh.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > STORE_VERSION)
    throw new Error(`the database has version ${version}, this Lectern knows ${STORE_VERSION}`);
  const [check] = fresh.prepare("PRAGMA quick_check(1)").all();
  if (check?.["quick_check"] !== "ok") throw new Error("database disk image is malformed");
  fresh.exec(schemaSql);
  if (version !== STORE_VERSION) fresh.exec(`PRAGMA user_version = ${STORE_VERSION}`);
}

type Undefined<Fields> = { readonly [Key in keyof Fields]-?: Fields[Key] | undefined };

type Row = Record<string, SQLOutputValue>;

// The columns were written below from values of these types.
const toSession = (row: Row): StoredSession =>
  ({
    id: row["id"],
    name: row["name"],
    state: row["state"],
    command: JSON.parse(String(row["command"])),
    agent: row["agent"],
    workingDirectory: row["working_directory"],
    labels: JSON.parse(String(row["labels"])),
    columns: row["columns"],
    rows: row["rows"],
    pid: row["pid"],
    host: row["host"],
    createdAt: row["created_at"],
    endedAt: row["ended_at"],
    exit: row["exit"] === null ? null : JSON.parse(String(row["exit"])),
    end: row["end_offset"],
    ...(row["is_mine"] === 1 && { isMine: true }),
    ...(typeof row["parent"] === "string" && { parent: row["parent"] }),
    ...(row["trusts_text"] === 1 && { trustsText: true }),
    ...(typeof row["options"] === "string" && (JSON.parse(row["options"]) as StoredOptions)),
  }) as StoredSession;
