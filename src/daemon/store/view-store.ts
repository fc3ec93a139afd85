/** What the views reported, as the daemon writes and reads it. Writes are gathered for a moment; a read sees all that was put before it. */
import { LecternError } from "../../core/errors.ts";
import type { UsageHour } from "../../core/usage/usage-hours.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { CHECKPOINT_VERSION } from "../../core/views/checkpoint-version.ts";
import type { ViewCheckpoint } from "../../core/views/session-view.ts";
import { waits } from "../../core/waits.ts";
import type { DaemonProblems } from "../problems.ts";
import { within } from "../../timers/within.ts";
import type { DatabaseOpening } from "./database-part.ts";
import type { Remote } from "./served-thread.ts";
import { isSqliteDamage, isSqliteUnwritable, reasonOf } from "./sqlite-errors.ts";
import { StoreThread } from "./store-thread.ts";
import type { ViewFile, ViewRows } from "./view-rows.ts";
import {
  isMovedToEnd,
  toRows,
  type ChangeQuery,
  type ChangeRow,
  type SearchHit,
  type SearchQuery,
  type ThingQuery,
} from "./view-schema.ts";

/** A message that streams changes with every word: only its last state is written. */
const GATHER_MS = 200;

/** Of the daemon, in its list of problems. */
const PART = "views";
/** Rows that wait because the disk is full; what is beyond is read off the journal again by the next daemon. */
const REFUSED_ROWS_MAX = 20_000;

/** A connection of its own, in a thread of its own, so that a search that must be ended takes nothing with it. */
interface Searching {
  readonly thread: StoreThread;
  readonly rows: Promise<Remote<ViewRows>>;
}

function startSearching(databaseFile: string): Searching {
  const thread = new StoreThread();
  const rows = thread.open("views", { databaseFile }, { name: "the search" });
  // The next search starts another one.
  rows.catch(() => void thread[Symbol.asyncDispose]());
  return { thread, rows };
}

/** By kind and key. The number rises with each row that is put: of two rows for one thing the higher one counts. */
type GatheredRows = Map<string, { readonly row: ChangeRow; readonly number: number }>;

/** Rows of one session that the thread has not answered yet. */
interface Sending {
  /** Settles when all rows sent so far are written or refused. */
  answered: Promise<unknown>;
  /** A checkpoint that waits for these rows must not be written: some were refused, or the session was forgotten. */
  isVoid: boolean;
}

export interface ViewStoreOptions {
  readonly databaseFile: string;
  readonly thread: StoreThread;
  readonly onError: (error: unknown) => void;
  readonly problems: DaemonProblems;
}

/** What is done with the changes of views, wherever they are kept. */
export type KeptViews = Pick<
  ViewStore,
  | "put"
  | "changes"
  | "list"
  | "search"
  | "putCheckpoint"
  | "checkpoint"
  | "checkpointOffsets"
  | "lastWords"
  | "usageHours"
  | "forget"
  | "close"
>;

export class ViewStore {
  readonly #databaseFile: string;
  readonly #rows: Remote<ViewRows>;
  readonly #thread: StoreThread;
  readonly #onError: (error: unknown) => void;
  readonly #problems: DaemonProblems;
  #searching: Searching | undefined;
  /** What was put and not sent, by session and key. */
  readonly #gathered = new Map<string, GatheredRows>();
  readonly #sending = new Map<string, Sending>();
  /** What the disk refused, in the same way. */
  readonly #refused = new Map<string, GatheredRows>();
  /** Of these rows were dropped: a checkpoint would say that they are there. */
  readonly #incomplete = new Set<string>();
  /** Sessions that were removed while the disk was full: never more than there were sessions. */
  readonly #unforgotten = new Set<string>();
  #nextNumber = 0;
  #timer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #remaking: Promise<void> | undefined;
  /** Why the contents are in memory, where a second connection cannot read them; null where they are not. */
  #restriction: string | null = null;
  #isClosed = false;
  /** Called when the file was damaged and has begun again: it is empty now. */
  onRemade: (() => void) | undefined;

  private constructor(rows: Remote<ViewRows>, { databaseFile, onError, problems, thread }: ViewStoreOptions) {
    this.#databaseFile = databaseFile;
    this.#rows = rows;
    this.#thread = thread;
    this.#onError = onError;
    this.#problems = problems;
  }

  static async open(options: ViewStoreOptions): Promise<ViewStore> {
    const { databaseFile, thread } = options;
    const rows = await openRows(thread, { databaseFile });
    const store = new ViewStore(rows, options);
    store.#report(await rows.opening());
    return store;
  }

  #report({ damage, restriction }: DatabaseOpening): void {
    this.#restriction = restriction;
    if (damage !== null)
      this.#problems.note(`"${this.#databaseFile}" was damaged (${damage}): it is being rebuilt from the journals`);
    if (restriction === null) return;
    const next = 'make room, then run "lectern down && lectern up": the sessions go on';
    this.#problems.set(PART, `Cannot write "${this.#databaseFile}": ${restriction}; search is not available; ${next}`);
  }

  /** Kept in memory for a moment, then written. */
  put(session: string, changes: readonly ViewChange[]): void {
    const rows: GatheredRows = this.#gathered.get(session) ?? new Map();
    this.#gathered.set(session, rows);
    for (const change of changes) {
      for (const row of toRows(change)) {
        const key = `${row.kind} ${row.key}`;
        if (isMovedToEnd(row)) rows.delete(key);
        rows.set(key, { row, number: this.#nextNumber++ });
      }
    }
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  async changes(query: ChangeQuery): Promise<ViewChange[]> {
    this.#flush();
    return (await this.#use((rows) => rows.changes(query))).map(toChange);
  }

  async list(query: ThingQuery): Promise<ViewChange[]> {
    this.#flush();
    return (await this.#use((rows) => rows.list(query))).map(toChange);
  }

  /** Newest first. Throws `INVALID_INPUT` for words that are no query, `LIMIT_EXCEEDED` for one that takes too long. */
  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.#flush();
    // Written before it is looked for: requests are answered in order.
    await this.#use((rows) => rows.checkpointOffsets());
    if (this.#restriction !== null) {
      const next = 'make room on the disk, then run "lectern down && lectern up"';
      throw new LecternError(
        "NOT_AVAILABLE",
        `Cannot search while the views are in memory (${this.#restriction}): ${next}`,
      );
    }
    // One that has died takes the next search down no more.
    if (this.#searching?.thread.isEnded === true) this.#searching = undefined;
    const { rows, thread } = (this.#searching ??= startSearching(this.#databaseFile));
    try {
      // A busy machine may need seconds to start a thread: they do not count.
      const opened = await rows;
      // A longer search is ended, and the thread with it.
      const hits = await within(waits.partMs, opened.search(query));
      if (hits !== undefined) return hits;
      this.#searching = undefined;
      void thread[Symbol.asyncDispose]();
      throw new LecternError("LIMIT_EXCEEDED", `The search took longer than ${waits.partMs} ms: use more words`);
    } catch (cause) {
      if (isSqliteDamage(cause)) {
        await this.#remake();
        throw new LecternError("NOT_AVAILABLE", "Cannot search now: the index was damaged and is being rebuilt", {
          cause,
        });
      }
      if (!/fts5|syntax|no such column|unterminated|special query/i.test((cause as Error).message)) throw cause;
      const isOpen = query.words.split('"').length % 2 === 0;
      const next = isOpen ? "a quote is not closed" : "put words with signs into quotes";
      throw new LecternError("INVALID_INPUT", `Cannot search for ${query.words}: ${next}`, { cause });
    }
  }

  /** Not written if any row that led to it is not on disk: the next daemon would not read that part of the journal again. */
  async putCheckpoint(session: string, checkpoint: ViewCheckpoint): Promise<void> {
    this.#flush();
    if (this.#refused.has(session) || this.#incomplete.has(session)) return;
    const sending = this.#sending.get(session);
    await sending?.answered;
    if (sending?.isVoid === true) return;
    const text = JSON.stringify(checkpoint);
    const { offset } = checkpoint;
    await this.#use((rows) => rows.putCheckpoint(session, offset, text)).catch((error: unknown) => {
      // The one before stands: the next daemon reads more of the journal again.
      if (!isSqliteUnwritable(error)) throw error;
    });
  }

  /** Undefined without one, and for one of another version: the views are then made again from the journal. */
  async checkpoint(session: string): Promise<ViewCheckpoint | undefined> {
    const text = await this.#use((rows) => rows.checkpoint(session));
    const checkpoint: ViewCheckpoint | undefined = text === undefined ? undefined : JSON.parse(text);
    return checkpoint?.version === CHECKPOINT_VERSION ? checkpoint : undefined;
  }

  /** How far the views of each session have come. */
  async checkpointOffsets(): Promise<ReadonlyMap<string, number>> {
    return await this.#use((rows) => rows.checkpointOffsets());
  }

  /** The last messages of these roles that say something, in their order, and the usage, of each session that was read. */
  async lastWords(
    roles: readonly string[],
    count: number,
  ): Promise<(readonly [session: string, change: ViewChange])[]> {
    this.#flush();
    const pairs = await this.#use((rows) => rows.lastWords(roles, count));
    return pairs.map(([session, text]) => [session, toChange(text)]);
  }

  /** What sessions used by the hour, those that ended included: at most `hoursMax`, the newest of them. */
  async usageHours(sinceUs: number, hoursMax: number): Promise<(readonly [session: string, hour: UsageHour])[]> {
    this.#flush();
    const pairs = await this.#use((rows) => rows.usageHours(sinceUs, hoursMax));
    return pairs.map(([session, text]) => [session, JSON.parse(text)]);
  }

  /** Removes all that the views of a session told; on a full disk later. */
  async forget(session: string): Promise<void> {
    this.#gathered.delete(session);
    this.#refused.delete(session);
    this.#incomplete.delete(session);
    const sending = this.#sending.get(session);
    if (sending !== undefined) sending.isVoid = true;
    this.#sending.delete(session);
    try {
      await this.#use((rows) => rows.forget(session));
      // What was refused may have been of this session only.
      this.#reportRefused(null);
    } catch (error) {
      if (!isSqliteUnwritable(error)) throw error;
      this.#unforgotten.add(session);
      this.#retryLater();
    }
  }

  async close(): Promise<void> {
    this.#flush();
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    await this.#searching?.thread[Symbol.asyncDispose]();
    await this.#rows.close();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [session, rows] of this.#gathered) this.#send(session, rows);
    this.#gathered.clear();
  }

  #send(session: string, gathered: GatheredRows): void {
    const sending = this.#sending.get(session) ?? { answered: Promise.resolve(), isVoid: false };
    this.#sending.set(session, sending);
    const put = Array.from(gathered.values(), ({ row }) => row);
    const written = this.#use((rows) => rows.put(session, put))
      .then(() => this.#reportWritten(session, gathered))
      .catch((error: unknown) => {
        sending.isVoid = true;
        if (!isSqliteUnwritable(error)) return this.#onError(error);
        this.#refuse(session, gathered);
        this.#reportRefused(reasonOf(error));
      });
    const answered = Promise.all([sending.answered, written]).finally(() => {
      if (sending.answered === answered && this.#sending.get(session) === sending) this.#sending.delete(session);
    });
    sending.answered = answered;
  }

  /** Keeps rows for the next attempt. */
  #refuse(session: string, gathered: GatheredRows): void {
    const rows: GatheredRows = this.#refused.get(session) ?? new Map();
    this.#refused.set(session, rows);
    for (const [key, kept] of gathered) if ((rows.get(key)?.number ?? -1) < kept.number) rows.set(key, kept);
    const count = this.#refused.values().reduce((sum, { size }) => sum + size, 0);
    if (count > REFUSED_ROWS_MAX) {
      this.#refused.delete(session);
      this.#incomplete.add(session);
    }
    this.#retryLater();
  }

  #retryLater(): void {
    if (!this.#isClosed) this.#retryTimer ??= setTimeout(() => this.#retry(), waits.retryMs).unref();
  }

  /** What was refused before is not written over what is newer. */
  #reportWritten(session: string, written: GatheredRows): void {
    const rows = this.#refused.get(session);
    for (const [key, { number }] of written) if ((rows?.get(key)?.number ?? number) < number) rows?.delete(key);
    this.#reportRefused(null);
  }

  #retry(): void {
    this.#retryTimer = undefined;
    const forgotten = [...this.#unforgotten];
    this.#unforgotten.clear();
    for (const session of forgotten) this.forget(session).catch(this.#onError);
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const [session, rows] of refused) this.#send(session, rows);
  }

  /** One that cannot be searched, or that has dropped rows, is only whole in the next daemon. */
  #reportRefused(reason: string | null): void {
    if (this.#restriction !== null) return;
    if (reason !== null) {
      const problem = `Cannot write "${this.#databaseFile}": ${reason}; messages and events are kept in memory until there is space`;
      this.#problems.set(PART, problem);
    } else if (this.#incomplete.size > 0) {
      const problem = `Messages and events of ${this.#incomplete.size} sessions are incomplete: the disk was full for too long`;
      this.#problems.set(PART, `${problem}; run "lectern down && lectern up", the sessions go on`);
    } else if (this.#refused.size === 0) this.#problems.set(PART, null);
  }

  /** A file that turns out to be damaged is removed and begun again, once for all who find that out. */
  async #use<Result>(call: (rows: Remote<ViewRows>) => Promise<Result>): Promise<Result> {
    try {
      return await call(this.#rows);
    } catch (error) {
      if (!isSqliteDamage(error) || this.#isClosed) throw error;
      await this.#remake();
      return await call(this.#rows);
    }
  }

  /** What was asked before is answered with the damage, while it is being remade; what is asked after it, with the new file. */
  async #remake(): Promise<void> {
    this.#remaking ??= this.#replaceFile().finally(() => (this.#remaking = undefined));
    await this.#remaking;
  }

  async #replaceFile(): Promise<void> {
    await this.#searching?.thread[Symbol.asyncDispose]();
    this.#searching = undefined;
    const rows = await openRows(this.#thread, { databaseFile: this.#databaseFile, isDamaged: true });
    this.#report(await rows.opening());
    this.#problems.note(`"${this.#databaseFile}" was damaged: it is being rebuilt from the journals`);
    this.onRemade?.();
  }
}

const openRows = (thread: StoreThread, file: ViewFile): Promise<Remote<ViewRows>> =>
  thread.open("views", file, { name: "the store of views" });

const toChange = (text: string): ViewChange => JSON.parse(text);
