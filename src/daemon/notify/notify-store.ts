/** The daemon's side of `notify.db`: requests to the thread that owns it. */
import { extname } from "node:path";
import type { WatchState } from "../../core/notify/session-watch.ts";
import type { DaemonProblems } from "../problems.ts";
import { RequestThread } from "../store/request-thread.ts";
import type { StoreOpening } from "../store/schema.ts";
import type {
  AnswerRow,
  NoticeRow,
  NoticeState,
  NotifyContents,
  NotifyRequest,
  ShownQuestion,
} from "./notify-schema.ts";

export class NotifyStore implements AsyncDisposable {
  readonly #thread: RequestThread<NotifyRequest>;

  private constructor(thread: RequestThread<NotifyRequest>) {
    this.#thread = thread;
  }

  /** On a disk that is full the contents are in memory only, which is a problem of the daemon. */
  static async open(databaseFile: string, problems: DaemonProblems): Promise<NotifyStore> {
    const entry = new URL(`./notify-store-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new RequestThread<NotifyRequest>({
      entry,
      workerData: { databaseFile },
      name: "the outbox of notices",
    });
    const { damage, restriction } = (await thread.ready()) as StoreOpening;
    if (damage !== null)
      problems.note(
        `"${databaseFile}" was damaged (${damage}) and is kept as "${databaseFile}.damaged": the outbox is empty`,
      );
    if (restriction !== null) {
      const next = "a notice may be sent twice after a restart; make room, then restart the daemon";
      problems.set("outbox", `Cannot write "${databaseFile}": ${restriction}; ${next}`);
    }
    return new NotifyStore(thread);
  }

  async load(nowMs: number): Promise<NotifyContents> {
    return (await this.#thread.request({ type: "load", nowMs })) as NotifyContents;
  }

  /** The ids of those that are new. */
  async offer(rows: readonly NoticeRow[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#thread.request({ type: "offer", rows })) as string[]);
  }

  async put(row: NoticeRow, nowMs: number): Promise<void> {
    await this.#thread.request({ type: "put", rows: [row], nowMs });
  }

  async list(states: readonly NoticeState[], limit: number): Promise<NoticeRow[]> {
    return (await this.#thread.request({ type: "list", states, limit })) as NoticeRow[];
  }

  async find(id: string): Promise<NoticeRow | undefined> {
    return ((await this.#thread.request({ type: "find", id })) as NoticeRow | null) ?? undefined;
  }

  /** How many there were. */
  async remove(ids: readonly string[]): Promise<number> {
    return (await this.#thread.request({ type: "remove", ids })) as number;
  }

  async putWatches(watches: readonly (readonly [session: string, state: WatchState])[]): Promise<void> {
    await this.#thread.request({ type: "put-watches", watches });
  }

  async forget(session: string): Promise<void> {
    await this.#thread.request({ type: "forget", session });
  }

  /** Null: it is over. */
  async putOutages(outages: readonly (readonly [machine: string, sinceMs: number | null])[]): Promise<void> {
    await this.#thread.request({ type: "put-outages", outages });
  }

  async putAnswers(answers: readonly AnswerRow[]): Promise<void> {
    await this.#thread.request({ type: "put-answers", answers });
  }

  async putShown(rows: readonly ShownQuestion[]): Promise<void> {
    await this.#thread.request({ type: "put-shown", rows });
  }

  async removeShown(keys: readonly string[]): Promise<void> {
    await this.#thread.request({ type: "remove-shown", keys });
  }

  async setDisabled(channel: string, reason: string | null): Promise<void> {
    await this.#thread.request({ type: "set-disabled", channel, reason });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close({ type: "close" });
  }
}
