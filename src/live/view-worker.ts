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
import { BatchJob } from "./batch-job.ts";
import { giveMemoryBack } from "./give-back.ts";
import { FairTurns } from "./fair-turns.ts";
import { skimRecord } from "./view-steps.ts";
import { Progress, type FromWorker, type ToWorker } from "./view-messages.ts";
import { platform, procPath } from "../pty/platform.ts";

/** Read at once in a flood: some milliseconds of work, in the memory that all reads share. */
const SKIM_BYTES = 256 * 1024;
/** Of one session before the next one has its turn. */
const TURN_MS = 4;
/**
 * Processor time of the emulator for a batch. What is not drawn by then is dropped: its output is too expensive to draw all of it. What is
 * read off the screen does not count: an agent's frames cost 60 times as much as drawing them, and are what the view is for.
 */
const BATCH_MS_MAX = 200;
/** Views that were closed since memory was given back, and how long afterwards it is given back: at most so often, for it holds the thread up. */
const CLOSED_MIN = 4;
const GIVE_BACK_MS = 10_000;
/** Between the time of a record and its place in the journal, where the main thread looks before the clock goes on. */
const latenessMs = 5;
/** Lower priority: drawing a flood must not delay the threads that carry it. */
const niceness = 5;

/** Is handled in order with the batches. */
type Question = Exclude<ToWorker, { type: "agents" | "open" | "close" | "feed" | "skim" }>;

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
  /** Batches and questions, in the order in which they came. */
  readonly work: (BatchJob | Question)[] = [];
  /** Of the journal, during a flood. */
  reader: JournalReader | undefined;

  constructor(
    view: SessionView,
    { agent, offset, options }: { agent: string | null; offset: number; options: SessionViewOptions },
  ) {
    this.options = options;
    this.agent = agent;
    this.view = view;
    this.offset = offset;
  }

  /** Not in a flood any more. */
  closeReader(): void {
    void this.reader?.close();
    this.reader = undefined;
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

class ViewWorker {
  readonly #sessions = new Map<number, Session>();
  readonly #turns = new FairTurns<number>({ turnMs: TURN_MS, work: (id, deadlineMs) => this.#work(id, deadlineMs) });
  #agents: AgentRegistry = builtInAgents;
  readonly #progress: Progress;
  readonly #post: (message: FromWorker) => void;
  #closedViews = 0;

  constructor(progress: Progress, post: (message: FromWorker) => void) {
    this.#progress = progress;
    this.#post = post;
  }

  /** Each message counts as progress: the main thread sees that it was taken up. */
  handle(message: ToWorker): void {
    this.#guard(message.id, () => this.#take(message));
  }

  #take(message: ToWorker): void {
    const { id } = message;
    switch (message.type) {
      case "agents":
        return this.#setAgents(message.files);
      case "open":
        return this.#open(message);
      case "close":
        return this.#close(id);
      default: {
        const session = this.#sessions.get(id);
        // It broke while messages were on their way; the main thread opens it again.
        if (session === undefined) return;
        if (message.type === "skim") {
          session.leaveTail();
          void this.#skim(session, message);
          return;
        }
        session.work.push(message.type === "feed" ? new BatchJob(message) : message);
        this.#turns.add(id);
      }
    }
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

  /** One turn of a session. Returns whether it has more to do. */
  #work(id: number, deadlineMs: number): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#guard(id, () => {
      for (let next = session.work[0]; next !== undefined && performance.now() < deadlineMs; next = session.work[0]) {
        if (next instanceof BatchJob) this.#feed(id, session, { job: next, deadlineMs });
        else {
          session.work.shift();
          this.#answer(session, next);
        }
      }
    });
    return session.work.length > 0;
  }

  #open({ id, agent, checkpoint, from, ...rest }: Extract<ToWorker, { type: "open" }>): void {
    const { columns, rows, scrollbackLinesMax, isFolded, markNonce, events } = rest;
    const options = { columns, rows, scrollbackLinesMax, isFolded, markNonce, events };
    const offset = checkpoint?.offset ?? from;
    const session = new Session(this.#viewOf(options, checkpoint), { agent, offset, options });
    this.#sessions.set(id, session);
    if (checkpoint !== null) this.#reread(id, session);
  }

  #answer(session: Session, message: Question): void {
    const { id } = message;
    switch (message.type) {
      case "tail":
        session.isAtTail = true;
        this.#wakeLater(id, session);
        return;
      case "tick":
        return this.#tick(session, message);
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
        const { screen, whyUnread, reader } = session.view;
        const keys = session.view.keysFor(message.approval, message.option);
        const { applicationCursorKeys: applicationCursor } = screen.modes;
        this.#post({ type: "keys", id, request: message.request, keys, whyUnread, applicationCursor, reader });
      }
    }
  }

  #viewOf(options: SessionViewOptions, checkpoint: ViewCheckpoint | null): SessionView {
    const own = { ...options, agents: this.#agents };
    const view = new SessionView(checkpoint === null ? own : { ...own, checkpoint });
    view.screen.clock = threadMs;
    return view;
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

  /** A part of a batch, until it is done, has to be cut, or the turn is over. */
  #feed(id: number, session: Session, { job, deadlineMs }: { job: BatchJob; deadlineMs: number }): void {
    if (job.isNew && job.next !== session.offset) {
      session.work.shift();
      return;
    }
    session.leaveTail();
    session.closeReader();
    do job.step(session, (from, to) => this.#progress.start(id, from, to));
    while (!job.isDone && performance.now() < deadlineMs);
    session.offset = job.next;
    const isCut = !job.isDone && job.spentMs >= BATCH_MS_MAX;
    if (!job.isDone && !isCut) return;
    session.work.shift();
    const { changes, next, replies, spentMs } = job;
    const { readsAgent } = session.view;
    this.#post({ type: "fed", id, next, isCut, spentMs, readsAgent, replies, changes });
  }

  /** In pieces, so that questions are answered in between. */
  async #skim(session: Session, message: Extract<ToWorker, { type: "skim" }>): Promise<void> {
    const { id, directory, end, from, isLast, leftBytes } = message;
    let next = from;
    try {
      session.reader ??= await JournalReader.open(directory);
      const { reader } = session;
      reader.advance(end);
      const to = isLast ? await skimEnd(reader, { from, end, leftBytes }) : Math.max(from, end - leftBytes);
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
    const { readsAgent } = session.view;
    if (this.#sessions.get(id) === session)
      this.#post({ type: "fed", id, next, isCut: false, spentMs: 0, readsAgent, replies: [], changes: [] });
    else session.closeReader();
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

  /** Nothing more has been written: the view waits for the clock. */
  #wakeLater(id: number, session: Session, wokenUs = -Infinity): void {
    session.stopClock();
    const { wakeUs } = session.view;
    // Do not schedule the same past wake-up again.
    if (wakeUs === null || wakeUs <= wokenUs) return;
    session.wakeAtMs = wakeUs / 1000 + latenessMs;
    const delayMs = Math.max(0, session.wakeAtMs - Date.now());
    session.timer = setTimeout(() => this.#post({ type: "due", id }), delayMs);
  }

  #tick(session: Session, message: Extract<ToWorker, { type: "tick" }>): void {
    const { id } = message;
    const nowUs = message.nowUs - latenessMs * 1000;
    const changes = session.view.advance(nowUs);
    if (changes.length > 0) this.#post({ type: "changed", id, changes });
    this.#wakeLater(id, session, nowUs);
  }

  #close(id: number): void {
    const session = this.#sessions.get(id);
    session?.stopClock();
    session?.closeReader();
    session?.view.dispose();
    this.#sessions.delete(id);
    this.#turns.remove(id);
    this.#closedViews += 1;
    if (this.#closedViews === CLOSED_MIN) setTimeout(() => this.#giveBack(), GIVE_BACK_MS).unref();
  }

  #giveBack(): void {
    this.#closedViews = 0;
    giveMemoryBack();
  }
}

/**
 * Where a skim stops: so much output before the end. What was typed may follow the last output, as answers to a program's questions do;
 * where it does not, the search for the output is spared.
 */
async function skimEnd(
  reader: JournalReader,
  { from, end, leftBytes }: { readonly from: number; readonly end: number; readonly leftBytes: number },
): Promise<number> {
  const to = Math.max(from, end - leftBytes);
  let outputBytes = 0;
  for (let next = to; next < end;) {
    const read = reader.borrowSync(next, { bytesMax: SKIM_BYTES });
    for (const { type, payload } of read.records) if (type === "output") outputBytes += payload.length;
    if (read.next <= next) break;
    next = read.next;
  }
  return outputBytes >= leftBytes / 2 ? to : await reader.tailOffset(leftBytes);
}

/** Processor time of this thread: on a busy machine the clock says little. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the number of this thread on Linux, where threads have priorities of their own; elsewhere 0, without any effect. */
function yieldToOthers(): number {
  if (!platform.hasProc) return 0;
  const [, , thread] = readlinkSync(procPath("thread-self")).split("/");
  setPriority(Number(thread), niceness);
  return Number(thread);
}

const port = parentPort;
if (port === null) throw new Error("The view worker runs in a worker thread only");
const progress = new Progress(workerData as SharedArrayBuffer); // set by ViewThread
progress.thread = yieldToOthers();
const worker = new ViewWorker(progress, (message) => port.postMessage(message));
port.on("message", (message: ToWorker) => worker.handle(message));
