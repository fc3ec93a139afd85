/** The views of all sessions: those that run are followed, those that ended are read to their end once. */
import { waits } from "../../core/waits.ts";
import type { AgentFile } from "../../core/agents/agent-file.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { ViewPool } from "../../live/view-pool.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";
import { within } from "../../timers/within.ts";
import { EntryViews } from "./entry-views.ts";
import { giveMemoryBack } from "../../live/give-back.ts";
import { KEPT_MAX, SPOKEN_ROLES } from "../sessions/last-words.ts";
import type { DaemonTimes } from "../times.ts";

/** More screens than these are held only while they are in use: each takes up to 2 MB. */
const HELD_MAX = 8;
/** Of a screen that is put away because too many are held; twice as long each time it comes back. */
const REST_MS = 5000;
/** Views whose memory is worth a collection of garbage; the start of a daemon is, too. */
const PUT_AWAY_MIN = 8;

export interface SessionViewsOptions {
  readonly onError: (error: unknown) => void;
  readonly times: Pick<DaemonTimes, "idleViewMs">;
  /** What the screens ask is reported to it. */
  readonly questions: QuestionList;
}

export type AnyChangeListener = (entry: SessionEntry, changes: readonly ViewChange[]) => void;

export class SessionViews implements AsyncDisposable {
  readonly #store: KeptViews;
  readonly #onError: (error: unknown) => void;
  readonly #pool = new ViewPool();
  readonly #open = new Map<SessionEntry, Promise<EntryViews>>();
  /** Those of `#open` that are open already. */
  readonly #ready = new WeakMap<Promise<EntryViews>, EntryViews>();
  /** Who is at the views of a session now: those of an ended one are let go with the last. */
  readonly #users = new Map<SessionEntry, number>();
  readonly #listeners = new Set<AnyChangeListener>();
  readonly #timer: NodeJS.Timeout;
  readonly #reliefTimer: NodeJS.Timeout;
  /** How long a view rests before it is put away early. */
  readonly #restMs = new WeakMap<EntryViews, number>();
  #putAwayViews = PUT_AWAY_MIN;
  #isRelieving = false;
  readonly #idleViewMs: number;
  readonly #questions: QuestionList;
  /** Users have agent files, which may have changed while no daemon ran. */
  #hasOwnAgents = false;
  #isSaving = false;
  #isClosed = false;

  constructor(store: KeptViews, { onError, questions, times: { idleViewMs } }: SessionViewsOptions) {
    this.#store = store;
    this.#onError = onError;
    this.#idleViewMs = idleViewMs;
    this.#questions = questions;
    this.#timer = setInterval(() => this.#tidy(), Math.min(waits.roundMs, idleViewMs)).unref();
    this.#reliefTimer = setInterval(() => this.#relieve(), REST_MS).unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes in the journals of open sessions that their views have not read. */
  get lagBytes(): number {
    let bytes = 0;
    for (const [entry, opening] of this.#open) {
      const read = this.#ready.get(opening)?.view.status.offset ?? 0;
      bytes += Math.max(0, entry.stored.end - read);
    }
    return bytes;
  }

  /** How often a screen was lost with its thread. */
  get lostScreens(): number {
    return this.#pool.lostScreens;
  }

  get store(): KeptViews {
    return this.#store;
  }

  /** Follows a session that runs; at its end its views are saved and closed. */
  follow(entry: SessionEntry, { isNew }: { readonly isNew: boolean }): void {
    void this.#viewsOf(entry, isNew);
    this.use(entry, async () => await entry.untilEnd()).catch((error: unknown) => {
      if (!this.#isClosed) this.#onError(error);
    });
  }

  /** Users' own agent files in place of those before: the screens of all sessions that run are read again by them. */
  async setAgents(files: readonly AgentFile[]): Promise<void> {
    this.#pool.setAgents(files);
    this.#hasOwnAgents = files.length > 0;
    for (const opening of this.#open.values()) {
      if (this.#isClosed) return;
      // A question brings a view back that was put away.
      await (await opening.catch(() => undefined))?.view.draft().catch(() => undefined);
    }
  }

  /** A session is about to start: what it asks its terminal first waits for no thread. */
  prepare(): void {
    this.#pool.prepare();
  }

  /** Uses the views of a session once they have seen all that is in its journal. */
  async use<T>(entry: SessionEntry, run: (views: EntryViews) => T | Promise<T>): Promise<T> {
    this.#users.set(entry, (this.#users.get(entry) ?? 0) + 1);
    try {
      const views = await this.#viewsOf(entry);
      await views.caughtUp();
      const result = await run(views);
      // It may have ended meanwhile: what is let go has seen everything.
      if (!entry.live && !this.#isClosed) await views.caughtUp();
      return result;
    } finally {
      await this.#release(entry);
    }
  }

  /** What is said of a session without waiting for anything. */
  async peek(entry: SessionEntry): Promise<EntryViews | undefined> {
    return await this.#open.get(entry);
  }

  /** What was said last in sessions whose views are not open. */
  async recall(find: (session: string) => SessionEntry | undefined): Promise<void> {
    for (const [session, change] of await this.#store.lastWords(SPOKEN_ROLES, KEPT_MAX)) {
      const entry = find(session);
      if (entry !== undefined && !this.#open.has(entry)) entry.keep(change);
    }
  }

  /** Reads the sessions that ended and whose views never saw their end: of an older version, or of a daemon that was killed. */
  async catchUp(entries: Iterable<SessionEntry>): Promise<void> {
    const offsets = await this.#store.checkpointOffsets();
    for (const entry of entries) {
      if (this.#isClosed) return;
      if (entry.live || (offsets.get(entry.id) ?? -1) >= entry.stored.end) continue;
      await this.use(entry, () => undefined).catch((error: unknown) => {
        if (!this.#isClosed) this.#onError(error);
      });
    }
  }

  /** The store has lost everything: reads all journals again. */
  async readAgain(entries: Iterable<SessionEntry>): Promise<void> {
    for (const opening of this.#open.values()) await (await opening.catch(() => undefined))?.reindex();
    await this.catchUp(entries);
  }

  subscribe(listener: AnyChangeListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async forget(entry: SessionEntry): Promise<void> {
    (await this.#open.get(entry)?.catch(() => undefined))?.closeEnded();
    this.#open.delete(entry);
    this.#users.delete(entry);
    await this.#store.forget(entry.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#reliefTimer);
    await within(waits.answerMs, this.#saveAll());
    this.#isClosed = true;
    for (const opening of this.#open.values()) (await opening.catch(() => undefined))?.close();
    await this.#pool[Symbol.asyncDispose]();
    await this.#store.close();
  }

  /** Opened at the first use. */
  #viewsOf(entry: SessionEntry, isNew = false): Promise<EntryViews> {
    const known = this.#open.get(entry);
    if (known !== undefined) return known;
    const { promise, resolve, reject } = Promise.withResolvers<EntryViews>();
    this.#open.set(entry, promise);
    EntryViews.open({
      entry,
      pool: this.#pool,
      store: this.#store,
      questions: this.#questions,
      onChanges: (of, changes) => {
        for (const listener of this.#listeners) this.#tell(listener, of, changes);
      },
      onError: this.#onError,
      isNew,
      mayBeginAway: !this.#hasOwnAgents,
    }).then(resolve, (error: unknown) => {
      this.#open.delete(entry);
      reject(error);
    });
    void promise.then(
      (views) => this.#ready.set(promise, views),
      () => undefined,
    );
    return promise;
  }

  async #release(entry: SessionEntry): Promise<void> {
    const users = (this.#users.get(entry) ?? 1) - 1;
    if (users > 0) this.#users.set(entry, users);
    else this.#users.delete(entry);
    const views = this.#open.get(entry);
    if (users > 0 || entry.live || this.#isClosed || views === undefined) return;
    this.#open.delete(entry);
    const opened = await views;
    try {
      await opened.save();
    } finally {
      opened.closeEnded();
    }
  }

  /** What one listener throws is not the next one's, nor the view's. */
  #tell(listener: AnyChangeListener, entry: SessionEntry, changes: readonly ViewChange[]): void {
    try {
      listener(entry, changes);
    } catch (error) {
      this.#onError(error);
    }
  }

  #tidy(): void {
    if (this.#isSaving) return;
    this.#isSaving = true;
    void this.#saveAll().finally(() => {
      this.#isSaving = false;
      this.#giveBack();
    });
  }

  async #saveAll(): Promise<void> {
    for (const opening of this.#open.values()) {
      // Those that could not be opened have said so to who asked.
      const views = await within(waits.partMs, opening).catch(() => undefined);
      if (views === undefined || this.#isClosed) continue;
      if (views.idleMs >= this.#idleViewMs) await this.#putAway(views);
      else await within(waits.partMs, views.save()).catch((error: unknown) => this.#report(error));
    }
  }

  /** Puts screens away that are not in use, where too many are held. */
  #relieve(): void {
    if (this.#isRelieving || this.#open.size <= HELD_MAX) return;
    this.#isRelieving = true;
    void this.#putAwayResting()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#isRelieving = false;
      });
  }

  async #putAwayResting(): Promise<void> {
    const held: EntryViews[] = [];
    for (const opening of this.#open.values()) {
      const views = await within(waits.partMs, opening).catch(() => undefined);
      if (views?.holdsScreen === true) held.push(views);
    }
    const resting = held.filter((views) => views.idleMs >= this.#restOf(views)).toSorted((a, b) => b.idleMs - a.idleMs);
    for (const views of resting.slice(0, Math.max(0, held.length - HELD_MAX))) {
      if (this.#isClosed) return;
      await this.#putAway(views);
      if (!views.holdsScreen) this.#restMs.set(views, Math.min(this.#idleViewMs, this.#restOf(views) * 2));
    }
  }

  async #putAway(views: EntryViews): Promise<void> {
    if (!views.holdsScreen) return;
    await within(waits.partMs, views.putAway()).catch((error: unknown) => this.#report(error));
    if (!views.holdsScreen) this.#putAwayViews += 1;
  }

  /** After a round of maintenance, so at most every 30 s: it holds this thread up. */
  #giveBack(): void {
    if (this.#putAwayViews < PUT_AWAY_MIN || this.#isClosed) return;
    this.#putAwayViews = 0;
    giveMemoryBack();
  }

  #report(error: unknown): void {
    if (!this.#isClosed) this.#onError(error);
  }

  #restOf(views: EntryViews): number {
    return this.#restMs.get(views) ?? REST_MS;
  }
}
