/** A worker thread that holds the views of some sessions. It keeps nothing that the main thread cannot rebuild. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { AgentFile } from "../core/agents/agent-file.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import type { AgentRegistry } from "../core/agents/registry.ts";
import { registryWith } from "../core/agents/user-agents.ts";
import type { ViewChange } from "../core/views/change.ts";
import { SessionView, type SessionViewOptions, type ViewCheckpoint } from "../core/views/session-view.ts";
import { JournalReader } from "../journal/reader.ts";
import { skimRecord, stepPiece } from "./view-steps.ts";
import { Progress, sliceBytes, type BatchPiece, type FromWorker, type Reply, type ToWorker } from "./view-messages.ts";

/** Read at once in a flood: a few milliseconds of work. */
const SKIM_BYTES = 1024 * 1024;
/** How far the clock may be ahead of a record that is on its way here. */
const latenessMs = 5;
/** Lower priority: drawing a flood must not delay the threads that carry it. */
const niceness = 5;

class Session {
  readonly options: SessionViewOptions;
  /** The agent that the program is; null if the command shows it. */
  readonly agent: string | null;
  view: SessionView;
  offset: number;
  /** Set while the clock alone will change something, at `wakeAtMs`. */
  timer: NodeJS.Timeout | undefined;
  wakeAtMs = 0;
  /** It has read all that was written. */
  isAtTail = false;

  constructor(
    view: SessionView,
    { agent, offset, options }: { agent: string | null; offset: number; options: SessionViewOptions },
  ) {
    this.options = options;
    this.agent = agent;
    this.view = view;
    this.offset = offset;
  }

  stopClock(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** There is more to read. */
  leaveTail(): void {
    this.isAtTail = false;
    this.stopClock();
  }
}

/** Views by session; one message at a time. */
class ViewWorker {
  readonly #sessions = new Map<number, Session>();
  #agents: AgentRegistry = builtInAgents;
  readonly #progress: Progress;
  readonly #post: (message: FromWorker) => void;

  constructor(progress: Progress, post: (message: FromWorker) => void) {
    this.#progress = progress;
    this.#post = post;
  }

  handle(message: ToWorker): void {
    this.#guard(message.id, () => this.#act(message));
  }

  /** An error in one view ends only that view. */
  #guard(id: number, run: () => void): void {
    this.#progress.start(id, 0, 0);
    try {
      run();
    } catch (error) {
      const { from, to } = this.#progress.at;
      this.#close(id);
      this.#post({ type: "broken", id, from, to, message: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#progress.end();
    }
  }

  #act(message: ToWorker): void {
    const { id } = message;
    if (message.type === "agents") return this.#setAgents(message.files);
    if (message.type === "open") {
      const { agent, checkpoint, columns, rows, scrollbackLinesMax, isFolded, markNonce, events } = message;
      const options = { columns, rows, scrollbackLinesMax, isFolded, markNonce, events };
      const offset = checkpoint?.offset ?? 0;
      const session = new Session(this.#viewOf(options, checkpoint), { agent, offset, options });
      this.#sessions.set(id, session);
      if (checkpoint !== null) this.#reread(id, session);
      return;
    }
    const session = this.#sessions.get(id);
    // It broke while messages were on their way; the main thread opens it again.
    if (session === undefined) return;
    switch (message.type) {
      case "feed":
        session.leaveTail();
        this.#feed(session, message);
        return;
      case "skim":
        session.leaveTail();
        void this.#skim(session, message);
        return;
      case "tail":
        session.isAtTail = true;
        this.#wakeLater(id, session);
        return;
      case "snapshot":
        this.#post({ ...message, snapshot: session.view.screen.snapshot(session.offset) });
        return;
      case "checkpoint":
        this.#post({
          ...message,
          checkpoint: session.view.checkpoint(session.offset),
          wakeMs: session.timer === undefined ? null : Math.max(0, session.wakeAtMs - Date.now()),
        });
        return;
      case "text": {
        const text = session.view.screen.text({ scrollback: message.scrollback });
        this.#post({ type: "text", id, request: message.request, text, offset: session.offset });
        return;
      }
      case "draft":
        this.#post({ type: "draft", id, request: message.request, draft: session.view.draft });
        return;
      case "keys": {
        const keys = session.view.keysFor(message.approval, message.option);
        this.#post({ type: "keys", id, request: message.request, keys, whyUnread: session.view.whyUnread });
        return;
      }
      case "close":
        this.#close(id);
    }
  }

  #viewOf(options: SessionViewOptions, checkpoint: ViewCheckpoint | null): SessionView {
    const own = { ...options, agents: this.#agents };
    return new SessionView(checkpoint === null ? own : { ...own, checkpoint });
  }

  /** Every view continues from where it is, with the new rules. */
  #setAgents(files: readonly AgentFile[]): void {
    this.#agents = registryWith(files);
    for (const [id, session] of this.#sessions) {
      this.#guard(id, () => {
        const { isAtTail, offset, options, view } = session;
        session.view = this.#viewOf(options, view.checkpoint(offset));
        view.dispose();
        this.#reread(id, session);
        if (isAtTail) this.#wakeLater(id, session);
      });
    }
  }

  /** The rules may have changed since the screen was read. */
  #reread(id: number, { view }: Session): void {
    const changes = view.reread();
    if (changes.length > 0) this.#post({ type: "changed", id, changes });
  }

  #feed(session: Session, { id, pieces, bytes, next }: Extract<ToWorker, { type: "feed" }>): void {
    const replies: Reply[] = [];
    const changes: ViewChange[] = [];
    let at = 0;
    for (const piece of pieces) {
      const own = bytes.subarray(at, at + piece.length);
      at += piece.length;
      if (piece.type === "output") this.#output(session, { id, piece, bytes: own, replies, changes });
      else changes.push(...stepPiece(session, piece, own));
    }
    session.offset = next;
    this.#post({ type: "fed", id, next, replies, changes });
  }

  /** In pieces, so that questions are answered in between. */
  async #skim(session: Session, { id, directory, from, to }: Extract<ToWorker, { type: "skim" }>): Promise<void> {
    let next = from;
    try {
      await using reader = await JournalReader.open(directory);
      reader.advance(to);
      while (next < to && this.#sessions.get(id) === session) {
        const changes: ViewChange[] = [];
        const read = this.#skimPiece(id, session, { reader, from: next, changes });
        // If this part was trimmed meanwhile, the next read reports where the journal starts now.
        next = read > next ? read : to;
        // Reported before the next turn, so that a checkpoint requested then includes it.
        session.offset = next;
        if (changes.length > 0) this.#post({ type: "changed", id, changes });
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      this.#guard(id, () => {
        throw error;
      });
    }
    if (this.#sessions.get(id) !== session) return;
    this.#post({ type: "fed", id, next, replies: [], changes: [] });
  }

  /** Returns where the next piece starts. */
  #skimPiece(
    id: number,
    session: Session,
    { reader, from, changes }: { reader: JournalReader; from: number; changes: ViewChange[] },
  ): number {
    let next = from;
    this.#guard(id, () => {
      this.#progress.start(id, from, from + SKIM_BYTES);
      const read = reader.borrowSync(from, { bytesMax: SKIM_BYTES });
      for (const record of read.records) changes.push(...skimRecord(session, record));
      next = read.next;
    });
    return next;
  }

  #output(
    { view }: Session,
    to: { id: number; piece: BatchPiece; bytes: Uint8Array; replies: Reply[]; changes: ViewChange[] },
  ): void {
    const { id, piece, bytes, replies, changes } = to;
    for (let start = 0; start < bytes.length; start += sliceBytes) {
      const slice = bytes.subarray(start, start + sliceBytes);
      const from = piece.offset + start;
      this.#progress.start(id, from, from + slice.length);
      const reading = view.output(slice, from, piece.timeUs);
      for (const reply of reading.replies)
        replies.push({ offset: from + slice.length, timeUs: piece.timeUs, bytes: reply });
      if (reading.changes.length > 0) changes.push(...reading.changes);
    }
  }

  /** Nothing more has been written: the view waits for the clock. */
  #wakeLater(id: number, session: Session, wokenUs = -Infinity): void {
    session.stopClock();
    const { wakeUs } = session.view;
    // Do not schedule the same past wake-up again.
    if (wakeUs === null || wakeUs <= wokenUs) return;
    session.wakeAtMs = wakeUs / 1000 + latenessMs;
    const delayMs = Math.max(0, session.wakeAtMs - Date.now());
    session.timer = setTimeout(() => this.#guard(id, () => this.#wake(id, session)), delayMs);
  }

  #wake(id: number, session: Session): void {
    const nowUs = (Date.now() - latenessMs) * 1000;
    const changes = session.view.advance(nowUs);
    if (changes.length > 0) this.#post({ type: "changed", id, changes });
    this.#wakeLater(id, session, nowUs);
  }

  #close(id: number): void {
    const session = this.#sessions.get(id);
    session?.stopClock();
    session?.view.dispose();
    this.#sessions.delete(id);
  }
}

/** Returns the number of this thread on Linux, where threads have priorities of their own; elsewhere 0, without any effect. */
function yieldToOthers(): number {
  if (process.platform !== "linux") return 0;
  const [, , thread] = readlinkSync("/proc/thread-self").split("/");
  setPriority(Number(thread), niceness);
  return Number(thread);
}

const port = parentPort;
if (port === null) throw new Error("The view worker runs in a worker thread only");
const progress = new Progress(workerData as SharedArrayBuffer); // set by ViewThread
progress.thread = yieldToOthers();
const worker = new ViewWorker(progress, (message) => port.postMessage(message));
port.on("message", (message: ToWorker) => worker.handle(message));
