/**
 * Watches all sessions and machines, and puts what its rules report into the outbox. Loaded when something is configured.
 *
 * Law of the key: whatever was reported under a key is not reported again, in this daemon and the next one: the key is made from the journal
 * (the id of a question, the time of a status), and the outbox has one row for each key and channel.
 */
import { hostname } from "node:os";
import { noticeOf, testNotice, type NoticeContent, type NoticeKind } from "../core/notice.ts";
import { LastNotices } from "../core/last-notices.ts";
import { NEWS_MS_MAX, paceOf, type SendOutcome } from "../core/pace.ts";
import { anySession, rulesFor, type NotifyRule } from "../core/rules.ts";
import { OWN_CHANNEL } from "../core/settings.ts";
import type { ViewChange } from "../../../core/views/change.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { Channels } from "./channels.ts";
import { happeningsOf, noticeId, UNREAD_QUESTION_MS, type Happening } from "./facts.ts";
import { Hooks } from "./hooks.ts";
import { MachineNotices } from "./machine-notices.ts";
import { linksOf, outgoingOf, type AnswerLinks } from "./answer-links.ts";
import type { NoticeRow, NotifyContents } from "../../../daemon/store/notify-schema.ts";
import { openNotifyStore, type NotifyStore } from "./notify-store.ts";
import type { NotifyParts } from "./notify.ts";
import { Outbox, type AttemptResult, type RowNow } from "./outbox.ts";
import { DeviceQuestions } from "./push/device-questions.ts";
import { Watches } from "./watches.ts";

/** Changes of a session are judged together. */
const GATHER_MS = 50;
/** Keys of a session that are remembered as reported; the outbox knows all. */
const SETTLED_MAX = 500;

export class Notifier implements AsyncDisposable {
  readonly #parts: NotifyParts;
  readonly store: NotifyStore;
  readonly #watches: Watches;
  readonly #hooks: Hooks;
  readonly links: AnswerLinks;
  readonly channels: Channels;
  readonly outbox: Outbox;
  readonly shown: DeviceQuestions;
  readonly #node = hostname();
  readonly #held = new AsyncDisposableStack();
  readonly #machines: MachineNotices;
  /** Sessions that have changed, and when each is to be judged. */
  readonly #due = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  /** Key and channel of what was put into the outbox, by session. */
  readonly #settled = new Map<string, Set<string>>();
  readonly #last: LastNotices;
  readonly #news: NewsSince;
  /** The states "blocked" that were reported before their question was read. */
  readonly #reportedStates = new Map<string, number>();
  /** When the questions that an earlier daemon has left were read: until then a state "blocked" without one is not reported. */
  #readMs = Infinity;
  #isClosed = false;

  private constructor(parts: NotifyParts, store: NotifyStore, contents: NotifyContents) {
    this.#parts = parts;
    this.store = store;
    this.#last = new LastNotices(parts.times.noticeGapMs);
    this.#news = new NewsSince(store, contents.news);
    const { onError, problems } = parts;
    this.#machines = new MachineNotices({ ...parts, store, onChange: () => this.#wake(MACHINES) }, contents.outages);
    this.#watches = new Watches(store, parts.views.store, contents.watches);
    this.channels = new Channels(parts);
    this.#hooks = new Hooks({
      settings: () => parts.settings().hooks,
      workingDirectory: parts.paths.dataDirectory,
      onProblem: (problem) => problems.set("hooks", problem),
    });
    this.links = linksOf({ ...parts, store, onAnswered: (session) => this.#answered(session) }, contents.answers);
    this.shown = new DeviceQuestions(
      { store, onError, channelNamed: async (name) => await this.channels.named(name), questions: parts.approvals },
      contents.shown,
    );
    this.outbox = new Outbox(
      {
        store,
        onError,
        nowMs: Date.now,
        channelOf: async (row) => await this.channels.of(row),
        now: async (row) => await this.#rowNow(row),
        outgoing: async (row, now, channel) => {
          const going = { links: this.links, publicUrl: this.#publicUrl };
          const notice = await outgoingOf({ row, now, channel }, going);
          await this.shown.sending(channel, notice);
          return notice;
        },
        onResult: (row, outcome) => this.#resultOf(row, outcome),
        onGone: async (channel, reason) => await this.channels.forget(channel.name, reason),
      },
      contents,
    );
  }

  static async open(parts: NotifyParts): Promise<Notifier> {
    const store = await openNotifyStore(parts.store.thread, parts.paths.notifyFile, parts.problems);
    const notifier = new Notifier(parts, store, await store.load(Date.now()));
    await notifier.#start();
    return notifier;
  }

  configured(): void {
    this.channels.clear();
    this.#checkRules(Date.now());
    this.#watchMachines();
    for (const { id } of this.#parts.registry.all) this.#wake(id);
    this.outbox.pump();
  }

  async remove(ids: readonly string[]): Promise<number> {
    this.outbox.forget(({ id }) => ids.includes(id));
    return await this.store.remove(ids);
  }

  /** One notice to a channel now, past the outbox. Its channel is used again if it was disabled. Undefined if there is no such channel. */
  async test(name: string, signal: AbortSignal): Promise<SendOutcome | undefined> {
    const channel = await this.channels.named(name);
    if (channel === undefined) return undefined;
    const nowMs = Date.now();
    const id = noticeId(this.#node, `test ${nowMs} ${Math.random()}`, name);
    const outcome = await channel.send(
      { ...testNotice(this.#node, nowMs), id, url: this.#publicUrl, question: null },
      signal,
    );
    if (outcome.type === "sent") await this.outbox.enable(name);
    if (outcome.type === "gone") await this.channels.forget(name, outcome.reason);
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#machines[Symbol.dispose]();
    this.#hooks[Symbol.dispose]();
    await this.#held.disposeAsync();
    await this.outbox[Symbol.asyncDispose]();
    await this.shown[Symbol.asyncDispose]();
    await this.#watches.flush().catch(this.#parts.onError);
    await this.store.close();
  }

  get #publicUrl(): string | null {
    return this.#parts.settings().notify.publicUrl ?? null;
  }

  async #start(): Promise<void> {
    const { approvals, prompts, registry, views } = this.#parts;
    this.#held.use(views.subscribe((entry, changes) => this.#changed(entry, changes)));
    this.#held.use(approvals.subscribe(({ question }) => this.#questionChanged(question.session)));
    this.#held.use(
      prompts.subscribe(({ session, state }) => {
        if (state !== "done") return;
        this.#watches.turnEnded(session);
        this.#wake(session);
      }),
    );
    this.#held.use(registry.subscribe((id, entry) => void this.#sessionChanged(id, entry).catch(this.#parts.onError)));
    this.#watchMachines();
    this.#checkRules(this.#parts.wantedMs);
    for (const entry of registry.all) {
      if (!entry.live && !isNews(entry)) continue;
      // One that is about to start has no journal yet: its views report by themselves.
      if (isReadable(entry))
        await views.use(entry, async () => await this.#watches.catchUp(entry)).catch(this.#parts.onError);
      this.#wake(entry.id);
    }
    this.#readMs = Date.now();
    for (const entry of registry.all) this.#wake(entry.id);
    this.outbox.pump();
    this.shown.check();
  }

  /** A rule may name a channel that is not there: the schema of the configuration cannot see that. */
  #checkRules(nowMs: number): void {
    const { onError, problems, settings, sources } = this.#parts;
    const { channels, rules } = settings().notify;
    const missing = rules.flatMap(({ to }) => to).find((name) => !Object.hasOwn({ ...channels, ...sources }, name));
    const problem = `A rule in lectern.yaml names the channel "${missing}", which is not in notify.channels`;
    problems.set("notices", missing === undefined ? null : problem);
    const wanted = rules.flatMap((rule) =>
      this.channels
        .expand(rule.to.map((channel) => ({ channel, rule })))
        .flatMap(({ channel }) => rule.on.map((kind) => [channel, kind] as const)),
    );
    this.#news.follow(wanted, nowMs).catch(onError);
  }

  #changed(entry: SessionEntry, changes: readonly ViewChange[]): void {
    this.#hooks.changed(entry, changes);
    for (const change of changes) {
      if (change.kind !== "status") continue;
      this.#watches.feed(entry.id, change.status);
      this.#wake(entry.id);
    }
  }

  async #sessionChanged(id: string, entry: SessionEntry | undefined): Promise<void> {
    this.shown.check(id);
    if (entry === undefined) {
      this.#due.delete(id);
      this.#settled.delete(id);
      this.#last.forget(id);
      for (const place of this.#reportedStates.keys())
        if (place.startsWith(`${id} `)) this.#reportedStates.delete(place);
      this.outbox.forget(({ session }) => session === id);
      return await this.#watches.forget(id);
    }
    if (!entry.live && !this.#isSettled(id, "hook exit")) {
      this.#settle(id, "hook exit");
      this.#hooks.ended(entry);
    }
    return this.#wake(id);
  }

  #questionChanged(session: string): void {
    this.#wake(session);
    this.shown.check(session);
  }

  /** A person has answered from outside: the next question does not wait for the gap. */
  #answered(session: string): void {
    this.#last.forget(session);
    this.#wake(session);
  }

  #resultOf(row: NoticeRow, outcome: AttemptResult): void {
    this.#parts.metrics.set.add("lectern_notify_total", { channel: row.channel, outcome });
    this.shown.settled(row, outcome);
    if (outcome === "withdrawn" && row.attempts === 0) this.#notSent(row);
  }

  /** The next notice does not wait for it. */
  #notSent({ channel, createdMs, session }: NoticeRow): void {
    this.#last.notSent(session ?? MACHINES, channel, createdMs);
    this.#wake(session ?? MACHINES);
  }

  #watchMachines(): void {
    this.#machines.watch(this.#parts.settings().notify.rules.some(({ on }) => on.includes("away")));
  }

  #wake(id: string, atMs = Date.now() + GATHER_MS): void {
    if (this.#isClosed) return;
    this.#due.set(id, Math.min(atMs, this.#due.get(id) ?? Infinity));
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const nextMs = Math.min(...this.#due.values());
    if (nextMs < Infinity)
      this.#timer = setTimeout(
        () => void this.#judge().catch(this.#parts.onError),
        Math.max(0, nextMs - Date.now()),
      ).unref();
  }

  async #judge(): Promise<void> {
    const nowMs = Date.now();
    const rows: NoticeRow[] = [];
    for (const [id, dueMs] of this.#due) {
      if (dueMs > nowMs) continue;
      this.#due.delete(id);
      rows.push(...this.#rowsOf(id, nowMs));
    }
    this.#schedule();
    await this.#watches.flush();
    await this.#machines.flush();
    if (rows.length === 0) return;
    for (const row of await this.outbox.add(rows)) this.#notSent(row);
  }

  #rowsOf(id: string, nowMs: number): NoticeRow[] {
    if (id === MACHINES)
      return this.#machines.happenings().flatMap((happening) => this.#judgeOne(undefined, happening, nowMs));
    const entry = this.#parts.registry.get(id);
    if (entry === undefined) return [];
    return this.#happenings(entry).flatMap((happening) => this.#judgeOne(entry, happening, nowMs));
  }

  #happenings(entry: SessionEntry): readonly Happening[] {
    const questions = this.#parts.approvals.list(entry.id);
    return happeningsOf(entry, { node: this.#node, questions, watch: this.#watches.of(entry.id) });
  }

  /** The rows that are due; of those that are not it comes back. */
  #judgeOne(entry: SessionEntry | undefined, happening: Happening, nowMs: number): NoticeRow[] {
    const { kind, key, sinceMs } = happening;
    const home = entry?.id ?? MACHINES;
    if (kind !== "blocked" && nowMs - sinceMs > NEWS_MS_MAX) return [];
    return this.#rulesFor(entry, happening).flatMap(({ channel, rule }) => {
      if (this.#isSettled(home, `${key} ${channel}`) || !this.#news.has(channel, kind, sinceMs)) return [];
      const isUnread = kind === "blocked" && happening.digest === null;
      const pace = paceOf({
        nowMs,
        sinceMs,
        gapMs: this.#parts.times.noticeGapMs,
        afterMs: isUnread ? Math.max(rule.afterMs, this.#unreadMs(sinceMs)) : rule.afterMs,
        seenMs: rule.presence && entry !== undefined ? entry.lease.seenMs : null,
        lastMs: this.#last.of(home, channel),
      });
      if (pace.type === "wait") {
        this.#wake(home, pace.untilMs);
        return [];
      }
      this.#settle(home, `${key} ${channel}`);
      const isAgain = entry !== undefined && this.#isReported(entry, happening, channel);
      const row = this.#rowFor(happening, { channel, content: rule.content, nowMs, session: entry?.id ?? null });
      if (pace.type === "seen") return [{ ...row, state: "withdrawn" as const, reason: SEEN }];
      if (isAgain)
        return [{ ...row, state: "withdrawn" as const, reason: "It was reported before the question was read" }];
      this.#last.made(home, channel, nowMs);
      return [row];
    });
  }

  /** How long a state "blocked" waits for its question to be read. */
  #unreadMs(sinceMs: number): number {
    return Math.max(sinceMs, this.#readMs) + UNREAD_QUESTION_MS - sinceMs;
  }

  /** The question of a state that was reported already, because its dialog was not read then. */
  #isReported({ id, status }: SessionEntry, { digest, kind, sinceMs }: Happening, channel: string): boolean {
    const place = `${id} ${channel}`;
    if (kind === "blocked" && digest === null) this.#reportedStates.set(place, sinceMs);
    return digest !== null && status !== null && this.#reportedStates.get(place) === status.sinceUs / 1000;
  }

  #rowFor(
    { digest: _, facts, key }: Happening,
    given: {
      readonly channel: string;
      readonly content: NoticeContent;
      readonly nowMs: number;
      readonly session: string | null;
    },
  ): NoticeRow {
    const { channel, content, nowMs, session } = given;
    const notice = noticeOf(facts, content);
    const id = noticeId(this.#node, key, channel);
    return {
      id,
      key,
      channel,
      session,
      state: "pending",
      createdMs: nowMs,
      attempts: 0,
      nextMs: nowMs,
      content,
      reason: "",
      notice,
    };
  }

  #rulesFor(
    entry: SessionEntry | undefined,
    { kind, facts }: Happening,
  ): readonly { channel: string; rule: NotifyRule }[] {
    const { rules } = this.#parts.settings().notify;
    if (entry === undefined) return this.channels.expand(rulesFor(rules, kind, null));
    const { labels, name, options } = entry.stored;
    const own = options.onBlocked === undefined ? [] : [ownRule];
    return this.channels.expand(rulesFor([...own, ...rules], kind, { name, labels, agent: facts.agent }));
  }

  /** Immediately before an attempt, by the list of questions and the statuses then. */
  async #rowNow(row: NoticeRow): Promise<RowNow> {
    if (row.session === null) return this.#machineNow(row);
    const entry = this.#parts.registry.get(row.session);
    if (entry === undefined) return { type: "over", reason: "The session was removed" };
    await this.#parts.approvals.current(row.session);
    const now = this.#happenings(entry).find(({ key }) => key === row.key);
    if (now === undefined) return { type: "over", reason: overReasons[row.notice.kind] ?? "It is not so any more" };
    const rule = this.#rulesFor(entry, now).find(({ channel }) => channel === row.channel)?.rule;
    const seenMs = rule?.presence === true ? entry.lease.seenMs : null;
    if (seenMs !== null && seenMs >= row.createdMs) return { type: "over", reason: SEEN };
    return { type: "still", notice: noticeOf(now.facts, row.content), digest: now.digest };
  }

  #machineNow(row: NoticeRow): RowNow {
    return this.#machines.happenings().some(({ key }) => key === row.key)
      ? { type: "still", notice: row.notice, digest: null }
      : { type: "over", reason: "The machine answers again" };
  }

  #isSettled(home: string, key: string): boolean {
    return this.#settled.get(home)?.has(key) === true;
  }

  #settle(home: string, key: string): void {
    const keys = this.#settled.get(home) ?? new Set<string>();
    this.#settled.set(home, keys);
    if (keys.size >= SETTLED_MAX) keys.clear();
    keys.add(key);
  }
}

/** In the place of a session, for what is about machines. */
const MACHINES = "machines";
const SEEN = "A person has seen it in Lectern";

const overReasons: Readonly<Record<string, string>> = {
  blocked: "The question was answered or withdrawn before",
  done: "The session works again",
  limit: "The usage limit is over",
};

/** Of `lectern run --on-blocked`. */
const ownRule: NotifyRule = {
  on: ["blocked"],
  afterMs: 0,
  sessions: anySession,
  content: "question",
  presence: false,
  to: [OWN_CHANNEL],
};

/** It has a journal, also if its host does not answer. */
const isReadable = ({ stored }: SessionEntry): boolean => stored.state === "running";

const isNews = ({ stored }: SessionEntry): boolean =>
  stored.endedAt !== null && Date.now() - Date.parse(stored.endedAt) < NEWS_MS_MAX;

/** Since when a kind of occurrence is reported to a channel: whatever was so before is not news there, in this daemon and the next one. */
class NewsSince {
  readonly #store: Pick<NotifyStore, "putNews">;
  readonly #sinceMs: Map<string, number>;

  constructor(store: Pick<NotifyStore, "putNews">, stored: readonly (readonly [news: string, sinceMs: number])[]) {
    this.#store = store;
    this.#sinceMs = new Map(stored);
  }

  /** What the rules report now. New pairs begin at `nowMs`; the others end, and are new if they come again. */
  async follow(wanted: readonly (readonly [channel: string, kind: NoticeKind])[], nowMs: number): Promise<void> {
    const keys = new Set(wanted.map(([channel, kind]) => newsKey(channel, kind)));
    const isSame = keys.size === this.#sinceMs.size && [...keys].every((key) => this.#sinceMs.has(key));
    if (isSame) return;
    for (const key of this.#sinceMs.keys()) if (!keys.has(key)) this.#sinceMs.delete(key);
    for (const key of keys) if (!this.#sinceMs.has(key)) this.#sinceMs.set(key, nowMs);
    await this.#store.putNews([...this.#sinceMs]);
  }

  /** A question that is still open always is. */
  has(channel: string, kind: NoticeKind, sinceMs: number): boolean {
    return kind === "blocked" || sinceMs >= (this.#sinceMs.get(newsKey(channel, kind)) ?? 0);
  }
}

const newsKey = (channel: string, kind: NoticeKind): string => `${kind} ${channel}`;
