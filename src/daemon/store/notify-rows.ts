/** The tables of `notify.db`, in the thread of the store. Each write is on disk when it is answered. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { WatchState } from "../../features/notify/core/session-watch.ts";
import { DatabasePart } from "./database-part.ts";
import {
  NOTIFY_VERSION,
  notifySchemaSql,
  shownKey,
  type AnswerRow,
  type NoticeRow,
  type NoticeState,
  type NotifyContents,
  type ShownQuestion,
} from "./notify-schema.ts";

/** Older rows are removed, and so are those beyond the newest ones, but for pending ones. */
const KEPT_MS = 30 * 24 * 3_600_000;
const ROWS_MAX = 10_000;
/** When the file is opened, and after so many further rows. */
const ROWS_PER_TRIM = 1000;
/** A used answer link says what it did for this time. */
const ANSWERS_KEPT_MS = 24 * 3_600_000;
type DisabledRow = Readonly<Record<"channel" | "reason", string>>;

export class NotifyRows extends DatabasePart {
  readonly #insert = this.database.prepare(
    `INSERT INTO notices (id, key, channel, session, state, created_ms, changed_ms, row)
     VALUES (:id, :key, :channel, :session, :state, :createdMs, :createdMs, :row) ON CONFLICT DO NOTHING`,
  );
  readonly #update = this.database.prepare(
    "UPDATE notices SET state = :state, changed_ms = :nowMs, row = :row WHERE id = :id",
  );
  readonly #remove = this.database.prepare("DELETE FROM notices WHERE id = ?");
  readonly #putWatch = this.database.prepare("INSERT OR REPLACE INTO watches VALUES (?, ?)");
  readonly #putOutage = this.database.prepare("INSERT OR REPLACE INTO outages VALUES (?, ?)");
  readonly #removeOutage = this.database.prepare("DELETE FROM outages WHERE machine = ?");
  readonly #putAnswer = this.database.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)");
  readonly #putShown = this.database.prepare("INSERT OR REPLACE INTO shown VALUES (?, ?)");
  readonly #removeShown = this.database.prepare("DELETE FROM shown WHERE key = ?");
  readonly #putNews = this.database.prepare("INSERT INTO news VALUES (?, ?)");
  #rowsSinceTrim = 0;

  constructor(databaseFile: string) {
    super({ file: databaseFile, ifDamaged: "keep", initialise });
  }

  load(nowMs: number): NotifyContents {
    this.transact(() => {
      this.#trim(nowMs);
      this.database.prepare("DELETE FROM answers WHERE expires_ms < ?").run(nowMs - ANSWERS_KEPT_MS);
    });
    return {
      pending: this.#parsed("SELECT row FROM notices WHERE state = 'pending' ORDER BY created_ms"),
      watches: this.rows<Readonly<Record<"session" | "state", string>>>("SELECT session, state FROM watches").map(
        (row) => [row.session, JSON.parse(row.state)],
      ),
      outages: this.rows<{ readonly machine: string; readonly sinceMs: number }>(
        "SELECT machine, since_ms AS sinceMs FROM outages",
      ).map((row) => [row.machine, row.sinceMs]),
      answers: this.#parsed("SELECT row FROM answers"),
      shown: this.#parsed("SELECT row FROM shown ORDER BY rowid"),
      disabled: this.rows<DisabledRow>("SELECT channel, reason FROM disabled").map((row) => [row.channel, row.reason]),
      news: this.rows<{ readonly news: string; readonly sinceMs: number }>(
        "SELECT news, since_ms AS sinceMs FROM news",
      ).map((row) => [row.news, row.sinceMs]),
    };
  }

  /** Adds those whose key and channel have no row; returns their ids. */
  offer(rows: readonly NoticeRow[]): ReadonlySet<string> {
    return this.transact(() => {
      this.#rowsSinceTrim += rows.length;
      if (this.#rowsSinceTrim >= ROWS_PER_TRIM) {
        this.#rowsSinceTrim = 0;
        this.#trim(Date.now());
      }
      const added = rows.filter((row) => {
        const { channel, createdMs, id, key, session, state } = row;
        const { changes } = this.#insert.run({ id, key, channel, session, state, createdMs, row: JSON.stringify(row) });
        return Number(changes) > 0;
      });
      return new Set(added.map(({ id }) => id));
    });
  }

  put(row: NoticeRow, nowMs: number): void {
    this.#update.run({ id: row.id, state: row.state, nowMs, row: JSON.stringify(row) });
  }

  /** The newest first. */
  list(states: readonly NoticeState[], limit: number): NoticeRow[] {
    const places = states.map(() => "?").join(", ");
    return this.#parsed(
      `SELECT row FROM notices WHERE state IN (${places}) ORDER BY created_ms DESC, rowid DESC LIMIT ${limit}`,
      ...states,
    );
  }

  find(id: string): NoticeRow | undefined {
    return this.#parsed<NoticeRow>("SELECT row FROM notices WHERE id = ?", id)[0];
  }

  /** How many there were. */
  remove(ids: readonly string[]): number {
    return this.transact(() => ids.reduce((count, id) => count + Number(this.#remove.run(id).changes), 0));
  }

  putWatches(watches: readonly (readonly [session: string, state: WatchState])[]): void {
    this.transact(() => {
      for (const [session, state] of watches) this.#putWatch.run(session, JSON.stringify(state));
    });
  }

  forget(session: string): void {
    this.transact(() => {
      this.database.prepare("DELETE FROM notices WHERE session = ?").run(session);
      this.database.prepare("DELETE FROM watches WHERE session = ?").run(session);
    });
  }

  /** Null: it is over. */
  putOutages(outages: readonly (readonly [machine: string, sinceMs: number | null])[]): void {
    this.transact(() => {
      for (const [machine, sinceMs] of outages)
        if (sinceMs === null) this.#removeOutage.run(machine);
        else this.#putOutage.run(machine, sinceMs);
    });
  }

  putAnswers(answers: readonly AnswerRow[]): void {
    this.transact(() => {
      for (const answer of answers) this.#putAnswer.run(answer.hash, answer.expiresMs, JSON.stringify(answer));
    });
  }

  putShown(rows: readonly ShownQuestion[]): void {
    this.transact(() => {
      for (const row of rows) this.#putShown.run(shownKey(row), JSON.stringify(row));
    });
  }

  removeShown(keys: readonly string[]): void {
    this.transact(() => {
      for (const key of keys) this.#removeShown.run(key);
    });
  }

  /** Null: notices go to the channel again. */
  setDisabled(channel: string, reason: string | null): void {
    if (reason === null) this.database.prepare("DELETE FROM disabled WHERE channel = ?").run(channel);
    else this.database.prepare("INSERT OR REPLACE INTO disabled VALUES (?, ?)").run(channel, reason);
  }

  /** All of them. */
  putNews(all: readonly (readonly [news: string, sinceMs: number])[]): void {
    this.transact(() => {
      this.database.prepare("DELETE FROM news").run();
      for (const [news, sinceMs] of all) this.#putNews.run(news, sinceMs);
    });
  }

  #trim(nowMs: number): void {
    this.database.prepare("DELETE FROM notices WHERE state <> 'pending' AND changed_ms < ?").run(nowMs - KEPT_MS);
    this.database
      .prepare(
        `DELETE FROM notices WHERE state <> 'pending' AND id NOT IN (SELECT id FROM notices ORDER BY created_ms DESC LIMIT ${ROWS_MAX})`,
      )
      .run();
  }

  /** Of tables whose column `row` was written from values of this type. */
  #parsed<Row>(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.rows<{ row: string }>(sql, ...values).map(({ row }) => JSON.parse(row));
  }
}

function initialise(fresh: DatabaseSync): void {
  const version = Number(fresh.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > NOTIFY_VERSION) throw new Error("it was written by a newer version of Lectern");
  fresh.exec(notifySchemaSql);
  // Reads a page of each table, so that most damage shows now.
  for (const table of ["notices", "watches", "outages", "answers", "shown", "disabled", "news"])
    fresh.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  if (version !== NOTIFY_VERSION) fresh.exec(`PRAGMA user_version = ${NOTIFY_VERSION}`);
}
