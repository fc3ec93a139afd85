/**
 * Where each row of the audit log stands, and what is known of each call: a view of the log in SQLite, so that a daemon
 * starts and finds a call quickly however long the log is. It is made again where it does not fit the log.
 */
import { rmSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { readAuditLine } from "../../core/gate/audit-chain.ts";
import { foldAuditRow, type AuditedCall } from "../../core/gate/audit-fold.ts";
import { IN_MEMORY, openDatabase } from "../store/open-database.ts";
import { damaged, isSqliteDamage, isSqliteUnwritable } from "../store/sqlite-errors.ts";
import type { AuditFile, PlacedRow } from "./audit-file.ts";

const INDEX_VERSION = 1;
/** One read while the index catches up. */
const PAGE_BYTES = 1_048_576;

const schemaSql = `
  CREATE TABLE rows (at INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, session TEXT NOT NULL) STRICT;
  CREATE INDEX rows_of_session ON rows (session, at);
  CREATE TABLE calls (
    session TEXT NOT NULL, call TEXT NOT NULL, stage TEXT NOT NULL, arguments_hash TEXT, tool TEXT, outcome_hash TEXT,
    time_ms INTEGER NOT NULL, first_at INTEGER NOT NULL, PRIMARY KEY (session, call)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX open_calls ON calls (first_at) WHERE stage NOT IN ('denied', 'finished');
  CREATE TABLE place (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), indexed_to INTEGER NOT NULL) STRICT;
  INSERT INTO place VALUES (1, 0);
`;

/** Where a row's line stands in the file. */
export interface AuditRowPlace {
  readonly at: number;
  readonly bytes: number;
}

type Row = Record<string, SQLOutputValue>;

function initialise(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version === 0) database.exec(`BEGIN; ${schemaSql}; PRAGMA user_version = ${INDEX_VERSION}; COMMIT`);
  else if (version !== INDEX_VERSION) throw damaged(`the index has version ${version}`);
}

export class AuditIndex {
  readonly #database: DatabaseSync;
  readonly #addRow: StatementSync;
  readonly #putCall: StatementSync;
  readonly #findCall: StatementSync;
  readonly #setPlace: StatementSync;
  /** The byte of the log up to which this is made. */
  #end: number;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#addRow = database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)");
    this.#putCall = database.prepare(
      `INSERT INTO calls VALUES (:session, :call, :stage, :argumentsHash, :tool, :outcomeHash, :timeMs, :at)
       ON CONFLICT DO UPDATE SET stage = excluded.stage, arguments_hash = excluded.arguments_hash, tool = excluded.tool,
       outcome_hash = excluded.outcome_hash, time_ms = excluded.time_ms`,
    );
    this.#findCall = database.prepare("SELECT * FROM calls WHERE session = ? AND call = ?");
    this.#setPlace = database.prepare("UPDATE place SET indexed_to = ?");
    this.#end = Number(database.prepare("SELECT indexed_to FROM place").get()?.["indexed_to"] ?? 0);
  }

  /** Opens the index of a log, brought up to its end. What does not fit the log is made again; on a full disk it is in memory. */
  static open(path: string, file: AuditFile): AuditIndex {
    const index = AuditIndex.#openFile(path);
    try {
      if (index.#end > file.end) throw damaged("it goes further than the log");
      index.catchUp(file);
      return index;
    } catch (error) {
      index.close();
      if (isSqliteDamage(error)) return AuditIndex.remake(path, file);
      if (isSqliteUnwritable(error)) return AuditIndex.#begin(IN_MEMORY, file);
      throw error;
    }
  }

  /** Begins it again, for one that was found damaged while it was used: that one is closed. */
  static remake(path: string, file: AuditFile): AuditIndex {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return AuditIndex.#begin(path, file);
  }

  static #begin(path: string, file: AuditFile): AuditIndex {
    const index = AuditIndex.#openFile(path);
    index.catchUp(file);
    return index;
  }

  static #openFile(path: string): AuditIndex {
    return new AuditIndex(openDatabase({ file: path, ifDamaged: "remove", initialise }).database);
  }

  /** Takes in what the log has more than this. */
  catchUp(file: AuditFile): void {
    while (this.#end < file.end) {
      const page = file.read(this.#end, PAGE_BYTES);
      const whole = page.subarray(0, page.lastIndexOf(10) + 1);
      if (whole.length > 0) this.#takeIn(rowsOf(whole, this.#end), this.#end + whole.length);
      else if (page.length < PAGE_BYTES) this.#takeIn([], file.resumeAt(this.#end));
      else throw new Error(`the audit log has a line of more than ${PAGE_BYTES} bytes`);
    }
  }

  /** Takes in what was just appended; throws where it cannot, and makes up for it at the next time. */
  add(rows: readonly PlacedRow[], file: AuditFile): void {
    if (rows[0]?.at === this.#end) this.#takeIn(rows, file.end);
    else this.catchUp(file);
  }

  #takeIn(rows: readonly PlacedRow[], end: number): void {
    this.#database.exec("BEGIN");
    try {
      for (const placed of rows) this.#add(placed);
      this.#setPlace.run(end);
      this.#database.exec("COMMIT");
      this.#end = end;
    } catch (error) {
      // SQLite has done so by itself where the disk was full.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  find(session: string, call: string): AuditedCall | undefined {
    const row = this.#findCall.get(session, call);
    return row === undefined ? undefined : toCall(row);
  }

  /** Calls for which something is left to do or to be told, the oldest first. */
  openCalls(limit: number): AuditedCall[] {
    const rows = this.#database
      .prepare("SELECT * FROM calls WHERE stage NOT IN ('denied', 'finished') ORDER BY first_at LIMIT ?")
      .all(limit);
    return rows.map(toCall);
  }

  /** From the byte offset `from` on; of all sessions where `session` is undefined. */
  places(from: number, limit: number, session?: string): AuditRowPlace[] {
    const rows =
      session === undefined
        ? this.#database.prepare("SELECT at, bytes FROM rows WHERE at >= ? ORDER BY at LIMIT ?").all(from, limit)
        : this.#database
            .prepare("SELECT at, bytes FROM rows WHERE session = ? AND at >= ? ORDER BY at LIMIT ?")
            .all(session, from, limit);
    return rows.map(toPlace);
  }

  /** The last ones, in order. */
  lastPlaces(limit: number, session?: string): AuditRowPlace[] {
    const rows =
      session === undefined
        ? this.#database.prepare("SELECT at, bytes FROM rows ORDER BY at DESC LIMIT ?").all(limit)
        : this.#database
            .prepare("SELECT at, bytes FROM rows WHERE session = ? ORDER BY at DESC LIMIT ?")
            .all(session, limit);
    return rows.map(toPlace).toReversed();
  }

  close(): void {
    this.#database.close();
  }

  #add({ at, bytes, row }: PlacedRow): void {
    this.#addRow.run(at, bytes, row.session);
    const call = foldAuditRow(this.find(row.session, row.call), row);
    this.#putCall.run({ ...call, at });
  }
}

/** The rows of whole lines; a line that is no row is left out here, and named by the verification. */
function rowsOf(lines: Buffer, start: number): PlacedRow[] {
  const rows: PlacedRow[] = [];
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(10, from);
    const chained = readAuditLine(lines.toString("utf8", from, end));
    if (chained !== undefined) {
      rows.push({ row: chained.row, sequence: chained.sequence, at: start + from, bytes: end - from });
    }
    from = end + 1;
  }
  return rows;
}

// The columns were written above from values of these types.
const toPlace = (row: Row): AuditRowPlace => ({ at: Number(row["at"]), bytes: Number(row["bytes"]) });
const toCall = (row: Row): AuditedCall =>
  ({
    session: row["session"],
    call: row["call"],
    stage: row["stage"],
    argumentsHash: row["arguments_hash"],
    tool: row["tool"],
    outcomeHash: row["outcome_hash"],
    timeMs: row["time_ms"],
  }) as AuditedCall;
