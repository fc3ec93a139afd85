/** The thread that owns the connection to what the views told. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { serveRequests } from "./serve-requests.ts";
import { openDatabase } from "./open-database.ts";
import type { StoreOpening } from "./schema.ts";
import {
  VIEWS_VERSION,
  isMovedToEnd,
  viewSchemaSql,
  type ChangeQuery,
  type ChangeRow,
  type SearchHit,
  type SearchQuery,
  type ThingQuery,
  type ViewStoreRequest,
} from "./view-schema.ts";

const { databaseFile } = workerData as { readonly databaseFile: string };
const opened = openDatabase({ file: databaseFile, ifDamaged: "remove", initialise });
const { database } = opened;

const known = database.prepare("SELECT id, text FROM changes WHERE session = ? AND kind = ? AND key = ?");
const insert = database.prepare(
  `INSERT INTO changes (session, kind, key, ordinal, offset, time_us, role, text, change)
   VALUES (:session, :kind, :key, :ordinal, :offset, :timeUs, :role, :text, :change)`,
);
const update = database.prepare(
  "UPDATE changes SET offset = :offset, time_us = :timeUs, role = :role, text = :text, change = :change WHERE id = :id",
);
const removeChange = database.prepare("DELETE FROM changes WHERE id = ?");
const addWords = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
const removeWords = database.prepare("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)");
const putCheckpoint = database.prepare("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)");
const getCheckpoint = database.prepare("SELECT checkpoint FROM checkpoints WHERE session = ?");
const usageHours = database.prepare(
  "SELECT session, change FROM changes WHERE kind = 'usage-hour' AND ordinal >= ? ORDER BY ordinal DESC LIMIT ?",
);
const listCheckpoints = database.prepare("SELECT session, offset FROM checkpoints");

/** What an older version wrote is forgotten. */
function initialise(fresh: DatabaseSync): void {
  const version = Number(fresh.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version !== VIEWS_VERSION) {
    fresh.exec("DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS changes; DROP TABLE IF EXISTS checkpoints");
  }
  fresh.exec(viewSchemaSql);
  // Reads a page of each table, so that most damage shows now.
  for (const table of ["changes", "words", "checkpoints"]) fresh.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  if (version !== VIEWS_VERSION) fresh.exec(`PRAGMA user_version = ${VIEWS_VERSION}`);
}

function transact(run: () => void): void {
  database.exec("BEGIN");
  try {
    run();
    database.exec("COMMIT");
  } catch (error) {
    // SQLite has done so by itself where the disk was full.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function put(session: string, { kind, key, ...row }: ChangeRow): void {
  const found = known.get(session, kind, key);
  // It gets the highest id. It has no words.
  const isMoved = found !== undefined && isMovedToEnd({ kind });
  if (isMoved) removeChange.run(found["id"] ?? 0);
  const old = isMoved ? undefined : found;
  if (old === undefined) {
    const { lastInsertRowid } = insert.run({ session, kind, key, ...row });
    if (row.text !== "") addWords.run(lastInsertRowid, row.text);
    return;
  }
  const { id = 0, text = "" } = old;
  const { ordinal: _, ...changed } = row;
  update.run({ id, ...changed });
  if (text === row.text) return;
  if (text !== "") removeWords.run(id, text);
  if (row.text !== "") addWords.run(id, row.text);
}

const changesFrom = (query: ChangeQuery): string[] => select({ ...query, column: "offset", last: null });

const list = (query: ThingQuery): string[] => select({ ...query, column: "ordinal" });

interface Selection extends ThingQuery {
  readonly column: "offset" | "ordinal";
}

function select({ session, from, kinds, column, last, changesMax }: Selection): string[] {
  const places = kinds.map(() => "?").join(", ");
  const where = `session = ? AND offset >= ? AND kind IN (${places})`;
  const limit = last === null ? changesMax : Math.min(last, changesMax);
  const direction = last === null ? "ASC" : "DESC";
  const rows = database
    .prepare(
      `SELECT change FROM changes WHERE ${where} ORDER BY ${column} ${direction}, id ${direction} LIMIT ${limit}`,
    )
    .all(session, from, ...kinds);
  const changes = rows.map((row) => String(row["change"]));
  return last === null ? changes : changes.toReversed();
}

function search({ words, session, role, sinceUs, hitsMax }: SearchQuery): SearchHit[] {
  const rows = database
    .prepare(
      `SELECT c.session, c.kind, c.key, c.role, c.offset, c.time_us,
        snippet(words, 0, char(2), char(3), '…', 24) AS snippet
       FROM words JOIN changes AS c ON c.id = words.rowid
       WHERE words MATCH :words AND (:session IS NULL OR c.session = :session) AND (:role IS NULL OR c.role = :role)
         AND (:sinceUs IS NULL OR c.time_us >= :sinceUs)
       ORDER BY words.rowid DESC LIMIT :hitsMax`,
    )
    .all({ words, session, role, sinceUs, hitsMax });
  return rows.map(toHit);
}

// The columns were written by `put`.
const toHit = (row: Record<string, SQLOutputValue>): SearchHit =>
  ({
    session: row["session"],
    kind: row["kind"],
    key: row["key"],
    role: row["role"],
    offset: row["offset"],
    timeUs: row["time_us"],
    snippet: row["snippet"],
  }) as SearchHit;

/** Pairs of session and change. */
function lastWords(roles: readonly string[], count: number): (readonly [string, string])[] {
  const places = roles.map(() => "?").join(", ");
  const last = database.prepare(
    `SELECT change FROM changes WHERE session = ? AND kind = 'message' AND text <> '' AND role IN (${places})
     ORDER BY ordinal DESC LIMIT ${count}`,
  );
  const usage = database.prepare("SELECT change FROM changes WHERE session = ? AND kind = 'usage'");
  const sessions = database.prepare("SELECT session FROM checkpoints").all();
  return sessions.flatMap(({ session = null }) => {
    const rows = [...last.all(session, ...roles).toReversed(), ...usage.all(session)];
    return rows.map(({ change }) => [String(session), String(change)] as const);
  });
}

function forget(session: string): void {
  const rows = database.prepare("SELECT id, text FROM changes WHERE session = ? AND text <> ''").all(session);
  for (const { id = 0, text = "" } of rows) removeWords.run(id, text);
  database.prepare("DELETE FROM changes WHERE session = ?").run(session);
  database.prepare("DELETE FROM checkpoints WHERE session = ?").run(session);
}

function handle(request: ViewStoreRequest): unknown {
  switch (request.type) {
    case "put":
      transact(() => {
        for (const row of request.rows) put(request.session, row);
      });
      return null;
    case "changes":
      return changesFrom(request.query);
    case "list":
      return list(request.query);
    case "search":
      return search(request.query);
    case "put-checkpoint":
      putCheckpoint.run(request.session, request.offset, request.checkpoint);
      return null;
    case "checkpoint":
      return getCheckpoint.get(request.session)?.["checkpoint"] ?? null;
    case "checkpoints":
      return listCheckpoints.all().map(({ session, offset }) => [session, offset]);
    case "last-words":
      return lastWords(request.roles, request.count);
    case "usage-hours":
      return usageHours.all(request.sinceUs, request.hoursMax).map(({ session, change }) => [session, change]);
    case "forget":
      transact(() => forget(request.session));
      return null;
    case "close":
      database.close();
      return null;
  }
}

serveRequests(handle, { damage: opened.damage, restriction: opened.restriction } satisfies StoreOpening);
