/** The views of one session: what they say now, and who wants to hear of changes. */
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { answerKey, answerLine } from "../../core/acp/acp-answer.ts";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import type { ChangeKind, ViewChange } from "../../core/views/change.ts";
import type { ViewCheckpoint } from "../../core/views/session-view.ts";
import type { LiveView } from "../../live/live-view.ts";
import type { ViewPool } from "../../live/view-pool.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";
import { approvalDigest } from "../approvals/approval-digest.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import { within } from "../../timers/within.ts";

/** What is still to be read then has no processor, or hangs: who asks gets what is known, and it says at which offset. */
const CATCH_UP_MS_MAX = waits.arrivalMs;
/** For the host to say how far the journal is; what it has written before is known. */
const REFRESH_MS_MAX = 1000;

/** Statuses, and questions, of before. */
const TOLD_MAX = 100;

/** Of what was said before, for the last words. */
const SAID_MAX = 50;

export type ChangeListener = (changes: readonly ViewChange[]) => void;

export interface EntryViewsOptions {
  readonly entry: SessionEntry;
  readonly pool: ViewPool;
  readonly store: KeptViews;
  readonly questions: QuestionList;
  /** Told of each change, with those of all sessions. */
  readonly onChanges: (entry: SessionEntry, changes: readonly ViewChange[]) => void;
  readonly onError: (error: unknown) => void;
  /** Nobody has seen the session before: what its program has asked already is answered too. */
  readonly isNew: boolean;
  /** What was read before is as the rules of now read it: see `LiveViewOptions`. */
  readonly mayBeginAway: boolean;
}

export class EntryViews {
  readonly #options: EntryViewsOptions;
  readonly #listeners = new Set<ChangeListener>();
  #view: LiveView | undefined;
  #watch: Disposable | undefined;
  /** Offset of the last checkpoint that is on disk. */
  #savedTo = -1;
  #isClosed = false;

  private constructor(options: EntryViewsOptions) {
    this.#options = options;
  }

  /** Goes on from the checkpoint on disk, else from the beginning of the journal. */
  static async open(options: EntryViewsOptions): Promise<EntryViews> {
    const { entry, store } = options;
    const views = new EntryViews(options);
    const last = (kinds: readonly ChangeKind[], count: number): Promise<ViewChange[]> =>
      store.list({ session: entry.id, from: 0, kinds, last: count, changesMax: count });
    const [checkpoint, statuses, told, said, conversation] = await Promise.all([
      store.checkpoint(entry.id),
      last(["status"], TOLD_MAX),
      last(["approval"], TOLD_MAX),
      last(["message", "usage"], SAID_MAX),
      last(["conversation"], 1),
    ]);
    views.#note(statuses);
    views.#note(told);
    views.#note(said);
    views.#note(conversation);
    await views.#start(checkpoint);
    return views;
  }

  /** Those that wait for an answer, oldest first. */
  get openApprovals(): SessionApproval[] {
    return this.#options.questions.onScreen(this.#options.entry.id);
  }

  get view(): LiveView {
    if (this.#view === undefined) throw new TypeError("The views were not started");
    return this.#view;
  }

  subscribe(listener: ChangeListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Everything that is in the journal now has been looked at. A flood that does not end is not waited for. */
  async caughtUp(): Promise<void> {
    if (!this.#options.entry.live) return await this.complete();
    if (this.view.status.isFlooded) return;
    await within(REFRESH_MS_MAX, this.#options.entry.refresh());
    this.view.wake();
    await within(CATCH_UP_MS_MAX, this.view.readSoFar());
  }

  /** Like `caughtUp`, however long it takes. */
  async complete(): Promise<void> {
    await this.#options.entry.refresh();
    this.view.wake();
    await this.view.caughtUp();
  }

  /** How long nothing was drawn and nobody asked. */
  get idleMs(): number {
    return this.view.idleMs;
  }

  /** It takes the memory of a screen. */
  get holdsScreen(): boolean {
    return !this.view.isAway;
  }

  /** So that the next daemon does not begin anew. */
  async save(): Promise<void> {
    const { state, offset } = this.view.status;
    if (state === "live" && offset !== this.#savedTo) await this.#keep(await this.view.checkpoint());
  }

  /** Saves the view and lets go of its emulator; it comes back by itself when there is more to draw or somebody asks. */
  async putAway(): Promise<void> {
    await this.view.putAway(async (checkpoint) => await this.#keep(checkpoint));
  }

  /** Forgets what was told and reads the journal again from its start. */
  async reindex(): Promise<void> {
    const { store, entry } = this.#options;
    this.#stop();
    entry.forgetViews();
    this.#withdraw();
    await store.forget(entry.id);
    await this.#start(undefined);
    await this.complete();
    await this.save();
  }

  /** For good. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  /**
   * For good, of a session that has ended or was removed. What it asks on its screen has gone: a screen that broke, or that had no
   * time to see the end, did not say so.
   */
  closeEnded(): void {
    this.close();
    this.#withdraw();
  }

  /** The screen asks nothing any more. */
  #withdraw(): void {
    const { entry, questions } = this.#options;
    const at = { offset: this.view.status.offset, timeUs: Date.now() * 1000 };
    const shown = [...questions.onScreen(entry.id), ...questions.hints(entry.id)];
    const gone = shown.map(({ session: _, ...approval }): ViewChange => ({
      ...at,
      kind: "approval",
      approval: { ...approval, state: "gone" },
    }));
    this.#tell(gone);
  }

  #stop(): void {
    this.#watch?.[Symbol.dispose]();
    this.#view?.close();
  }

  async #keep(checkpoint: ViewCheckpoint): Promise<void> {
    // It was removed, or is read anew, and what was told of it is forgotten.
    if (this.#isClosed || this.view.status.state === "closed") return;
    await this.#options.store.putCheckpoint(this.#options.entry.id, checkpoint);
    this.#savedTo = checkpoint.offset;
  }

  async #start(checkpoint: ViewCheckpoint | undefined): Promise<void> {
    const { entry, pool, isNew, mayBeginAway, store } = this.#options;
    const feed = await entry.feed();
    const markNonce = await entry.markNonce();
    if (this.#isClosed) throw new LecternError("NOT_AVAILABLE", "Cannot read the session: it was removed");
    const usable = checkpoint !== undefined && checkpoint.offset <= feed.end ? checkpoint : undefined;
    this.#savedTo = usable?.offset ?? -1;
    this.#view = pool.open({
      source: {
        read: async (from, bytesMax) => (await entry.reading(() => feed.reader.read(from, { bytesMax }))).records,
        get end() {
          return feed.end;
        },
        refresh: () => {
          if (entry.live) feed.refresh();
        },
        directory: entry.directory,
      },
      ...entry.size,
      markNonce,
      agent: entry.stored.agent,
      events: {
        ...entry.tag,
        trustText: entry.stored.options.trustText,
        summaries: entry.stored.options.summaries,
      },
      ...(usable === undefined ? { from: feed.start } : { checkpoint: usable }),
      mayBeginAway,
      restore: async () => await store.checkpoint(entry.id),
      answer: true,
      answerFrom: isNew ? feed.start : feed.end,
      onReply: (bytes, asked) => void entry.answer(bytes, asked).catch(this.#options.onError),
      onChanges: (changes) => this.#changed(changes),
    });
    this.#watch = feed.watch(() => this.#view?.wake());
    await entry.refresh();
  }

  #changed(read: readonly ViewChange[]): void {
    const { store, entry } = this.#options;
    const changes = read.map((change) => withDigest(change, entry.id));
    store.put(entry.id, changes);
    this.#tell(changes);
  }

  #tell(changes: readonly ViewChange[]): void {
    const { entry, onChanges } = this.#options;
    this.#note(changes);
    for (const listener of this.#listeners) listener(changes);
    onChanges(entry, changes);
  }

  #note(changes: readonly ViewChange[]): void {
    for (const change of changes) {
      this.#options.entry.keep(change);
      if (change.kind === "approval") this.#question(change.approval);
    }
  }

  /** A session that has ended asks nothing, whatever its journal shows. */
  #question(approval: Approval): void {
    const { entry, questions } = this.#options;
    const isStanding = approval.state === "open" || approval.state === "hint";
    if (approval.source === "protocol") return this.#protocolQuestion(approval);
    if (approval.source === "screen" && (entry.live || !isStanding)) questions.report(entry.id, approval);
  }

  /** Its answer is a message: to a program on pipes, where the host writes the first one, or to the server of the program. */
  #protocolQuestion(approval: Approval): void {
    const { entry, questions, onError } = this.#options;
    const { id, request } = approval;
    if (approval.state !== "open" || request === undefined || !entry.live) return void questions.close(entry.id, id);
    const answer = async (option: ApprovalOption, by: string): Promise<void> => {
      await entry.mark({ type: "approval-answer", approval: id, option: option.id, by });
      if (entry.answerServer !== undefined) await entry.answerServer(request, option.id);
      else await entry.speak(answerLine(request, option.id), answerKey(request));
    };
    try {
      questions.open({ session: entry.id, approval, answer });
    } catch (error) {
      onError(error);
    }
  }
}

function withDigest(change: ViewChange, session: string): ViewChange {
  if (change.kind !== "approval") return change;
  const { approval } = change;
  return { ...change, approval: { ...approval, digest: approvalDigest(approval, { session }) } };
}
