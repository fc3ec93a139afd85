/** One session in the daemon: its row in the registry, the host that runs it, and its feed while it has readers. */
import { waits } from "../../core/waits.ts";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { SessionHost } from "../../host/host-client.ts";
import type { HostedInfo, InputOptions, Written } from "../../host/messages.ts";
import { JournalReader } from "../../journal/reader.ts";
import type { AgentConversation, LearnedConversation } from "../../core/conversations/conversation-fold.ts";
import { keyOfFact } from "../../core/facts/seen-facts.ts";
import type { SessionStatus } from "../../core/status/status.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { SessionUsage } from "../../core/usage/usage-fold.ts";
import type { ExitStatus } from "../../protocol/records.ts";
import type { SessionEvent, SourceFact } from "../../core/records.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import type { TagScannerOptions } from "../../core/events/tag-scanner.ts";
import { defaultEventTag, tagOptionsOf } from "../../protocol/event-tag.ts";
import { briefOptions } from "../../protocol/session-options.ts";
import type { Session, SessionGate } from "../../protocol/session.ts";
import type { SessionActivity } from "../../protocol/views.ts";
import { SessionFeed } from "../../live/session-feed.ts";
import { readGateFile } from "./gate-file.ts";
import type { GateWatch } from "./gate-watch.ts";
import { InputLease } from "./input-lease.ts";
import { LastWords } from "./last-words.ts";
import { currentOptions, freshSession, unreadText, type StoredSession } from "../store/stored-session.ts";
import { Waiters } from "../async/waiters.ts";
import { within } from "../../timers/within.ts";
import { readNonce, unknownNonce } from "./shell-nonce.ts";

// Which size a session's terminal has, by the rule of tmux's `window-size latest`: that of the window whose viewer took it or typed last,
// while this viewer is attached. Without one the session has its own size.

/** Compared by identity. */
type Viewer = object;

export class WindowSizes {
  readonly #windows = new Map<Viewer, TerminalSize>();
  /** Those that took the size or typed, the latest last. */
  readonly #takers = new Set<Viewer>();

  /** The size of the window that decides; undefined if the session has its own size. */
  get latest(): TerminalSize | undefined {
    const latest = [...this.#takers].findLast((viewer) => this.#windows.has(viewer));
    return latest === undefined ? undefined : this.#windows.get(latest);
  }

  /** The viewer's window has this size; it counts from the viewer's next key on, or now if it decides already. */
  setWindow(viewer: Viewer, size: TerminalSize): void {
    this.#windows.set(viewer, size);
  }

  /** The viewer has typed, or asks for the size. */
  take(viewer: Viewer): void {
    this.#takers.delete(viewer);
    this.#takers.add(viewer);
  }

  leave(viewer: Viewer): void {
    this.#windows.delete(viewer);
    this.#takers.delete(viewer);
  }

  /** No window counts before its viewer types again. */
  clear(): void {
    this.#takers.clear();
  }
}

/** Where a running session can be reached. */
export interface HostSeat {
  readonly client: SessionHost;
  readonly handle: number;
}

/** For waits without a limit. */
const forever = new AbortController().signal;

export class SessionEntry {
  readonly directory: string;
  stored: StoredSession;
  seat: HostSeat | undefined;
  /** The pid of its program since the system was started, once its host has reported it. Kept when the program has ended. */
  leaderPid: number | null = null;
  /** End of the last input: a wait looks at what came after it. */
  inputEnd = 0;
  viewers = 0;
  /** The windows of its viewers; `stored` has the session's own size. */
  readonly windows = new WindowSizes();
  /** The size that its terminal has, or that its host was asked for last. */
  size: TerminalSize;
  /** Why its host does not answer although it lives; null if it answers or has ended. */
  unreachable: string | null = null;
  #degraded: string | null = null;
  /** What is wrong with its files, and what to do; null if nothing is. */
  damage: string | null = null;
  /** The same of its journal, which may be readable again. */
  #journalDamage: string | null = null;
  /** The host that reported it. */
  #degradedBy: SessionHost | undefined;
  readonly lease = new InputLease();
  /** Id of the session in which its conversation goes on; null if none does. */
  continuedBy: string | null = null;
  /** The last one that the views reported. */
  status: SessionStatus | null = null;
  /** How many conversations of agents the journal has, as far as the views have read it. */
  conversations = 0;
  /** Answers a question of a program that has a server of its own. Rejects with a next step if it cannot. */
  answerServer: ((request: string, option: string) => Promise<void>) | undefined;
  /** Only of a session that runs with the gateway. */
  gateWatch: GateWatch | undefined;
  /** Undefined until it is read. */
  #gateBefore: SessionGate | null | undefined;
  readonly #words = new LastWords();
  #usage: SessionUsage | null = null;
  #feed: SessionFeed | undefined;
  #opening: Promise<SessionFeed> | undefined;
  #following = false;
  #isClosed = false;
  /** Callers that wait for the end. */
  readonly #waiters = new Waiters();

  constructor(stored: StoredSession, sessionsDirectory: string) {
    this.stored = stored;
    this.size = sizeOf(stored);
    this.directory = join(sessionsDirectory, stored.id);
  }

  /** A session that is being created: nothing of it exists yet. */
  static fresh(given: Parameters<typeof freshSession>[0], sessionsDirectory: string): SessionEntry {
    return new SessionEntry(freshSession(given), sessionsDirectory);
  }

  get id(): string {
    return this.stored.id;
  }

  get live(): boolean {
    return this.stored.state === "starting" || this.stored.state === "running";
  }

  /** Resolves with true when the session has ended, with false when `signal` is aborted first. */
  async untilEnd(signal: AbortSignal = forever): Promise<boolean> {
    return !this.live || (await this.#waiters.next(signal));
  }

  /** Why the journal cannot be written; null if it can. */
  get degraded(): string | null {
    return this.#degraded;
  }

  /** The host has reported that the journal cannot be written, or with null that it can again. */
  degrade(client: SessionHost, message: string | null): void {
    this.#degraded = message;
    this.#degradedBy = client;
  }

  /** The tag of its events, for those who read them or leave them out. */
  get tag(): TagScannerOptions {
    return tagOptionsOf(this.stored.options.eventTag ?? defaultEventTag);
  }

  get view(): Session {
    const { options, unreadOptions: _, host, parent = null, continues = null, ...facts } = this.stored;
    const { conversation, sandbox = null, worktree = null, ...rest } = facts;
    const feed = this.#feed;
    return {
      ...rest,
      ...this.size,
      options: briefOptions(currentOptions(this.stored)),
      isMine: options.mine,
      trustsText: options.trustText,
      eventTag: options.eventTag ?? defaultEventTag,
      summaries: options.summaries,
      isImported: host === null && !this.live,
      parent,
      continues,
      continuedBy: this.continuedBy,
      conversation: conversation === undefined ? null : shortConversation(conversation),
      sandbox: sandbox === null ? null : { ...sandbox },
      worktree: worktree === null ? null : { ...worktree },
      command: [...facts.command],
      labels: { ...facts.labels },
      start: feed?.start ?? 0,
      ...this.activity,
      status: this.status === null ? null : shortStatus(this.status),
      degraded: this.#degraded,
      unreachable: this.unreachable,
      damaged: this.damage ?? unreadText(this.stored) ?? this.#journalDamage,
    };
  }

  /** The part of the view that changes while the program prints or somebody types. */
  get activity(): SessionActivity {
    const end = Math.max(this.stored.end, this.#feed?.end ?? 0);
    const writer = this.lease.holder(Date.now());
    const gate = this.gateWatch?.facts ?? this.#earlierGate;
    return { end, viewers: this.viewers, writer, lastMessage: this.#words.last, usage: this.#usage, gate };
  }

  /** Of a session that ended before this daemon started. */
  get #earlierGate(): SessionGate | null {
    if (this.live) return null;
    this.#gateBefore ??= this.stored.host === null ? null : readGateFile(this.directory);
    return this.#gateBefore;
  }

  /** A change that the views report. */
  keep(change: ViewChange): void {
    if (this.live) this.gateWatch?.take(change);
    if (change.kind === "status") this.status = change.status;
    else if (change.kind === "message") this.#words.take(change.message);
    else if (change.kind === "usage") this.#usage = change.usage;
    else if (change.kind === "conversation") this.#keepConversation(change.conversation);
  }

  #keepConversation({ number, ...read }: AgentConversation): void {
    this.conversations = number;
    const { conversation: known } = this.stored;
    // The marks of earlier versions have no file.
    const file = read.file ?? (known?.id === read.id ? known.file : null);
    this.stored = { ...this.stored, conversation: { ...read, file } };
  }

  /** The views start again from the beginning of the journal. */
  forgetViews(): void {
    this.status = null;
    this.#words.clear();
    this.#usage = null;
  }

  /** The feed, opened at the first use. */
  feed(): Promise<SessionFeed> {
    if (this.#isClosed) {
      const reason = `Cannot read session "${this.stored.name}": it was removed, or the daemon is shutting down`;
      return Promise.reject(new LecternError("NOT_AVAILABLE", reason));
    }
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    // After a failure the next caller tries again.
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  /**
   * Runs something that reads the journal: damage that it finds is listed from then on. Throws what `run` throws, or `JOURNAL_CORRUPT` for files
   * that cannot be read.
   */
  async reading<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (cause) {
      if (!isJournalDamage(cause)) throw cause;
      this.#journalDamage = `its journal cannot be read as a whole (${cause.message}): "lectern rm ${this.id}" removes it`;
      if (cause instanceof LecternError) throw cause;
      const message = `Cannot read session "${this.stored.name}": ${this.#journalDamage}`;
      throw new LecternError("JOURNAL_CORRUPT", message, { cause });
    }
  }

  /** The nonce of its shell's marks; null if the program was not asked for marks. With a damaged file no mark is trusted, which is listed. */
  async markNonce(): Promise<string | null> {
    const nonce = await readNonce(this.directory);
    if (nonce !== undefined) return nonce;
    this.damage ??= "its shell-nonce is damaged, so marks of its shell are not trusted: start the session again";
    return unknownNonce();
  }

  async #open(): Promise<SessionFeed> {
    const reader = await this.reading(() => JournalReader.open(this.directory));
    this.#journalDamage = null;
    this.#feed = new SessionFeed(reader, (wanted) => this.#follow(wanted));
    // It may have ended while the journal was being opened.
    if (this.live) this.#feed.advance(this.stored.end);
    else this.#feed.finish(this.stored.end);
    return this.#feed;
  }

  /** Asks the host where the journal ends: it reports growth only while there are readers. Does not wait long for its answer. */
  async refresh(): Promise<void> {
    if (this.seat === undefined) return;
    const { client, handle } = this.seat;
    await this.#advanceTo(client.call("follow", { handle, on: this.#following }));
  }

  /**
   * Asks the kernel now what the foreground waits for: the last report may be older than a timer of the program. False if the last report in the
   * journal is not known to be of now: the host has not answered in time, or knows no job in the foreground.
   */
  async probe(): Promise<boolean> {
    if (this.seat === undefined) return false;
    const { client, handle } = this.seat;
    const answer = await this.#advanceTo(client.call("probe", { handle }));
    return answer !== undefined && answer.isCurrent !== false;
  }

  /** Undefined without an answer. */
  async #advanceTo<Answer extends { readonly end: number }>(reported: Promise<Answer>): Promise<Answer | undefined> {
    try {
      const taken = reported.then((answer) => {
        this.advance(answer.end);
        return answer;
      });
      return await within(waits.answerMs, taken);
    } catch (error) {
      // It has ended meanwhile: its exit notice, with the end, is on the way. An older host cannot probe.
      if (!(error instanceof LecternError)) throw error;
      return undefined;
    }
  }

  advance(end: number): void {
    if (end > this.stored.end) this.stored = { ...this.stored, end };
    this.#feed?.advance(end);
  }

  /** The session runs in this host from now on. */
  settle(client: SessionHost, info: HostedInfo): void {
    this.seat = { client, handle: info.handle };
    this.leaderPid = info.pid;
    this.unreachable = null;
    this.inputEnd = info.inputEnd;
    // A notice of this host that has arrived already is newer than this answer.
    if (this.#degradedBy !== client) this.#degraded = info.degraded;
    // Another daemon may have reported it lost while this host ran it.
    this.stored = { ...this.stored, state: "running", pid: info.pid, exit: null, endedAt: null };
    this.size = sizeOf(info);
    this.advance(info.end);
    if (this.#following) this.#follow(true);
  }

  end(exit: ExitStatus, end: number, endedAt: Date): void {
    this.seat = undefined;
    this.unreachable = null;
    this.#degraded = null;
    const state = exit.reason === "lost" ? "lost" : "exited";
    this.stored = { ...this.stored, state, exit, pid: null, endedAt: endedAt.toISOString() };
    this.gateWatch?.finish();
    this.gateWatch?.[Symbol.dispose]();
    this.advance(end);
    this.#feed?.finish(end);
    this.#waiters.wake();
  }

  /** Throws `SESSION_ENDED` or `HOST_UNREACHABLE`. */
  requireSeat(): HostSeat {
    if (this.seat !== undefined) return this.seat;
    const { name, state } = this.stored;
    if (this.live) {
      throw new LecternError(
        "HOST_UNREACHABLE",
        `Session "${name}" is ${state} but ${this.unreachable ?? "its pty host does not answer"}: see "lectern doctor"`,
      );
    }
    throw new LecternError("SESSION_ENDED", `Session "${name}" has ended: read it with "lectern logs ${name}"`);
  }

  async input(bytes: Uint8Array, how?: InputOptions): Promise<Written> {
    const { client, handle } = this.requireSeat();
    const written = await client.input(handle, bytes, how);
    this.inputEnd = Math.max(this.inputEnd, written.next);
    return written;
  }

  /**
   * The terminal's own answer to what a program has output before `asked`: nobody typed it, so a wait does not restart after it. It is dropped
   * if that program has left the foreground.
   */
  async answer(bytes: Uint8Array, asked: number): Promise<void> {
    const { client, handle } = this.seat ?? {};
    if (client === undefined || handle === undefined) return;
    await client.input(handle, bytes, { asked }).catch((error: unknown) => {
      if (!(error instanceof LecternError) || error.details["foreground"] === undefined) throw error;
    });
  }

  /** One whole message to a program on pipes. Rejects with `CONFLICT` if the host has written another one with this key. */
  async speak(line: Uint8Array, key: string): Promise<Written> {
    const { client, handle } = this.requireSeat();
    return client.call("speak", { handle, key, text: Buffer.from(line).toString() });
  }

  async mark(event: SessionEvent): Promise<Written> {
    const { client, handle } = this.requireSeat();
    return client.call("mark", { handle, event });
  }

  /**
   * Appends a fact from another source to the journal, once for each id of its source. Rejects with `TOO_LARGE` above 1 MiB, with `CONFLICT`
   * if this fact has another payload, and as `mark` does.
   */
  async fact(fact: Omit<SourceFact, "type">): Promise<Written> {
    const { client, handle } = this.requireSeat();
    return client.call("mark", { handle, event: { type: "fact", ...fact }, key: keyOfFact(fact) });
  }

  /** Resolves with the offset of the event; with 0 if it is not in the journal, which is a witness and not a condition. Never rejects. */
  async markIfLive(event: SessionEvent, onError: (error: unknown) => void): Promise<number> {
    try {
      return (await this.mark(event)).offset;
    } catch (error) {
      // A session that has just ended takes no marks.
      if (this.live) onError(error);
      return 0;
    }
  }

  async resize({ columns, rows }: TerminalSize): Promise<void> {
    this.requireSeat();
    this.stored = { ...this.stored, columns, rows };
    this.windows.clear();
    await this.fitWindow();
  }

  /** The terminal gets the size of the window that decides, or else the session's own. Does nothing without a host. */
  async fitWindow(): Promise<void> {
    if (this.seat === undefined) return;
    const { client, handle } = this.seat;
    const { columns, rows } = this.windows.latest ?? this.stored;
    if (columns === this.size.columns && rows === this.size.rows) return;
    this.size = { columns, rows };
    await client.call("resize", { handle, columns, rows });
  }

  /** A feed that is being opened is closed once it is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opening?.catch(() => undefined))?.close();
    this.#feed = undefined;
  }

  #follow(on: boolean): void {
    this.#following = on;
    // `refresh` tells the host, and fetches the growth from before.
    void this.refresh();
  }
}

/** Files that are not there, or are no files or cannot be opened: a process without descriptors can open none, and has found nothing out. */
function isJournalDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["JOURNAL_CORRUPT", "NOT_FOUND", "ENOENT", "EISDIR", "ENOTDIR", "EACCES", "EPERM", "EIO"].includes(code);
}

const sizeOf = ({ columns, rows }: TerminalSize): TerminalSize => ({ columns, rows });

const shortConversation = ({ agent, id, by }: LearnedConversation): Session["conversation"] => ({ agent, id, by });

const shortStatus = ({ state, summary, sinceUs, agent, limit }: SessionStatus): Session["status"] => ({
  state,
  summary,
  sinceUs,
  agent,
  ...(limit !== undefined && { limit }),
});
