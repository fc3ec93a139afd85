/**
 * Where each row of the audit log stands, and what is known of each call: a view of the log in SQLite, so that a daemon
 * starts and finds a call quickly however long the log is. It is made again where it does not fit the log.
 */
import { rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { readAuditLine } from "../../core/gate/audit-chain.ts";
import { foldAuditRow, type AuditedCall } from "../../core/gate/audit-fold.ts";
import { DatabasePart } from "../store/database-part.ts";
import { IN_MEMORY } from "../store/open-database.ts";
import { damaged, isSqliteDamage, isSqliteUnwritable } from "../store/sqlite-errors.ts";
import type { AuditFile, PlacedRow } from "./audit-file.ts";

const INDEX_VERSION = 2;
/** One read while the index catches up. */
const PAGE_BYTES = 1_048_576;

const schemaSql = `
  CREATE TABLE rows (at INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, session TEXT NOT NULL, call TEXT NOT NULL) STRICT;
  CREATE INDEX rows_of_session ON rows (session, at);
  CREATE INDEX rows_of_call ON rows (call, at);
  CREATE TABLE calls (
    session TEXT NOT NULL, call TEXT NOT NULL, stage TEXT NOT NULL, arguments_hash TEXT, tool TEXT, outcome_hash TEXT,
    time_ms INTEGER NOT NULL, first_at INTEGER NOT NULL, PRIMARY KEY (session, call)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX open_calls ON calls (first_at) WHERE stage NOT IN ('denied', 'finished');
  CREATE TABLE place (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), indexed_to INTEGER NOT NULL) STRICT;
  INSERT INTO place VALUES (1, 0);
`;

/** Of which rows; of all where nothing is named. */
export interface RowFilter {
  readonly session?: string | undefined;
  readonly call?: string | undefined;
}

/** Where a row's line stands in the file. */
export interface AuditRowPlace {
  readonly at: number;
  readonly bytes: number;
}

const CALL_COLUMNS =
  "session, call, stage, arguments_hash AS argumentsHash, tool, outcome_hash AS outcomeHash, time_ms AS timeMs";

function initialise(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version === 0) database.exec(`BEGIN; ${schemaSql}; PRAGMA user_version = ${INDEX_VERSION}; COMMIT`);
  else if (version !== INDEX_VERSION) throw damaged(`the index has version ${version}`);
}

export class AuditIndex extends DatabasePart {
  readonly #addRow = this.database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)");
  readonly #putCall = this.database.prepare(
    `INSERT INTO calls VALUES (:session, :call, :stage, :argumentsHash, :tool, :outcomeHash, :timeMs, :at)
     ON CONFLICT DO UPDATE SET stage = excluded.stage, arguments_hash = excluded.arguments_hash, tool = excluded.tool,
     outcome_hash = excluded.outcome_hash, time_ms = excluded.time_ms`,
  );
  readonly #findCall = this.database.prepare(`SELECT ${CALL_COLUMNS} FROM calls WHERE session = ? AND call = ?`);
  readonly #setPlace = this.database.prepare("UPDATE place SET indexed_to = ?");
  /** The byte of the log up to which this is made. */
  #end = this.rows<{ indexedTo: number }>("SELECT indexed_to AS indexedTo FROM place")[0]?.indexedTo ?? 0;

  private constructor(path: string) {
    super({ file: path, ifDamaged: "remove", initialise });
  }

  /** Opens the index of a log, brought up to its end. What does not fit the log is made again; on a full disk it is in memory. */
  static open(path: string, file: AuditFile): AuditIndex {
    const index = new AuditIndex(path);
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
    const index = new AuditIndex(path);
    index.catchUp(file);
    return index;
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
    this.transact(() => {
      for (const placed of rows) this.#add(placed);
      this.#setPlace.run(end);
    });
    this.#end = end;
  }

  find(session: string, call: string): AuditedCall | undefined {
    return this.rows<AuditedCall>(this.#findCall, session, call)[0];
  }

  /** Calls for which something is left to do or to be told, the oldest first. */
  openCalls(limit: number): AuditedCall[] {
    const wanted = "stage NOT IN ('denied', 'finished') ORDER BY first_at LIMIT ?";
    return this.rows(`SELECT ${CALL_COLUMNS} FROM calls WHERE ${wanted}`, limit);
  }

  /** From the byte offset `from` on, or the last ones; in order. */
  places(from: number | undefined, limit: number, of: RowFilter = {}): AuditRowPlace[] {
    const conditions = [
      ...(of.session === undefined ? [] : [["session = ?", of.session]]),
      ...(of.call === undefined ? [] : [["call = ?", of.call]]),
      ...(from === undefined ? [] : [["at >= ?", from]]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`;
    const values = conditions.flatMap(([, value]) => value ?? []);
    const sql = `SELECT at, bytes FROM rows ${where} ORDER BY at ${from === undefined ? "DESC" : ""} LIMIT ?`;
    const places: AuditRowPlace[] = this.rows(sql, ...values, limit);
    return from === undefined ? places.toReversed() : places;
  }

  #add({ at, bytes, row }: PlacedRow): void {
    this.#addRow.run(at, bytes, row.session, row.call);
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
    if (chained !== undefined)
      rows.push({ row: chained.row, sequence: chained.sequence, at: start + from, bytes: end - from });
    from = end + 1;
  }
  return rows;
}
