/** The tables of the registry, in the thread of the store: a slow disk stops no keystroke. */
import { renameSync, statSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Receipt } from "../../core/acting/receipt.ts";
import { takeSqliteLock, type WriterLock } from "../../journal/writer-lock.ts";
import { DatabasePart } from "./database-part.ts";
import { earlierFields, writtenSandbox } from "./earlier-options.ts";
import { schemaSql, STORE_VERSION, type StoreContents, type StoredLeader, type StoredToken } from "./schema.ts";
import type { StoredSession } from "./stored-session.ts";
import type { ActTarget } from "../../core/acting/target.ts";

/** As 0.1.0 wrote it: without a kind, of the process that leads the group. */
type EarlierTarget = Omit<ActTarget, "kind" | "pid" | "image" | "members"> & Partial<ActTarget>;

export interface RegistryFiles {
  readonly databaseFile: string;
  readonly lockFile: string;
}

const ownTables = ["session_options", "grants", "event_options"] as const;

export class RegistryRows extends DatabasePart {
  readonly #lock: WriterLock;
  readonly #putSession = this.database.prepare(
    `INSERT OR REPLACE INTO sessions VALUES (:id, :name, :state, :command, :agent, :workingDirectory, :labels, :columns, :rows,
     :pid, :host, :createdAt, :endedAt, :exit, :end)`,
  );
  /** Tables of their own: the columns of `sessions` are those that every earlier Lectern reads and writes. */
  readonly #putOptions = this.database.prepare(putJson("session_options"));
  readonly #putGrants = this.database.prepare("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?)");
  readonly #putEventOptions = this.database.prepare(putJson("event_options"));
  readonly #removeSession = ["sessions WHERE id", ...ownTables.map((table) => `${table} WHERE session`)].map((where) =>
    this.database.prepare(`DELETE FROM ${where} = ?`),
  );
  readonly #putLeader = this.database.prepare(
    "INSERT OR REPLACE INTO leaders VALUES (:session, :pid, :startTicks, :system)",
  );
  readonly #removeLeaders = this.database.prepare(
    "DELETE FROM leaders WHERE session IN (SELECT value FROM json_each(?))",
  );
  readonly #putToken = this.database.prepare(
    "INSERT OR REPLACE INTO tokens VALUES (:id, :hash, :scope, :session, :label, :createdAt, :expiresAt)",
  );
  /** A table of its own, as `#putOptions` has one. */
  readonly #putTokenUse = this.database.prepare("INSERT OR REPLACE INTO token_uses VALUES (?, ?)");
  readonly #removeToken = ["tokens WHERE id", "token_uses WHERE token"].map((where) =>
    this.database.prepare(`DELETE FROM ${where} = ?`),
  );
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
        `SELECT sessions.*, is_mine, parent, trusts_text, event_options.options AS event_options, session_options.options AS options
         FROM sessions LEFT JOIN grants ON grants.session = id LEFT JOIN event_options ON event_options.session = id
         LEFT JOIN session_options ON session_options.session = id`,
      ).map(toSession),
      tokens: this.rows(
        `SELECT id, hash, scope, session, label, created_at AS createdAt, expires_at AS expiresAt, used_at AS lastUsedAt
         FROM tokens LEFT JOIN token_uses ON token = id`,
      ),
      leaders: this.rows("SELECT session, pid, start_ticks AS startTicks, system FROM leaders ORDER BY rowid"),
      // A damaged one is left out.
      receipts: this.rows<{ receipt: string }>(
        "SELECT receipt FROM receipts WHERE json_valid(receipt) ORDER BY rowid",
      ).map(({ receipt }) => readReceipt(receipt)),
    };
  }

  putSession(session: StoredSession): void {
    const { options, unreadOptions, command, labels, exit, parent, ...others } = session;
    const { sandbox, worktree, continues, conversation, ...row } = others;
    const { isMine, trustsText, ...earlier } = earlierFields(options);
    this.transact(() => {
      this.#putOptions.run(row.id, JSON.stringify({ ...options, ...unreadOptions }));
      if (isMine || trustsText || parent !== undefined)
        this.#putGrants.run(row.id, isMine ? 1 : 0, parent ?? null, trustsText ? 1 : 0);
      this.#putEventOptions.run(
        row.id,
        JSON.stringify({ ...earlier, sandbox: writtenSandbox(sandbox), worktree, continues, conversation }),
      );
      this.#putSession.run({
        ...row,
        command: JSON.stringify(command),
        labels: JSON.stringify(labels),
        exit: exit === null ? null : JSON.stringify(exit),
      });
    });
  }

  removeSession(id: string): void {
    this.transact(() => {
      for (const statement of this.#removeSession) statement.run(id);
    });
  }

  putLeader(leader: StoredLeader): void {
    this.#putLeader.run({ ...leader });
  }

  removeLeaders(sessions: readonly string[]): void {
    this.#removeLeaders.run(JSON.stringify(sessions));
  }

  putToken({ lastUsedAt: _, ...token }: StoredToken): void {
    this.#putToken.run({ ...token });
  }

  putTokenUse(id: string, usedAt: string): void {
    this.#putTokenUse.run(id, usedAt);
  }

  removeToken(id: string): void {
    this.transact(() => {
      for (const statement of this.#removeToken) statement.run(id);
    });
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

/** The page of an unchanged row is not written again. */
const putJson = (table: (typeof ownTables)[number]): string =>
  `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO UPDATE SET options = excluded.options WHERE options <> excluded.options`;

type Row = Record<string, SQLOutputValue>;

function toSession(row: Row): Record<string, unknown> {
  const more = jsonOf(row["event_options"]);
  // A session must not lose its sandbox: it is read from its directory.
  if (typeof more === "string") return { id: row["id"] };
  return {
    id: row["id"],
    name: row["name"],
    state: row["state"],
    command: jsonOf(row["command"]),
    agent: row["agent"],
    workingDirectory: row["working_directory"],
    labels: jsonOf(row["labels"]),
    columns: row["columns"],
    rows: row["rows"],
    pid: row["pid"],
    host: row["host"],
    createdAt: row["created_at"],
    endedAt: row["ended_at"],
    exit: jsonOf(row["exit"]),
    end: row["end_offset"],
    isMine: row["is_mine"] === 1,
    ...(row["parent"] !== null && { parent: row["parent"] }),
    trustsText: row["trusts_text"] === 1,
    ...(typeof more === "object" && more),
    options: jsonOf(row["options"]),
  };
}

/** Null for NULL; the text itself if it is not JSON. */
function jsonOf(cell: SQLOutputValue | undefined): unknown {
  if (typeof cell !== "string") return null;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Throws `SyntaxError` if it is not JSON. */
export function readReceipt(text: string): Receipt {
  const receipt = JSON.parse(text) as Receipt;
  return receipt.targets === undefined ? receipt : { ...receipt, targets: receipt.targets.map(targetOf) };
}

function targetOf(given: EarlierTarget): ActTarget {
  const { agent, group, startTicks, image = null, kind = agent === null ? "unknown" : `agent ${agent}` } = given;
  const { pid, members = pid == null ? null : [{ pid, startTicks, image }] } = given;
  return { ...given, kind, pid: pid ?? group, image, members };
}
