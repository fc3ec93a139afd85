/** The thread that owns the database connection: a slow disk stops no keystroke. */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { serveRequests } from "../serve-requests.ts";
import {
  schemaSql,
  STORE_VERSION,
  type StoreContents,
  type StoredSession,
  type StoredToken,
  type StoreRequest,
} from "./schema.ts";

interface WorkerData {
  readonly databaseFile: string;
  readonly lockFile: string;
}

const { databaseFile, lockFile } = workerData as WorkerData;

// Held until this process ends, however it ends: the kernel lets go of it.
const lock = new DatabaseSync(lockFile);
lock.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");

const database = new DatabaseSync(databaseFile);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000");
const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
if (version > STORE_VERSION)
  throw new Error(`the database has version ${version}, this Lectern knows ${STORE_VERSION}`);
database.exec(schemaSql);
database.exec(`PRAGMA user_version = ${STORE_VERSION}`);

const putSession = database.prepare(
  `INSERT OR REPLACE INTO sessions VALUES (:id, :name, :state, :command, :agent, :workingDirectory, :labels, :columns, :rows,
   :pid, :host, :createdAt, :endedAt, :exit, :end)`,
);
/** A table of its own: the columns of `sessions` are those that every earlier Lectern reads and writes. */
const putTrustedText = database.prepare("INSERT OR REPLACE INTO trusted_text VALUES (?)");
const removeTrustedText = database.prepare("DELETE FROM trusted_text WHERE session = ?");
const removeSession = database.prepare("DELETE FROM sessions WHERE id = ?");
const putToken = database.prepare(
  "INSERT OR REPLACE INTO tokens VALUES (:id, :hash, :scope, :session, :label, :createdAt, :expiresAt)",
);
const putReceipt = database.prepare(
  "INSERT INTO receipts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET receipt = excluded.receipt",
);
const removeReceipts = database.prepare("DELETE FROM receipts WHERE session = ?");
const removeToken = database.prepare("DELETE FROM tokens WHERE id = ?");

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
    ...(row["trusted_text"] !== null && { trustsText: true }),
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

function handle(request: StoreRequest): StoreContents | null {
  switch (request.type) {
    case "load":
      return {
        sessions: database
          .prepare("SELECT sessions.*, session AS trusted_text FROM sessions LEFT JOIN trusted_text ON session = id")
          .all()
          .map(toSession),
        tokens: database.prepare("SELECT * FROM tokens").all().map(toToken),
        receipts: database
          .prepare("SELECT receipt FROM receipts ORDER BY rowid")
          .all()
          .map(({ receipt }) => JSON.parse(String(receipt)) as Receipt),
      };
    case "put-session": {
      const { command, labels, exit, trustsText, ...rest } = request.session;
      if (trustsText) putTrustedText.run(rest.id);
      putSession.run({
        ...rest,
        command: JSON.stringify(command),
        labels: JSON.stringify(labels),
        exit: exit === null ? null : JSON.stringify(exit),
      });
      return null;
    }
    case "remove-session":
      removeSession.run(request.id);
      removeTrustedText.run(request.id);
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
    case "close":
      database.close();
      lock.close();
      return null;
  }
}

serveRequests(handle);
