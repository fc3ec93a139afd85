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

/** Rows of each table that are read at once; more of one millisecond are not read. */
const ROWS_MAX = 5000;
const TABLES = ["session", "message", "part"] as const;
type Table = (typeof TABLES)[number];

const own = "(SELECT id FROM session WHERE id = $id OR parent_id = $id)";
const queries: Readonly<Record<Table, string>> = {
  session: `SELECT id, parent_id, directory, revert, time_updated FROM session WHERE id IN ${own}`,
  message: `SELECT id, session_id, time_created, time_updated, data FROM message WHERE session_id IN ${own}`,
  part: `SELECT id, message_id, session_id, time_created, time_updated, data FROM part WHERE session_id IN ${own}`,
};

export class RecordDatabase implements RecordSource {
  readonly #database: DatabaseSync;
  readonly #state: RecordState;
  readonly #conversation: string;
  readonly #statements: readonly (readonly [Table, StatementSync])[];
  /** The last change that was read of each table, and the rows that were read of that millisecond. */
  readonly #read = new Map<Table, { readonly updated: number; readonly ids: ReadonlySet<string> }>();

  private constructor(path: string, database: DatabaseSync, conversation: string) {
    this.#state = new RecordState(path, lstatSync(path));
    this.#database = database;
    this.#conversation = conversation;
    this.#statements = TABLES.map((table) => {
      const sql = `${queries[table]} AND time_updated >= $from ORDER BY time_updated, id LIMIT ${ROWS_MAX}`;
      return [table, database.prepare(sql)];
    });
  }

  /** Rejects with `RecordRefusal`. */
  static async open(path: string, place: RecordPlace, conversation: string): Promise<RecordDatabase> {
    const real = realPathBelow(path, place.root);
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
      const lines = this.#statements.flatMap(([table, statement]) => this.#changed(table, statement));
      return Buffer.from(lines.join(""));
    } catch (error) {
      // The next check comes.
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

  #changed(table: Table, statement: StatementSync): string[] {
    const { ids, updated } = this.#read.get(table) ?? { ids: new Set<string>(), updated: 0 };
    const rows = statement.all({ $id: this.#conversation, $from: updated });
    const last = Number(rows.at(-1)?.["time_updated"] ?? updated);
    const ofLast = rows.filter((row) => row["time_updated"] === last).map(({ id }) => String(id));
    this.#read.set(table, { updated: last, ids: new Set(ofLast) });
    const changed = rows.filter((row) => row["time_updated"] !== updated || !ids.has(String(row["id"])));
    return changed.map((row) => `${JSON.stringify({ table, row })}\n`);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : codeOf(error));
