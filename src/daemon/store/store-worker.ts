/** The thread that owns the database connection: a slow disk stops no keystroke. */
import { renameSync, statSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { takeSqliteLock, type WriterLock } from "../../journal/writer-lock.ts";
import { serveRequests } from "./serve-requests.ts";
import { openDatabase } from "./open-database.ts";
import {
  schemaSql,
  STORE_VERSION,
  type StoreContents,
  type StoredOptions,
  type StoredLeader,
  type StoredSession,
  type StoredToken,
  type StoreOpening,
  type StoreRequest,
} from "./schema.ts";

interface WorkerData {
  readonly databaseFile: string;
  readonly lockFile: string;
}

const { databaseFile, lockFile } = workerData as WorkerData;

// Held until this process ends, however it ends: the kernel lets go of it.
const lock = takeLock(lockFile);

const opened = openDatabase({ file: databaseFile, ifDamaged: "keep", initialise });
const { database } = opened;

const putSession = database.prepare(
  `INSERT OR REPLACE INTO sessions VALUES (:id, :name, :state, :command, :agent, :workingDirectory, :labels, :columns, :rows,
   :pid, :host, :createdAt, :endedAt, :exit, :end)`,
);
const removeSession = database.prepare("DELETE FROM sessions WHERE id = ?");
/** A table of its own: the columns of `sessions` are those that every earlier Lectern reads and writes. */
const putGrants = database.prepare("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?)");
const putEventOptions = database.prepare("INSERT OR REPLACE INTO event_options VALUES (?, ?)");
const removeEventOptions = database.prepare("DELETE FROM event_options WHERE session = ?");
const removeGrants = database.prepare("DELETE FROM grants WHERE session = ?");
const putLeader = database.prepare("INSERT OR REPLACE INTO leaders VALUES (:session, :pid, :startTicks, :system)");
const removeLeaders = database.prepare("DELETE FROM leaders WHERE session IN (SELECT value FROM json_each(?))");
const putToken = database.prepare(
  "INSERT OR REPLACE INTO tokens VALUES (:id, :hash, :scope, :session, :label, :createdAt, :expiresAt)",
);
const putReceipt = database.prepare(
  "INSERT INTO receipts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET receipt = excluded.receipt",
);
const removeReceipts = database.prepare("DELETE FROM receipts WHERE session = ?");
const count = database.prepare(
  "INSERT INTO counters VALUES (?, ? + 1) ON CONFLICT DO UPDATE SET value = max(value + 1, excluded.value) RETURNING value",
);
const removeToken = database.prepare("DELETE FROM tokens WHERE id = ?");

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

const toToken = (row: Row): StoredToken =>
  ({
    id: row["id"],
    hash: row["hash"],
    scope: row["scope"],
    session: row["session"],
    label: row["label"],
    createdAt: row["created_at"],
    expiresAt: row["expires_at"],
  }) as StoredToken;

const toLeader = (row: Row): StoredLeader =>
  ({
    session: row["session"],
    pid: row["pid"],
    startTicks: row["start_ticks"],
    system: row["system"],
  }) as StoredLeader;

function putStored(session: StoredSession): void {
  const { command, labels, exit, isMine, parent, trustsText, ...others } = session;
  const { eventTag, summaries, sandbox, worktree, onBlocked, continues, conversation, ...rest } = others;
  if (isMine || trustsText || parent !== undefined)
    putGrants.run(rest.id, isMine ? 1 : 0, parent ?? null, trustsText ? 1 : 0);
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
    putEventOptions.run(rest.id, JSON.stringify(options));
  putSession.run({
    ...rest,
    command: JSON.stringify(command),
    labels: JSON.stringify(labels),
    exit: exit === null ? null : JSON.stringify(exit),
  });
}

function handle(request: StoreRequest): StoreContents | number | null {
  switch (request.type) {
    case "load":
      return {
        sessions: database
          .prepare(
            `SELECT sessions.*, is_mine, parent, trusts_text, options FROM sessions LEFT JOIN grants ON grants.session = id
             LEFT JOIN event_options ON event_options.session = id`,
          )
          .all()
          .map(toSession),
        tokens: database.prepare("SELECT * FROM tokens").all().map(toToken),
        leaders: database.prepare("SELECT * FROM leaders ORDER BY rowid").all().map(toLeader),
        receipts: database
          .prepare("SELECT receipt FROM receipts ORDER BY rowid")
          .all()
          .map(({ receipt }) => JSON.parse(String(receipt)) as Receipt),
      };
    case "put-session":
      putStored(request.session);
      return null;
    case "remove-session":
      removeSession.run(request.id);
      removeGrants.run(request.id);
      removeEventOptions.run(request.id);
      return null;
    case "put-leader":
      putLeader.run({ ...request.leader });
      return null;
    case "remove-leaders":
      removeLeaders.run(JSON.stringify(request.sessions));
      return null;
    case "put-token":
      putToken.run({ ...request.token });
      return null;
    case "remove-token":
      removeToken.run(request.id);
      return null;
    case "put-receipt": {
      const { receipt } = request;
      putReceipt.run(receipt.session, receipt.key, JSON.stringify(receipt));
      return null;
    }
    case "remove-receipts":
      removeReceipts.run(request.session);
      return null;
    case "count":
      return Number(count.get(request.counter, request.above)?.["value"]);
    case "close":
      database.close();
      lock.release();
      return null;
  }
}

serveRequests(handle, { damage: opened.damage, restriction: opened.restriction } satisfies StoreOpening);
