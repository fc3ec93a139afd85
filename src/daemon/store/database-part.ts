import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { openDatabase, type DatabaseRequest, type OpenedDatabase } from "./open-database.ts";

/** How a database was opened, see `OpenedDatabase`. Null for what did not happen. */
export type DatabaseOpening = Omit<OpenedDatabase, "database">;

export abstract class DatabasePart {
  protected readonly database: DatabaseSync;
  readonly #opening: DatabaseOpening;

  constructor(request: DatabaseRequest) {
    const { database, ...opening } = openDatabase(request);
    this.database = database;
    this.#opening = opening;
  }

  opening(): DatabaseOpening {
    return this.#opening;
  }

  close(): void {
    this.database.close();
  }

  /** `Row` has what is selected, under the names that the columns have in the result. */
  protected rows<Row>(select: string | StatementSync, ...values: readonly SQLInputValue[]): Row[] {
    const statement = typeof select === "string" ? this.database.prepare(select) : select;
    // The tables are strict, and written from values of the same types.
    return statement.all(...values) as Row[];
  }

  /** All of it is written, or nothing. */
  protected transact<Result>(run: () => Result): Result {
    this.database.exec("BEGIN");
    try {
      const result = run();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** The same for what takes long: other databases have their turn where it yields. */
  protected *transactInTurns(steps: Generator<undefined, void>): Generator<undefined, void> {
    this.database.exec("BEGIN");
    try {
      yield* steps;
      this.database.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** SQLite has done so by itself where the disk was full. */
  #rollBack(): void {
    if (this.database.isTransaction) this.database.exec("ROLLBACK");
  }
}
