/** The conversations of opencode, which are rows of a database: those of one conversation as JSON lines, when they change. Never written. */
import { lstatSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  codeOf,
  realPathBelow,
  refusalOf,
  RecordRefusal,
  RecordState,
  type RecordPlace,
  type RecordSource,
} from "./record-file.ts";

/** In one read. */
const ROWS_MAX = 500;
/** A row may change twice in a millisecond, and a transaction that began earlier may end later. */
const OVERLAP_MS = 2000;

const family = `WITH RECURSIVE family(id) AS (
  SELECT id FROM session WHERE id = $id UNION SELECT session.id FROM session JOIN family ON session.parent_id = family.id)`;
const sessions = `${family} SELECT id, parent_id, revert FROM session WHERE id IN family ORDER BY time_updated`;
const rows = `${family} SELECT * FROM (
  SELECT 'message' AS name, id, session_id, NULL AS message_id, time_created, time_updated, data FROM message
    WHERE session_id IN family AND time_updated >= $time
  UNION ALL SELECT 'part', id, session_id, message_id, time_created, time_updated, data FROM part
    WHERE session_id IN family AND time_updated >= $time)
  WHERE (time_updated, id) > ($time, $last) ORDER BY time_updated, id LIMIT ${ROWS_MAX}`;

export class RecordDatabase implements RecordSource {
  readonly #database: DatabaseSync;
  readonly #state: RecordState;
  readonly #conversation: string;
  readonly #version: StatementSync;
  readonly #sessions: StatementSync;
  readonly #rows: StatementSync;
  #readVersion: unknown;
  #readSessions = "";
  /** The last row that was read, and whether there may be more. */
  #last = { time: 0, id: "", isPage: false };
  /** The lines of the rows that are read again, by id. */
  #recent = new Map<string, { readonly time: number; readonly line: string }>();

  private constructor(path: string, database: DatabaseSync, conversation: string) {
    this.#state = new RecordState(path, lstatSync(path));
    this.#database = database;
    this.#conversation = conversation;
    this.#version = database.prepare("PRAGMA data_version");
    this.#sessions = database.prepare(sessions);
    this.#rows = database.prepare(rows);
  }

  /** Rejects with `RecordRefusal`. */
  static async open(path: string, place: RecordPlace, conversation: string): Promise<RecordDatabase> {
    const real = realPathBelow(path, place);
    const refusal = refusalOf(lstatSync(real), { ...place, bytesMax: Infinity });
    if (refusal !== null) throw new RecordRefusal(refusal);
    const { DatabaseSync: Database } = await import("node:sqlite");
    try {
      return new RecordDatabase(real, new Database(real, { readOnly: true, timeout: 100 }), conversation);
    } catch (error) {
      throw new RecordRefusal(`it is not a database that is known (${reasonOf(error)})`);
    }
  }

  /** The rows that have changed; empty if none has, or if the agent is writing. Throws `RecordRefusal`. */
  next(): Uint8Array {
    try {
      const begun = this.#last.isPage ? "" : this.#begin();
      return Buffer.from(begun === undefined ? "" : begun + this.#page());
    } catch (error) {
      // The next check comes.
      this.#readVersion = undefined;
      if (/locked|busy/i.test(reasonOf(error))) return new Uint8Array();
      throw new RecordRefusal(`it cannot be read (${reasonOf(error)})`);
    }
  }

  state(): "same" | "replaced" | "gone" {
    return this.#state.of(0);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** The lines of the sessions if they have changed; undefined if nothing was written since the last read. */
  #begin(): string | undefined {
    const [version] = Object.values(this.#version.get() ?? {});
    if (version === this.#readVersion) return undefined;
    const lines = this.#sessions.all({ $id: this.#conversation }).map((row) => lineOf("session", row));
    const text = lines.join("");
    const hasChanged = text !== this.#readSessions;
    // What was taken back may be said again, by rows that did not change.
    if (hasChanged) this.#recent.clear();
    this.#last = { time: hasChanged ? 0 : this.#last.time - OVERLAP_MS, id: "", isPage: false };
    this.#readVersion = version;
    this.#readSessions = text;
    return hasChanged ? text : "";
  }

  #page(): string {
    const { id, time } = this.#last;
    const found = this.#rows.all({ $id: this.#conversation, $time: time, $last: id });
    const changed = found.flatMap(({ name, ...row }) => {
      const [key, updated, line] = [String(row["id"]), Number(row["time_updated"]), lineOf(String(name), row)];
      this.#last = { time: updated, id: key, isPage: found.length === ROWS_MAX };
      const isKnown = this.#recent.get(key)?.line === line;
      this.#recent.set(key, { time: updated, line });
      return isKnown ? [] : [line];
    });
    if (found.length < ROWS_MAX) this.#last = { ...this.#last, isPage: false };
    for (const [key, { time: updated }] of this.#recent)
      if (updated < this.#last.time - OVERLAP_MS) this.#recent.delete(key);
    // An empty page would end the reading.
    return changed.length === 0 && this.#last.isPage ? this.#page() : changed.join("");
  }
}

const lineOf = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : codeOf(error));
