/**
 * What each device shows, so that a question is taken off when it has ended, also if an earlier daemon has sent it. Whether it has ended is
 * read from the list of questions.
 *
 * Order law: a row is on disk before its question is sent, and is removed after the message that takes it off. A daemon that is killed between
 * takes off again at most what has gone already.
 */
import { createHash } from "node:crypto";
import type { Approval } from "../../../../core/dialogs/approval.ts";
import type { OutgoingNotice } from "../../core/notice.ts";
import type { QuestionList } from "../../../../daemon/approvals/question-list.ts";
import type { Channel } from "../channels/channel.ts";
import { shownKey, type NoticeRow, type ShownQuestion } from "../../../../daemon/store/notify-schema.ts";
import type { NotifyStore } from "../notify-store.ts";
import type { AttemptResult } from "../outbox.ts";

/** Questions on devices whose end is still to be reported; beyond, the oldest stay until somebody presses them. */
const SHOWN_MAX = 200;
/** Former names of devices; a notice is on its way for seconds. */
const RENAMED_MAX = 100;
/** For the message that takes a question off a device. One that fails is sent again by the next daemon. */
const TAKE_OFF_MS_MAX = 10_000;

export interface DeviceQuestionsOptions {
  readonly store: Pick<NotifyStore, "putShown" | "removeShown">;
  readonly channelNamed: (name: string) => Promise<Channel | undefined>;
  readonly questions: Pick<QuestionList, "current" | "find">;
  readonly onError: (error: unknown) => void;
}

interface Shown extends ShownQuestion {
  /** What takes it off must not overtake it. */
  readonly isLeaving: boolean;
}

export class DeviceQuestions implements AsyncDisposable {
  readonly #options: DeviceQuestionsOptions;
  /** By key, the oldest first. */
  readonly #shown = new Map<string, Shown>();
  readonly #running = new Set<Promise<void>>();
  /** By place: a newer question there waits for the message that takes the one before off. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Names that devices had while a notice may have been on its way to them, with those that came after. */
  readonly #renamed = new Map<string, string>();
  readonly #closing = new AbortController();

  constructor(options: DeviceQuestionsOptions, rows: readonly ShownQuestion[]) {
    this.#options = options;
    for (const row of rows) this.#shown.set(shownKey(row), { ...row, isLeaving: false });
    this.#trim();
  }

  /** A notice goes out. Durable when it resolves. */
  async sending({ name, takeOff }: Channel, { question, session, title }: OutgoingNotice): Promise<void> {
    if (takeOff === undefined || question === null || session === null) return;
    const links = question.options.flatMap(({ answerUrl }) => (answerUrl === null ? [] : [hashOf(answerUrl)]));
    await this.#leaving.get(`${name} ${session.id}`);
    const channel = this.#nameNow(name);
    const row: ShownQuestion = { channel, session: session.id, question: question.id, title, links };
    this.#shown.delete(shownKey(row));
    this.#shown.set(shownKey(row), { ...row, isLeaving: true });
    await this.#options.store.putShown([row]);
    this.#trim();
  }

  /** What came of it. What is withdrawn may have been sent by a daemon that was killed before it knew. */
  settled({ channel: sentTo, notice, session }: NoticeRow, result: AttemptResult): void {
    if (notice.question === null || session === null) return;
    const channel = this.#nameNow(sentTo);
    const shown = this.#shown.get(shownKey({ channel, session, question: notice.question.id }));
    if (shown?.isLeaving !== true) return;
    if (result === "sent") {
      this.#shown.set(shownKey(shown), { ...shown, isLeaving: false });
      // It may have been answered while this was on its way.
      this.check(session);
    } else void this.#run(async () => await this.#drop([shown]));
  }

  /** Takes off what has ended, of one session or of all. */
  check(session?: string): void {
    for (const row of this.#shown.values()) {
      if (row.isLeaving || (session !== undefined && row.session !== session)) continue;
      if (this.#state(row) === undefined) void this.#run(async () => await this.#learn(row));
      else this.#takeOffEnded(row);
    }
  }

  #state({ question, session }: Shown): Approval["state"] | undefined {
    return this.#options.questions.find(session, question)?.state;
  }

  #takeOffEnded(row: Shown): void {
    const state = this.#state(row);
    if (state !== "open" && state !== "hint" && this.#shown.get(shownKey(row)) === row) this.#takeOff(row);
  }

  /** The list does not have it: it ended long ago, or what an earlier daemon has sent is still to be read. */
  async #learn(row: Shown): Promise<void> {
    await this.#options.questions.current(row.session);
    if (!this.#closing.signal.aborted) this.#takeOffEnded(row);
  }

  /** An answer link is used. The device that it was sent to shows what became of it, which is not to be taken off. */
  async pressed(token: string): Promise<void> {
    const hash = hashOf(token);
    await this.#drop([...this.#shown.values()].filter(({ links }) => links.includes(hash)));
  }

  /** A device has another name, also for what is on its way to it. */
  async moved(from: string, to: string): Promise<void> {
    this.#renamed.delete(to);
    this.#renamed.set(from, to);
    for (const [oldest] of [...this.#renamed].slice(0, Math.max(0, this.#renamed.size - RENAMED_MAX)))
      this.#renamed.delete(oldest);
    const rows = [...this.#shown.values()].filter(({ channel }) => channel === from);
    const moved = rows.map((row) => ({ ...row, channel: to }));
    for (const row of moved) this.#shown.set(shownKey(row), row);
    await this.#options.store.putShown(moved.map(({ isLeaving: _, ...row }) => row));
    await this.#drop(rows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("the daemon is shutting down"));
    await Promise.all(this.#running);
  }

  /** A device shows one question of a session: a newer one has taken the place of this one. */
  #takeOff(row: Shown): void {
    const { channel: name, session } = row;
    this.#shown.delete(shownKey(row));
    const isReplaced = [...this.#shown.values()].some((other) => other.channel === name && other.session === session);
    if (isReplaced) return void this.#run(async () => await this.#drop([row]));
    const place = `${name} ${session}`;
    const leaving = this.#run(async () => {
      const channel = await this.#options.channelNamed(name);
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TAKE_OFF_MS_MAX)]);
      const outcome = await channel?.takeOff?.(row, signal);
      if (outcome?.type !== "failed") await this.#drop([row]);
    }).finally(() => {
      if (this.#leaving.get(place) === leaving) this.#leaving.delete(place);
    });
    this.#leaving.set(place, leaving);
  }

  #nameNow(name: string): string {
    const next = this.#renamed.get(name);
    return next === undefined ? name : this.#nameNow(next);
  }

  async #drop(rows: readonly ShownQuestion[]): Promise<void> {
    if (rows.length === 0) return;
    const keys = rows.map((row) => shownKey(row));
    for (const key of keys) this.#shown.delete(key);
    await this.#options.store.removeShown(keys);
  }

  #trim(): void {
    const oldest = [...this.#shown.values()].slice(0, Math.max(0, this.#shown.size - SHOWN_MAX));
    void this.#run(async () => await this.#drop(oldest));
  }

  #run(task: () => Promise<void>): Promise<void> {
    const running = task()
      .catch(this.#options.onError)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}

/** Of the token at the end of a link: the token itself is kept nowhere. */
const hashOf = (link: string): string =>
  createHash("sha256")
    .update(link.slice(link.lastIndexOf("/") + 1))
    .digest("hex");
