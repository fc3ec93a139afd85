/** The daemon's side of the view store. Writes are gathered for a moment; a read sees all that was put before it. */
import { extname } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { ViewCheckpoint } from "../../core/views/session-view.ts";
import { RequestThread } from "../request-thread.ts";
import {
  toRow,
  type ChangeQuery,
  type ChangeRow,
  type SearchHit,
  type SearchQuery,
  type ViewStoreRequest,
} from "./view-schema.ts";

/** A message that streams changes with every word: only its last state is written. */
const GATHER_MS = 200;
/** Longer searches are ended, and the thread with them. */
const SEARCH_MS_MAX = 2000;

function openThread(databaseFile: string, name: string): RequestThread<ViewStoreRequest> {
  const entry = new URL(`./view-store-worker${extname(import.meta.url)}`, import.meta.url);
  return new RequestThread({ entry, workerData: { databaseFile }, name });
}

export class ViewStore {
  readonly #databaseFile: string;
  readonly #thread: RequestThread<ViewStoreRequest>;
  readonly #onError: (error: unknown) => void;
  /** A connection of its own, so that a search that must be ended takes nothing with it. */
  #searching: RequestThread<ViewStoreRequest> | undefined;
  /** What was put and not sent, by session and key. */
  readonly #gathered = new Map<string, Map<string, ChangeRow>>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    databaseFile: string,
    thread: RequestThread<ViewStoreRequest>,
    onError: (error: unknown) => void,
  ) {
    this.#databaseFile = databaseFile;
    this.#thread = thread;
    this.#onError = onError;
  }

  static async open(databaseFile: string, onError: (error: unknown) => void): Promise<ViewStore> {
    const thread = openThread(databaseFile, "the store of views");
    await thread.ready();
    return new ViewStore(databaseFile, thread, onError);
  }

  /** Kept in memory for a moment, then written. */
  put(session: string, changes: readonly ViewChange[]): void {
    const rows = this.#gathered.get(session) ?? new Map<string, ChangeRow>();
    this.#gathered.set(session, rows);
    for (const change of changes) {
      const row = toRow(change);
      rows.set(`${row.kind} ${row.key}`, row);
    }
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  async list(query: ChangeQuery): Promise<ViewChange[]> {
    this.#flush();
    const changes = (await this.#thread.request({ type: "list", query })) as string[];
    return changes.map((text) => JSON.parse(text) as ViewChange);
  }

  /** Newest first. Throws `INVALID_INPUT` for words that are no query, `LIMIT_EXCEEDED` for one that takes too long. */
  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.#flush();
    // Written before it is looked for: requests are answered in order.
    await this.#thread.request({ type: "checkpoints" });
    // One that has died takes the next search down no more.
    if (this.#searching?.isEnded === true) this.#searching = undefined;
    this.#searching ??= openThread(this.#databaseFile, "the search");
    const searching = this.#searching;
    const tooLong = new LecternError(
      "LIMIT_EXCEEDED",
      `The search took longer than ${SEARCH_MS_MAX} ms: use more words`,
    );
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#searching = undefined;
        void searching.terminate();
        reject(tooLong);
      }, SEARCH_MS_MAX);
    });
    try {
      return (await Promise.race([searching.request({ type: "search", query }), deadline])) as SearchHit[];
    } catch (cause) {
      if (cause === tooLong || !/fts5|syntax|no such column|unterminated/i.test((cause as Error).message)) throw cause;
      const isOpen = query.words.split('"').length % 2 === 0;
      const next = isOpen ? "a quote is not closed" : "put words with signs into quotes";
      throw new LecternError("INVALID_INPUT", `Cannot search for ${query.words}: ${next}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  async putCheckpoint(session: string, checkpoint: ViewCheckpoint): Promise<void> {
    // What led to it is on disk before it.
    this.#flush();
    const text = JSON.stringify(checkpoint);
    await this.#thread.request({ type: "put-checkpoint", session, offset: checkpoint.offset, checkpoint: text });
  }

  async checkpoint(session: string): Promise<ViewCheckpoint | undefined> {
    const text = (await this.#thread.request({ type: "checkpoint", session })) as string | null;
    return text === null ? undefined : (JSON.parse(text) as ViewCheckpoint);
  }

  /** How far the views of each session have come. */
  async checkpointOffsets(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#thread.request({ type: "checkpoints" })) as [string, number][]);
  }

  /** The last messages of these roles that say something, in their order, and the usage, of each session that was read. */
  async lastWords(
    roles: readonly string[],
    count: number,
  ): Promise<(readonly [session: string, change: ViewChange])[]> {
    this.#flush();
    const pairs = (await this.#thread.request({ type: "last-words", roles, count })) as [string, string][];
    return pairs.map(([session, text]) => [session, JSON.parse(text) as ViewChange]);
  }

  /** Removes all that the views of a session told. */
  async forget(session: string): Promise<void> {
    this.#gathered.delete(session);
    await this.#thread.request({ type: "forget", session });
  }

  async close(): Promise<void> {
    this.#flush();
    await this.#searching?.terminate();
    await this.#thread.close({ type: "close" });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [session, rows] of this.#gathered)
      this.#thread.request({ type: "put", session, rows: [...rows.values()] }).catch(this.#onError);
    this.#gathered.clear();
  }
}
