/**
 * Brings notices to their channels: at least once, one at a time for each channel, again after a failure.
 *
 * Order law: a row is on disk before its first attempt, and its result is on disk before the next row of its channel. So a daemon that is
 * killed sends again at most what was in flight, under the same id.
 */
import type { SessionNotice, OutgoingNotice } from "../core/notice.ts";
import { retryAfterMs, type SendOutcome } from "../core/pace.ts";
import type { Channel } from "./channels/channel.ts";
import type { NoticeRow, NoticeState } from "../../../daemon/store/notify-schema.ts";
import type { NotifyStore } from "./notify-store.ts";

/** What a row is about, immediately before an attempt. */
export type RowNow =
  | { readonly type: "still"; readonly notice: SessionNotice; readonly digest: string | null }
  /** It is not so any more: nothing goes out. */
  | { readonly type: "over"; readonly reason: string };

/** `failed` is tried again. */
export type AttemptResult = Exclude<NoticeState, "pending"> | "failed";

export interface OutboxOptions {
  readonly store: NotifyStore;
  /** Undefined if there is no channel of this name. */
  readonly channelOf: (row: NoticeRow) => Promise<Channel | undefined>;
  readonly now: (row: NoticeRow) => Promise<RowNow>;
  /** With links for its answers. */
  readonly outgoing: (row: NoticeRow, now: RowNow & { type: "still" }, channel: Channel) => Promise<OutgoingNotice>;
  /** The target does not exist any more. */
  readonly onGone: (channel: Channel, reason: string) => Promise<void>;
  /** Of each attempt, with the row as it is after it. */
  readonly onResult: (row: NoticeRow, result: AttemptResult) => void;
  readonly onError: (error: unknown) => void;
  readonly nowMs: () => number;
}

export class Outbox implements AsyncDisposable {
  readonly #options: OutboxOptions;
  /** Those that go out, by id, the oldest first. */
  readonly #pending = new Map<string, NoticeRow>();
  readonly #disabled: Map<string, string>;
  /** Names of the channels that have one in flight. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: OutboxOptions,
    {
      pending,
      disabled,
    }: { readonly pending: readonly NoticeRow[]; readonly disabled: Iterable<readonly [string, string]> },
  ) {
    this.#options = options;
    for (const row of pending) this.#pending.set(row.id, row);
    this.#disabled = new Map(disabled);
  }

  /** Why nothing goes to a channel; undefined if it does. */
  disabled(channel: string): string | undefined {
    return this.#disabled.get(channel);
  }

  /** Durable when it resolves. One whose key and channel have a row already is not sent again; resolves with those. */
  async add(rows: readonly NoticeRow[]): Promise<readonly NoticeRow[]> {
    const added = await this.#options.store.offer(rows);
    for (const row of rows) if (added.has(row.id) && row.state === "pending") this.#pending.set(row.id, row);
    this.pump();
    return rows.filter(({ id }) => !added.has(id));
  }

  /** Sends it now, whatever became of it before; its channel is used again. */
  async retry(row: NoticeRow): Promise<void> {
    await this.enable(row.channel);
    const again: NoticeRow = { ...row, state: "pending", attempts: 0, nextMs: this.#options.nowMs(), reason: "" };
    await this.#keep(again);
    this.pump();
  }

  async enable(channel: string): Promise<void> {
    if (this.#disabled.delete(channel)) await this.#options.store.setDisabled(channel, null);
  }

  forget(isForgotten: (row: NoticeRow) => boolean): void {
    for (const row of this.#pending.values()) if (isForgotten(row)) this.#pending.delete(row.id);
  }

  /** Begins what is due, and comes back for the rest. */
  pump(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    const nowMs = this.#options.nowMs();
    let nextMs = Infinity;
    for (const row of this.#pending.values()) {
      if (this.#busy.has(row.channel)) continue;
      if (row.nextMs > nowMs) nextMs = Math.min(nextMs, row.nextMs);
      else this.#begin(row);
    }
    if (nextMs < Infinity) this.#timer = setTimeout(() => this.pump(), nextMs - nowMs).unref();
  }

  /** What is in flight is ended and not counted: the next daemon sends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort(new Error("the daemon is shutting down"));
    await Promise.all(this.#busy.values());
  }

  #begin(row: NoticeRow): void {
    const done = this.#attempt(row)
      .catch((error: unknown) => {
        this.#options.onError(error);
        // It is tried again like a failure of the target.
        const failed = afterAttempt(
          row,
          { type: "failed", reason: "Lectern has failed: see its log" },
          this.#options.nowMs(),
        );
        if (failed.state === "pending") this.#pending.set(row.id, failed);
        else this.#pending.delete(row.id);
      })
      .finally(() => {
        this.#busy.delete(row.channel);
        this.pump();
      });
    this.#busy.set(row.channel, done);
  }

  async #attempt(row: NoticeRow): Promise<void> {
    const { channelOf, now, nowMs, onGone, outgoing } = this.#options;
    const channel = await channelOf(row);
    const disabled = this.#disabled.get(row.channel);
    if (channel === undefined || disabled !== undefined) {
      const missing = `There is no channel "${row.channel}" any more: see "lectern config check"`;
      const reason = disabled === undefined ? missing : `The channel is disabled: ${disabled}`;
      return await this.#settle({ ...row, state: "dead", reason });
    }
    const current = await now(row);
    if (this.#closing.signal.aborted || !this.#pending.has(row.id)) return;
    if (current.type === "over") return await this.#settle({ ...row, state: "withdrawn", reason: current.reason });
    const outcome = await channel.send(await outgoing(row, current, channel), this.#closing.signal);
    if (outcome.type !== "sent" && this.#closing.signal.aborted) return;
    if (outcome.type === "gone") {
      this.#disabled.set(row.channel, outcome.reason);
      await this.#options.store.setDisabled(row.channel, outcome.reason);
      await onGone(channel, outcome.reason);
    }
    await this.#settle(afterAttempt({ ...row, notice: current.notice }, outcome, nowMs()));
  }

  /** The result of an attempt. */
  async #settle(row: NoticeRow): Promise<void> {
    this.#options.onResult(row, row.state === "pending" ? "failed" : row.state);
    await this.#keep(row);
  }

  async #keep(row: NoticeRow): Promise<void> {
    if (row.state === "pending") this.#pending.set(row.id, row);
    else this.#pending.delete(row.id);
    await this.#options.store.put(row, this.#options.nowMs());
  }
}

function afterAttempt(row: NoticeRow, outcome: SendOutcome, nowMs: number): NoticeRow {
  const attempts = row.attempts + 1;
  switch (outcome.type) {
    case "sent":
      return { ...row, attempts, state: "sent", reason: outcome.detail };
    case "gone":
    case "refused":
      return { ...row, attempts, state: "dead", reason: outcome.reason };
    case "failed": {
      const pauseMs = retryAfterMs(attempts);
      if (pauseMs === undefined) return { ...row, attempts, state: "dead", reason: outcome.reason };
      return { ...row, attempts, reason: outcome.reason, nextMs: nowMs + Math.max(pauseMs, outcome.retryAfterMs ?? 0) };
    }
  }
}
