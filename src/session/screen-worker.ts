/** A worker thread that holds the screens of some sessions. It keeps nothing that the main thread cannot rebuild. */
import { parentPort, workerData } from "node:worker_threads";
import { Screen } from "../core/screen/screen.ts";
import {
  Progress,
  sliceBytes,
  type BatchPiece,
  type FromWorker,
  type Reply,
  type ToWorker,
} from "./screen-messages.ts";

interface Session {
  readonly screen: Screen;
  offset: number;
}

/** Screens by session; one message at a time. */
class ScreenWorker {
  readonly #sessions = new Map<number, Session>();
  readonly #progress: Progress;
  readonly #post: (message: FromWorker) => void;

  constructor(progress: Progress, post: (message: FromWorker) => void) {
    this.#progress = progress;
    this.#post = post;
  }

  handle(message: ToWorker): void {
    const { id } = message;
    this.#progress.start(id, 0, 0);
    try {
      this.#act(message);
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
    if (message.type === "open") {
      const { columns, rows, scrollbackLinesMax, snapshot } = message;
      const screen =
        snapshot === null
          ? new Screen({ columns, rows, scrollbackLinesMax })
          : Screen.restore(snapshot, { scrollbackLinesMax });
      this.#sessions.set(id, { screen, offset: snapshot?.offset ?? 0 });
      return;
    }
    const session = this.#sessions.get(id);
    // A session that broke while messages were on their way: the main thread opens it anew.
    if (session === undefined) return;
    switch (message.type) {
      case "feed":
        this.#feed(session, message);
        return;
      case "snapshot":
        this.#post({ ...message, snapshot: session.screen.snapshot(session.offset) });
        return;
      case "text": {
        const text = session.screen.text({ scrollback: message.scrollback });
        this.#post({ type: "text", id, request: message.request, text, offset: session.offset });
        return;
      }
      case "close":
        this.#close(id);
    }
  }

  #feed(session: Session, { id, pieces, bytes, next }: Extract<ToWorker, { type: "feed" }>): void {
    const replies: Reply[] = [];
    let at = 0;
    for (const piece of pieces) {
      if (piece.type === "output") {
        replies.push(...this.#output(session, { id, piece, bytes: bytes.subarray(at, at + piece.length) }));
        at += piece.length;
      } else if (piece.type === "resize") session.screen.resize(piece.columns, piece.rows);
      else if (piece.type === "gap") session.screen.gap();
      else session.screen.skip();
    }
    session.offset = next;
    this.#post({ type: "fed", id, next, replies });
  }

  #output(session: Session, { id, piece, bytes }: { id: number; piece: BatchPiece; bytes: Uint8Array }): Reply[] {
    const replies: Reply[] = [];
    for (let start = 0; start < bytes.length; start += sliceBytes) {
      const slice = bytes.subarray(start, start + sliceBytes);
      const from = piece.offset + start;
      this.#progress.start(id, from, from + slice.length);
      const reply = session.screen.feed(slice);
      if (reply.length > 0) replies.push({ offset: from + slice.length, timeUs: piece.timeUs, bytes: reply });
    }
    return replies;
  }

  #close(id: number): void {
    this.#sessions.get(id)?.screen.dispose();
    this.#sessions.delete(id);
  }
}

const port = parentPort;
if (port === null) throw new Error("The screen worker runs in a worker thread only");
const worker = new ScreenWorker(new Progress(workerData as SharedArrayBuffer), (message) => port.postMessage(message)); // set by ScreenThread
port.on("message", (message: ToWorker) => worker.handle(message));
