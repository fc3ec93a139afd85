/**
 * One program on one pty with its journal: whatever crosses the pty is appended before it is reported.
 *
 * Ordering law: an input record precedes the output that answers it, and `exit` is the last record.
 * Nothing is lost when the disk is full: the chunk that could not be written is kept, the pty is paused, so the
 * program blocks in its own write, and appending is retried until it succeeds.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../core/errors.ts";
import type { JournalWriter } from "../journal/writer.ts";
import { encodeJson, encodeResize } from "../protocol/payloads.ts";
import type { ExitStatus, RecordType } from "../protocol/records.ts";
import type { ProtocolMark, SessionEvent } from "../core/records.ts";
import { LastTyped } from "../core/typing/last-typed.ts";
import { waits } from "../core/waits.ts";
import type { Pty, TerminalModes } from "../pty/pty.ts";
import type { PipedProgram } from "../pty/piped-program.ts";
import { assertReads } from "../pty/reading-process.ts";
import { ForegroundMarks } from "./foreground-marks.ts";
import type { HostCounters } from "./host-counters.ts";
import { judgePeer, type EventPeer } from "./event-peer.ts";
import type { EventReceipt, EventRequest } from "./event-line.ts";
import { EVENT_SOCKET_VARIABLE } from "./socket-path.ts";
import { AppendKeys } from "./append-keys.ts";
import {
  MARK_BYTES_MAX,
  MARK_KEY_CHARS_MAX,
  type HostedInfo,
  type InputOptions,
  type SpawnRequest,
  type Written,
} from "./messages.ts";
import { RateBudget } from "./rate-budget.ts";
import { INPUT_QUEUE_BYTES_MAX, protocolMark, startProgram } from "./start-program.ts";

/** Events of one session over the event socket. */
const EVENTS_AT_ONCE_MAX = 500;
const EVENTS_PER_SECOND_MAX = 100;
/** Changes of the foreground that are remembered: an answer of the terminal comes soon after its question. */
const GROUPS_MAX = 64;
const NONCE_BYTES = 12;
const LINE_FEED = 0x0a;
/** Between two looks at whether what was typed is read. */
const UNREAD_MS_MAX = 16;
/** Not the name of a signal. */
const END = "end";

/** An environment variable of the programs: proof that the sender of an event read its environment. Read by `lectern emit`. */
const EVENT_NONCE_VARIABLE = "LECTERN_EVENT_NONCE";

export interface SessionListener {
  /** The journal has grown by output. Called once per read of the pty, so it must be cheap. */
  onAdvance(session: HostedSession): void;
  /** The journal has grown by input, which can be reported together with the echo. */
  onInput(session: HostedSession): void;
  onDegraded(session: HostedSession, message: string | null): void;
  onExit(session: HostedSession, exit: ExitStatus): void;
  /** An error outside of any call. */
  onError(error: unknown): void;
}

/** A record whose append failed. */
interface Unwritten {
  readonly type: RecordType;
  readonly payload: Uint8Array;
}

interface SessionContext {
  readonly handle: number;
  readonly counters: HostCounters;
  readonly journal: JournalWriter;
  readonly listener: SessionListener;
  /** Path; undefined if the host could not listen. */
  readonly eventSocket: string | undefined;
  /** For the mode `acp`: most hosts never load it. */
  readonly piped?: typeof PipedProgram | undefined;
}

export class HostedSession {
  readonly handle: number;
  readonly session: string;
  readonly needsDaemon: boolean;
  readonly #counters: HostCounters;
  readonly #journal: JournalWriter;
  readonly #listener: SessionListener;
  readonly #pty: Pty;
  readonly #foreground: ForegroundMarks;
  /** Oldest first. More than one chunk only at exit, when the kernel's buffer is drained. */
  readonly #unwritten: Unwritten[] = [];
  readonly #inputKeys = new AppendKeys();
  readonly #markKeys = new AppendKeys();
  readonly #lastTyped = new LastTyped();
  /** What was asked of the program from outside: to end, or a signal by its name. */
  readonly #requested = new Set<string>();
  readonly #eventNonce = randomBytes(NONCE_BYTES).toString("hex");
  readonly #eventBudget = new RateBudget({ atOnceMax: EVENTS_AT_ONCE_MAX, perSecondMax: EVENTS_PER_SECOND_MAX });
  /** Which process group was in the foreground when output came; `from` is an offset. */
  readonly #groups: { readonly from: number; readonly group: number | undefined }[] = [];
  #retry: NodeJS.Timeout | undefined;
  #degraded: string | null = null;
  #inputEnd = 0;
  /** Who has sent the beginning of a message to a program on pipes, and not its end. */
  #halfway: object | null = null;
  #columns: number;
  #rows: number;
  #ended = false;

  /** Throws what `spawnPty` throws; then nothing is appended. */
  constructor(request: SpawnRequest, { counters, handle, journal, listener, eventSocket, piped }: SessionContext) {
    this.handle = handle;
    this.session = request.session;
    this.needsDaemon = request.needsDaemon ?? false;
    this.#counters = counters;
    this.#journal = journal;
    this.#listener = listener;
    this.#columns = request.columns;
    this.#rows = request.rows;
    this.#pty = startProgram(request, piped, {
      environment: {
        ...request.environment,
        [EVENT_NONCE_VARIABLE]: this.#eventNonce,
        ...(eventSocket === undefined ? {} : { [EVENT_SOCKET_VARIABLE]: eventSocket }),
      },
      onMessages: (stream, chunk) => this.#record("mark", encodeJson(protocolMark(stream, chunk))),
      onOutput: (chunk) => {
        this.#counters.outputBytes += chunk.length;
        this.#noteGroup();
        this.#record("output", chunk);
        this.#foreground.moved();
      },
      onExit: (status) => {
        const exit = this.#withCause(status);
        this.#record("exit", encodeJson(exit), exit);
      },
    });
    const { command, columns, rows, events = [], timeZone } = request;
    const start: SessionEvent = {
      type: "session-start",
      command,
      columns,
      rows,
      eventNonce: this.#eventNonce,
      ...(timeZone !== undefined && { timeZone }),
    };
    for (const event of [start, ...events]) this.#record("mark", encodeJson(event));
    this.#foreground = new ForegroundMarks(this.#pty, {
      isWrapped: request.wrapper !== undefined,
      write: (event) => this.#tryMark(event),
    });
  }

  get info(): HostedInfo {
    return {
      handle: this.handle,
      session: this.session,
      pid: this.#pty.pid,
      end: this.#journal.end,
      inputEnd: this.#inputEnd,
      columns: this.#columns,
      rows: this.#rows,
      degraded: this.#degraded,
    };
  }

  get end(): number {
    return this.#journal.end;
  }

  get backend(): string {
    return this.#pty.backend;
  }

  /**
   * Types into the program. The input is masked in the journal if the caller asks for it or if the terminal has echo off
   * in canonical mode, as programs do that ask for a password.
   * Input with a key is typed once; later calls return its offsets with `already`. A mark with the key precedes the input.
   * Throws `SESSION_ENDED`, `LIMIT_EXCEEDED`, `JOURNAL_WRITE_FAILED`, `CONFLICT` (key used for other bytes; `foreground` in the details: not
   * the reader or the one that asked; `unread`: what was typed before is not read); then nothing was typed.
   */
  input(bytes: Uint8Array, { key, reader, acts = false, asked, ...how }: InputOptions = {}): Written {
    const before = key === undefined ? undefined : this.#inputKeys.find(key, bytes);
    if (before !== undefined) return before;
    this.#assertWritable("type");
    if (this.#pty.backend === "pipes") throw noKeys(this.session);
    this.#assertRoom(bytes, "type");
    this.#pty.assertKept(bytes);
    const modes = this.#pty.modes();
    const secret = how.secret === true || (modes !== undefined && modes.canonical && !modes.echo);
    const recorded = secret ? maskSecret(bytes) : bytes;
    const timeUs = nowUs();
    if (reader !== undefined) assertReads(reader, this.#pty.foregroundGroup());
    if (acts) this.#assertRead(modes);
    if (asked !== undefined) this.#assertAsker(asked);
    if (key !== undefined)
      this.#journal.append("mark", encodeJson({ type: "input-key", key, bytes: bytes.length }), { timeUs });
    const offset = this.#journal.append("input", recorded, { timeUs, secret });
    const written = { offset, next: this.#journal.end };
    // Before the pty gets a byte, so that the bytes are not typed twice even if the write fails.
    if (key !== undefined) this.#inputKeys.remember(key, bytes, written);
    if (!secret) this.#lastTyped.feed(bytes, { isRead: this.#foreground.isReadBy(this.#pty.pid) });
    this.#pty.write(bytes);
    this.#counters.inputBytes += bytes.length;
    this.#inputEnd = written.next;
    this.#listener.onInput(this);
    this.#foreground.moved();
    return written;
  }

  /** Types keys that act by themselves as soon as what was typed before is read. Rejects as `input` throws, after 5 s with `unread`. */
  async press(bytes: Uint8Array, how: InputOptions): Promise<Written> {
    const deadlineMs = performance.now() + waits.answerMs;
    for (let ms = 1; ; ms = Math.min(2 * ms, UNREAD_MS_MAX)) {
      try {
        return this.input(bytes, how);
      } catch (error) {
        const isUnread = error instanceof LecternError && error.details["unread"] !== undefined;
        if (!isUnread || performance.now() > deadlineMs) throw error;
      }
      await sleep(ms);
    }
  }

  /**
   * A mark with a key is appended once; later calls return its offsets with `already`.
   * Throws `TOO_LARGE`, `INVALID_INPUT`, `CONFLICT` (key used for another mark), `SESSION_ENDED`, `JOURNAL_WRITE_FAILED`; then nothing was
   * written.
   */
  mark(event: SessionEvent, key?: string): Written {
    if (typeof event?.type !== "string") throw new LecternError("INVALID_INPUT", "Cannot write a mark without a type");
    if (key !== undefined && key.length > MARK_KEY_CHARS_MAX) throw keyTooLong(key);
    const payload = encodeJson(event);
    if (payload.length > MARK_BYTES_MAX)
      throw new LecternError("TOO_LARGE", `Cannot write a mark of ${payload.length} bytes: at most ${MARK_BYTES_MAX}`);
    const before = key === undefined ? undefined : this.#markKeys.find(key, payload);
    if (before !== undefined) return before;
    this.#assertWritable("write a mark");
    const offset = this.#journal.append("mark", payload, { timeUs: nowUs() });
    const written = { offset, next: this.#journal.end };
    if (key !== undefined) this.#markKeys.remember(key, payload, written);
    this.#listener.onAdvance(this);
    return written;
  }

  /** See `HostMethods.speak`; throws what `mark` throws, too. `speaker`: the connection that sends it. */
  speak(
    { text, encoding }: Pick<ProtocolMark, "text" | "encoding">,
    {
      key,
      recorded,
      speaker,
    }: { readonly key?: string | undefined; readonly recorded?: string | undefined; readonly speaker: object },
  ): Written {
    if (this.#pty.backend !== "pipes")
      throw new LecternError("CONFLICT", `Cannot send a message to session "${this.session}": it runs on a terminal`);
    if (this.#halfway !== null && (key !== undefined || this.#halfway !== speaker)) throw halfWritten();
    const bytes = Buffer.from(text, encoding ?? "utf8");
    this.#assertRoom(bytes, "send");
    const kept = recorded === undefined ? { text, ...(encoding && { encoding }) } : { text: recorded };
    const isKept = kept.text !== "";
    const written: Written = isKept
      ? this.mark({ type: "protocol", stream: "client", ...kept }, key)
      : { offset: this.end, next: this.end };
    if (written.already === true) return written;
    this.#halfway = bytes.at(-1) === LINE_FEED ? null : speaker;
    this.#counters.inputBytes += bytes.length;
    this.#pty.write(bytes);
    return written;
  }

  /** The connection is closed. The rest of its message does not come: the line is ended, so that the next message begins one. */
  left(speaker: object): void {
    if (this.#halfway !== speaker || this.#ended) return;
    const lineEnd = Uint8Array.of(LINE_FEED);
    // If it cannot be recorded, nobody may write behind the half line.
    this.#record("mark", encodeJson(protocolMark("client", lineEnd)));
    this.#halfway = null;
    try {
      this.#pty.write(lineEnd);
    } catch (error) {
      // Its exit is about to be recorded.
      if (!(error instanceof LecternError && error.code === "SESSION_ENDED")) throw error;
    }
  }

  /** An event from the socket. Throws `FORBIDDEN` if its sender does not belong to this session, `LIMIT_EXCEEDED`, and what `mark` throws. */
  event(request: EventRequest, peer: EventPeer | undefined): EventReceipt {
    const trust = judgePeer(peer, {
      session: this.session,
      pid: this.#pty.pid,
      uid: process.getuid?.() ?? -1,
      hasNonce: request.nonce === this.#eventNonce,
    });
    if (trust === undefined) {
      throw new LecternError(
        "FORBIDDEN",
        `Cannot accept the event: process ${peer?.pid} does not belong to session "${this.session}"`,
      );
    }
    const waitMs = this.#eventBudget.take(performance.now());
    if (waitMs > 0) {
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `Cannot accept more than ${EVENTS_PER_SECOND_MAX} events per second: wait`,
      );
    }
    const { name, payload } = request;
    return { ...this.mark({ type: "event", name, payload, carrier: "socket", trust, pid: peer?.pid ?? null }), trust };
  }

  probe(): { readonly end: number; readonly isCurrent: boolean } {
    const isCurrent = !this.#ended && this.#foreground.probe();
    return { end: this.#journal.end, isCurrent };
  }

  resize(size: { readonly columns: number; readonly rows: number }): Written {
    this.#assertWritable("resize");
    const offset = this.#journal.append("resize", encodeResize(size), { timeUs: nowUs() });
    this.#pty.resize(size);
    this.#columns = size.columns;
    this.#rows = size.rows;
    this.#listener.onInput(this);
    return { offset, next: this.#journal.end };
  }

  signal(name: string): void {
    if (this.#ended) throw ended(this.session);
    this.#requested.add(name);
    this.#pty.signal(name as NodeJS.Signals);
  }

  async kill(graceMs: number): Promise<void> {
    if (this.#ended) return;
    this.#requested.add(END);
    await this.#pty.kill({ graceMs });
  }

  /** Adds who wanted the end, if somebody did. */
  #withCause(exit: ExitStatus): ExitStatus {
    if (exit.reason === "lost") return exit;
    const isRequested = this.#requested.has(END) || (exit.signal !== null && this.#requested.has(exit.signal));
    if (isRequested) return { ...exit, endedBy: "request" };
    return this.#lastTyped.endedBy(exit) ? { ...exit, endedBy: "keyboard" } : exit;
  }

  /** False if the journal cannot be written at the moment. */
  #tryMark(event: SessionEvent): boolean {
    if (this.#ended || this.#unwritten.length > 0) return false;
    this.#record("mark", encodeJson(event));
    return true;
  }

  /** Throws `CONFLICT` while what was typed waits. The kernel keeps an open line to itself: its reader has to wait for the end of it. */
  #assertRead(modes: TerminalModes | undefined): void {
    const unread = this.#pty.inputQueuedBytes + (this.#pty.queues()?.input ?? 0);
    const isAway = unread === 0 && modes?.canonical === true && this.#foreground.isBusy();
    if (unread === 0 && !isAway) return;
    throw new LecternError("CONFLICT", "Cannot press a key: the program has not read what was typed before it", {
      details: { unread },
    });
  }

  /** Throws `CONFLICT` if the group that was in the foreground when this was output has left it: another program would read the answer. */
  #assertAsker(offset: number): void {
    const asker = this.#groups.findLast(({ from }) => from < offset)?.group;
    const now = this.#pty.foregroundGroup();
    if (asker === undefined || now === undefined || asker === now) return;
    throw new LecternError("CONFLICT", `Cannot answer process group ${asker}: it has left the foreground`, {
      details: { foreground: null, foregroundGroup: now },
    });
  }

  #noteGroup(): void {
    const group = this.#pty.foregroundGroup();
    if (group === this.#groups.at(-1)?.group) return;
    this.#groups.push({ from: this.#journal.end, group });
    if (this.#groups.length > GROUPS_MAX) this.#groups.shift();
  }

  #assertRoom(bytes: Uint8Array, action: string): void {
    const waiting = this.#pty.inputQueuedBytes;
    if (waiting + bytes.length <= INPUT_QUEUE_BYTES_MAX) return;
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot ${action} ${bytes.length} bytes: ${waiting} of at most ${INPUT_QUEUE_BYTES_MAX} wait for the program to read; try again when it does`,
    );
  }

  #assertWritable(action: string): void {
    if (this.#ended) throw ended(this.session);
    if (this.#degraded !== null) {
      throw new LecternError(
        "JOURNAL_WRITE_FAILED",
        `Cannot ${action}: the journal cannot be written (${this.#degraded}); free some space`,
      );
    }
  }

  /** Appends, or keeps a copy for a retry. `exit` comes with the record that closes the journal. */
  #record(type: RecordType, payload: Uint8Array, exit?: ExitStatus): void {
    if (exit !== undefined) {
      this.#ended = true;
      this.#foreground.close();
    }
    if (this.#unwritten.length > 0 || !this.#append(type, payload)) {
      this.#unwritten.push({ type, payload: Uint8Array.from(payload) });
      this.#retryLater(exit);
      return;
    }
    this.#listener.onAdvance(this);
    if (exit !== undefined) this.#close(exit);
  }

  #append(type: RecordType, payload: Uint8Array): boolean {
    try {
      const startMs = performance.now();
      this.#journal.append(type, payload, { timeUs: wallUs(startMs) });
      this.#counters.appended(performance.now() - startMs);
      return true;
    } catch (error) {
      this.#setDegraded((error as Error).message);
      return false;
    }
  }

  #retryLater(exit: ExitStatus | undefined): void {
    if (!this.#ended) this.#pty.pause();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#retryNow(exit), waits.checkMs);
  }

  #retryNow(exit: ExitStatus | undefined): void {
    for (let next = this.#unwritten[0]; next !== undefined; next = this.#unwritten[0]) {
      if (!this.#append(next.type, next.payload)) return this.#retryLater(exit);
      this.#unwritten.shift();
    }
    this.#setDegraded(null);
    this.#listener.onAdvance(this);
    if (exit === undefined) {
      this.#pty.resume();
      this.#foreground.retry();
    } else this.#close(exit);
  }

  #setDegraded(message: string | null): void {
    if (this.#degraded === message) return;
    this.#degraded = message;
    this.#listener.onDegraded(this, message);
  }

  #close(exit: ExitStatus): void {
    // All records are readable already; closing only waits for the sync.
    this.#journal.close().catch((error: unknown) => this.#listener.onError(error));
    this.#listener.onExit(this, exit);
  }
}

/** Wall clock in microseconds, with the resolution of the monotonic clock. */
const nowUs = (): number => wallUs(performance.now());

const wallUs = (monotonicMs: number): number => Math.round((performance.timeOrigin + monotonicMs) * 1000);

/** Has the length of the secret, so offsets stay correct, and its line ends, so it is visible when something was entered. */
const maskSecret = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte) => (byte === 0x0d || byte === 0x0a ? byte : 0x2a));

const noKeys = (session: string): LecternError =>
  new LecternError(
    "CONFLICT",
    `Cannot type into session "${session}": its agent reads a protocol, not keys; prompt it in the editor that runs "lectern acp --proxy"`,
  );

/** Not final: `unfinished` in the details. */
const halfWritten = (): LecternError =>
  new LecternError("CONFLICT", "Cannot send a message inside of another, which is half written: try again", {
    details: { unfinished: true },
  });

const keyTooLong = ({ length }: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot write a mark: its key has ${length} characters, at most ${MARK_KEY_CHARS_MAX}; use a hash of it`,
  );

const ended = (session: string): LecternError =>
  new LecternError("SESSION_ENDED", `Session "${session}" has ended: read it with "lectern logs ${session}"`);
