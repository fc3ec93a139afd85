/**
 * Screens on demand: a reader that fell behind gets the screen as it is now instead of what it missed. The emulator runs in a worker
 * thread, over the end of the journal, and only then; a session that nobody has to catch up with costs nothing.
 */
import { LecternError } from "../../core/errors.ts";
import { snapshotBytes } from "../../core/screen/snapshot.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import { ViewPool } from "../../live/view-pool.ts";
import type { SessionFeed } from "../../live/session-feed.ts";
import { lineStart } from "./line-start.ts";
import type { DrawnScreen } from "../service.ts";

/** Output that the emulator sees: what was drawn before it is not on the screen, unless it was drawn again. */
const HISTORY_BYTES = 128 * 1024;
/** A screen that is no older than this serves the next reader too: many readers that fall behind together cost one. */
const FRESH_BYTES = 1024 * 1024;
/** Only what is shown, no scrollback: the reader wants to go on. */
const SCROLLBACK_LINES_MAX = 0;

/** The last drawing of a session: where it ends, and whether it is still being made. */
interface Drawing {
  readonly end: number;
  readonly screen: Promise<DrawnScreen>;
  settled: boolean;
}

export class Screens implements AsyncDisposable {
  #pool: ViewPool | undefined;
  #isClosed = false;
  readonly #last = new WeakMap<SessionFeed, Drawing>();

  /** The screen near the end of the journal as it is now. One at a time is drawn for each session. */
  draw(feed: SessionFeed, size: TerminalSize): Promise<DrawnScreen> {
    const last = this.#last.get(feed);
    if (last !== undefined && (!last.settled || feed.end - last.end <= FRESH_BYTES)) return last.screen;
    const drawing: Drawing = { end: feed.end, screen: this.#draw(feed, size, feed.end), settled: false };
    this.#last.set(feed, drawing);
    const settle = (): void => {
      drawing.settled = true;
    };
    drawing.screen.then(settle, () => {
      settle();
      this.#last.delete(feed);
    });
    return drawing.screen;
  }

  async #draw(feed: SessionFeed, size: TerminalSize, end: number): Promise<DrawnScreen> {
    const start = await lineStart(feed, HISTORY_BYTES);
    if (this.#isClosed) throw new LecternError("NOT_AVAILABLE", "Cannot draw the screen: the daemon is shutting down");
    this.#pool ??= new ViewPool({ workersMax: 1 });
    const view = this.#pool.open({
      source: {
        read: async (from, bytesMax) =>
          from >= end ? [] : (await feed.reader.read(from, { bytesMax: Math.min(bytesMax, end - from) })).records,
        end,
      },
      from: start,
      columns: size.columns,
      rows: size.rows,
      scrollbackLinesMax: SCROLLBACK_LINES_MAX,
      isFolded: false,
    });
    try {
      await view.caughtUp();
      const snapshot = await view.snapshot();
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(snapshotBytes(snapshot));
      return { offset: snapshot.offset, columns: snapshot.columns, rows: snapshot.rows, text };
    } finally {
      view.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.[Symbol.asyncDispose]();
  }
}
