/** The thread that owns the connection to `notify.db`. */
import type { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { openDatabase } from "../store/open-database.ts";
import { serveRequests } from "../store/serve-requests.ts";
import type { StoreOpening } from "../store/schema.ts";
import {
  NOTIFY_VERSION,
  notifySchemaSql,
  shownKey,
  type NoticeRow,
  type NotifyContents,
  type NotifyRequest,
} from "./notify-schema.ts";

/** Older rows are removed, and so are those beyond the newest ones, but for pending ones. */
const KEPT_MS = 30 * 24 * 3_600_000;
const ROWS_MAX = 10_000;
/** When the file is opened, and after so many further rows. */
const ROWS_PER_TRIM = 1000;
/** A used answer link says what it did for this time. */
const ANSWERS_KEPT_MS = 24 * 3_600_000;

const { databaseFile } = workerData as { readonly databaseFile: string };
const opened = openDatabase({ file: databaseFile, ifDamaged: "keep", initialise });
const { database } = opened;

const insert = database.prepare(
  `INSERT INTO notices (id, key, channel, session, state, created_ms, changed_ms, row)
   VALUES (:id, :key, :channel, :session, :state, :createdMs, :createdMs, :row) ON CONFLICT DO NOTHING`,
);
const update = database.prepare("UPDATE notices SET state = :state, changed_ms = :nowMs, row = :row WHERE id = :id");
const find = database.prepare("SELECT row FROM notices WHERE id = ?");
const remove = database.prepare("DELETE FROM notices WHERE id = ?");
const putWatch = database.prepare("INSERT OR REPLACE INTO watches VALUES (?, ?)");
const putOutage = database.prepare("INSERT OR REPLACE INTO outages VALUES (?, ?)");
const removeOutage = database.prepare("DELETE FROM outages WHERE machine = ?");
const putAnswer = database.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)");
const putShown = database.prepare("INSERT OR REPLACE INTO shown VALUES (?, ?)");
const removeShown = database.prepare("DELETE FROM shown WHERE key = ?");
const disable = database.prepare("INSERT OR REPLACE INTO disabled VALUES (?, ?)");
const enable = database.prepare("DELETE FROM disabled WHERE channel = ?");

function initialise(fresh: DatabaseSync): void {
  const version = Number(fresh.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > NOTIFY_VERSION) throw new Error("it was written by a newer version of Lectern");
  fresh.exec(notifySchemaSql);
  // Reads a page of each table, so that most damage shows now.
  for (const table of ["notices", "watches", "outages", "answers", "shown", "disabled"])
    fresh.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  if (version !== NOTIFY_VERSION) fresh.exec(`PRAGMA user_version = ${NOTIFY_VERSION}`);
}

function transact<Result>(run: () => Result): Result {
  database.exec("BEGIN");
  try {
    const result = run();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has done so by itself where the disk was full.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function load(nowMs: number): NotifyContents {
  transact(() => {
    trim(nowMs);
    database.prepare("DELETE FROM answers WHERE expires_ms < ?").run(nowMs - ANSWERS_KEPT_MS);
  });
  return {
    pending: rowsOf("SELECT row FROM notices WHERE state = 'pending' ORDER BY created_ms"),
    watches: pairsOf("SELECT session, state FROM watches").map(([session, state]) => [session, JSON.parse(state)]),
    outages: pairsOf("SELECT machine, since_ms FROM outages").map(([machine, sinceMs]) => [machine, Number(sinceMs)]),
    answers: rowsOf("SELECT row FROM answers"),
    shown: rowsOf("SELECT row FROM shown ORDER BY rowid"),
    disabled: pairsOf("SELECT channel, reason FROM disabled"),
  } as NotifyContents;
}

function trim(nowMs: number): void {
  database.prepare("DELETE FROM notices WHERE state <> 'pending' AND changed_ms < ?").run(nowMs - KEPT_MS);
  database
    .prepare(
      `DELETE FROM notices WHERE state <> 'pending' AND id NOT IN (SELECT id FROM notices ORDER BY created_ms DESC LIMIT ${ROWS_MAX})`,
    )
    .run();
}

// Written below from values of these types.
const rowsOf = (sql: string): unknown[] =>
  database
    .prepare(sql)
    .all()
    .map(({ row }) => JSON.parse(String(row)));

const pairsOf = (sql: string): (readonly [string, string])[] =>
  database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row).map(String) as unknown as readonly [string, string]);

let rowsSinceTrim = 0;

function offer(rows: readonly NoticeRow[]): string[] {
  rowsSinceTrim += rows.length;
  if (rowsSinceTrim >= ROWS_PER_TRIM) {
    rowsSinceTrim = 0;
    trim(Date.now());
  }
  return rows.flatMap((row) => {
    const { channel, createdMs, id, key, session, state } = row;
    const { changes } = insert.run({ id, key, channel, session, state, createdMs, row: JSON.stringify(row) });
    return Number(changes) > 0 ? [id] : [];
  });
}

function list(states: readonly string[], limit: number): unknown[] {
  const places = states.map(() => "?").join(", ");
  const sql = `SELECT row FROM notices WHERE state IN (${places}) ORDER BY created_ms DESC, rowid DESC LIMIT ${limit}`;
  return database
    .prepare(sql)
    .all(...states)
    .map(({ row }) => JSON.parse(String(row)));
}

function forget(session: string): void {
  database.prepare("DELETE FROM notices WHERE session = ?").run(session);
  database.prepare("DELETE FROM watches WHERE session = ?").run(session);
}

function handle(request: NotifyRequest): unknown {
  switch (request.type) {
    case "load":
      return load(request.nowMs);
    case "offer":
      return transact(() => offer(request.rows));
    case "put":
      return transact(() => {
        const { nowMs } = request;
        for (const row of request.rows) update.run({ id: row.id, state: row.state, nowMs, row: JSON.stringify(row) });
        return null;
      });
    case "list":
      return list(request.states, request.limit);
    case "find": {
      const row = find.get(request.id)?.["row"];
      return row === undefined ? null : JSON.parse(String(row));
    }
    case "remove":
      return transact(() => request.ids.reduce((count, id) => count + Number(remove.run(id).changes), 0));
    case "put-watches":
      return transact(() => {
        for (const [session, state] of request.watches) putWatch.run(session, JSON.stringify(state));
        return null;
      });
    case "forget":
      return transact(() => {
        forget(request.session);
        return null;
      });
    case "put-outages":
      return transact(() => {
        for (const [machine, sinceMs] of request.outages)
          if (sinceMs === null) removeOutage.run(machine);
          else putOutage.run(machine, sinceMs);
        return null;
      });
    case "put-answers":
      return transact(() => {
        for (const answer of request.answers) putAnswer.run(answer.hash, answer.expiresMs, JSON.stringify(answer));
        return null;
      });
    case "put-shown":
      return transact(() => {
        for (const row of request.rows) putShown.run(shownKey(row), JSON.stringify(row));
        return null;
      });
    case "remove-shown":
      return transact(() => {
        for (const key of request.keys) removeShown.run(key);
        return null;
      });
    case "set-disabled":
      if (request.reason === null) enable.run(request.channel);
      else disable.run(request.channel, request.reason);
      return null;
    case "close":
      database.close();
      return null;
  }
}

serveRequests(handle, { damage: opened.damage, restriction: opened.restriction } satisfies StoreOpening);
