/**
 * The tables of `views.db`, in the thread of the store. What can take long yields after each row, so that it does not hold up the registry,
 * which is in the same thread.
 */
import { rmSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { DatabasePart } from "./database-part.ts";
import {
  VIEWS_VERSION,
  isMovedToEnd,
  viewSchemaSql,
  type ChangeQuery,
  type ChangeRow,
  type SearchHit,
  type SearchQuery,
  type ThingQuery,
} from "./view-schema.ts";

export interface ViewFile {
  readonly databaseFile: string;
  /** It turned out to be damaged: it is removed and begun again. */
  readonly isDamaged?: boolean;
}

interface Selection extends ThingQuery {
  readonly column: "offset" | "ordinal";
}

type InTurns<Result> = Generator<undefined, Result>;

/** Rows that are removed at once. */
const REMOVED_ROWS = 100;

export class ViewRows extends DatabasePart {
  readonly #known = this.database.prepare("SELECT id, text FROM changes WHERE session = ? AND kind = ? AND key = ?");
  readonly #insert = this.database.prepare(
    `INSERT INTO changes (session, kind, key, ordinal, offset, time_us, role, text, change)
     VALUES (:session, :kind, :key, :ordinal, :offset, :timeUs, :role, :text, :change)`,
  );
  readonly #update = this.database.prepare(
    "UPDATE changes SET offset = :offset, time_us = :timeUs, role = :role, text = :text, change = :change WHERE id = :id",
  );
  readonly #removeChange = this.database.prepare("DELETE FROM changes WHERE id = ?");
  readonly #addWords = this.database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  readonly #removeWords = this.database.prepare("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)");
  readonly #putCheckpoint = this.database.prepare("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)");
  readonly #change = this.database.prepare("SELECT change FROM changes WHERE id = ?");

  constructor({ databaseFile, isDamaged = false }: ViewFile) {
    if (isDamaged) for (const suffix of ["", "-wal", "-shm"]) rmSync(`${databaseFile}${suffix}`, { force: true });
    super({ file: databaseFile, ifDamaged: "remove", initialise });
  }

  *put(session: string, rows: readonly ChangeRow[]): InTurns<void> {
    yield* this.transactInTurns(this.#putRows(session, rows));
  }

  *#putRows(session: string, rows: readonly ChangeRow[]): InTurns<void> {
    for (const row of rows) {
      this.#putRow(session, row);
      yield;
    }
  }

  #putRow(session: string, { kind, key, ...row }: ChangeRow): void {
    const found = this.#known.get(session, kind, key);
    // It gets the highest id. It has no words.
    const isMoved = found !== undefined && isMovedToEnd({ kind });
    if (isMoved) this.#removeChange.run(found["id"] ?? 0);
    const old = isMoved ? undefined : found;
    if (old === undefined) {
      const { lastInsertRowid } = this.#insert.run({ session, kind, key, ...row });
      if (row.text !== "") this.#addWords.run(lastInsertRowid, row.text);
      return;
    }
    const { id = 0, text = "" } = old;
    const { ordinal: _, ...changed } = row;
    this.#update.run({ id, ...changed });
    if (text === row.text) return;
    if (text !== "") this.#removeWords.run(id, text);
    if (row.text !== "") this.#addWords.run(id, row.text);
  }

  *changes(query: ChangeQuery): InTurns<string[]> {
    return yield* this.#select({ ...query, column: "offset", last: null });
  }

  *list(query: ThingQuery): InTurns<string[]> {
    return yield* this.#select({ ...query, column: "ordinal" });
  }

  *#select({ session, from, kinds, column, last, changesMax }: Selection): InTurns<string[]> {
    const limit = last === null ? changesMax : Math.min(last, changesMax);
    const direction = last === null ? "ASC" : "DESC";
    // Sorting ids only takes a hundredth of the time of sorting the changes, and cannot yield.
    const found = this.rows<{ id: number }>(
      `SELECT id FROM changes WHERE session = ? AND offset >= ? AND kind IN (${placesFor(kinds)})
       ORDER BY ${column} ${direction}, id ${direction} LIMIT ${limit}`,
      session,
      from,
      ...kinds,
    );
    const changes: string[] = [];
    for (const { id } of found) {
      changes.push(String(this.#change.get(id)?.["change"]));
      yield;
    }
    return last === null ? changes : changes.toReversed();
  }

  /** Newest first. */
  search({ words, session, role, sinceUs, hitsMax }: SearchQuery): SearchHit[] {
    return this.rows(
      `SELECT c.session, c.kind, c.key, c.role, c.offset, c.time_us AS timeUs,
        snippet(words, 0, char(2), char(3), '…', 24) AS snippet
       FROM words JOIN changes AS c ON c.id = words.rowid
       WHERE words MATCH ?1 AND (?2 IS NULL OR c.session = ?2) AND (?3 IS NULL OR c.role = ?3)
         AND (?4 IS NULL OR c.time_us >= ?4)
       ORDER BY words.rowid DESC LIMIT ?5`,
      words,
      session,
      role,
      sinceUs,
      hitsMax,
    );
  }

  putCheckpoint(session: string, offset: number, checkpoint: string): void {
    this.#putCheckpoint.run(session, offset, checkpoint);
  }

  checkpoint(session: string): string | undefined {
    return this.rows<{ checkpoint: string }>("SELECT checkpoint FROM checkpoints WHERE session = ?", session)[0]
      ?.checkpoint;
  }

  checkpointOffsets(): ReadonlyMap<string, number> {
    const rows = this.rows<{ session: string; offset: number }>("SELECT session, offset FROM checkpoints");
    return new Map(rows.map(({ session, offset }) => [session, offset]));
  }

  /** The last so many messages that say something, and the usage, of each session. */
  *lastWords(roles: readonly string[], count: number): InTurns<(readonly [session: string, change: string])[]> {
    const said = `SELECT change AS text FROM changes WHERE session = ? AND kind = 'message' AND text <> ''
      AND role IN (${placesFor(roles)}) ORDER BY ordinal DESC LIMIT ${count}`;
    const used = "SELECT change AS text FROM changes WHERE session = ? AND kind = 'usage'";
    const pairs: (readonly [string, string])[] = [];
    for (const session of this.checkpointOffsets().keys()) {
      const messages = yield* this.#texts(said, [session, ...roles]);
      const usage = yield* this.#texts(used, [session]);
      for (const text of [...messages.toReversed(), ...usage]) pairs.push([session, text]);
    }
    return pairs;
  }

  /** What all sessions used by the hour, from a time on. */
  usageHours(sinceUs: number, hoursMax: number): (readonly [session: string, hour: string])[] {
    const rows = this.rows<{ session: string; change: string }>(
      "SELECT session, change FROM changes WHERE kind = 'usage-hour' AND ordinal >= ? ORDER BY ordinal DESC LIMIT ?",
      sinceUs,
      hoursMax,
    );
    return rows.map(({ session, change }) => [session, change]);
  }

  *forget(session: string): InTurns<void> {
    yield* this.transactInTurns(this.#removeRows(session));
  }

  *#removeRows(session: string): InTurns<void> {
    const some = this.database.prepare(`SELECT id, text FROM changes WHERE session = ? LIMIT ${REMOVED_ROWS}`);
    for (let rows = some.all(session); rows.length > 0; rows = some.all(session)) {
      for (const { id = 0, text = "" } of rows) {
        if (text !== "") this.#removeWords.run(id, text);
        this.#removeChange.run(id);
        yield;
      }
    }
    this.database.prepare("DELETE FROM checkpoints WHERE session = ?").run(session);
  }

  *#texts(sql: string, values: readonly SQLInputValue[]): InTurns<string[]> {
    const texts: string[] = [];
    for (const { text } of this.database.prepare(sql).iterate(...values)) {
      texts.push(String(text));
      yield;
    }
    return texts;
  }
}

const placesFor = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** What an older version wrote is forgotten. */
function initialise(fresh: DatabaseSync): void {
  const version = Number(fresh.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version !== VIEWS_VERSION)
    fresh.exec("DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS changes; DROP TABLE IF EXISTS checkpoints");
  fresh.exec(viewSchemaSql);
  // Reads a page of each table, so that most damage shows now.
  for (const table of ["changes", "words", "checkpoints"]) fresh.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  if (version !== VIEWS_VERSION) fresh.exec(`PRAGMA user_version = ${VIEWS_VERSION}`);
}
