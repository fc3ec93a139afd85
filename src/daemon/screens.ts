/**
 * Screens on demand: a reader that fell behind gets the screen as it is now instead of what it missed. The emulator runs in a worker
 * thread, over the end of the journal, and only then; a session that nobody has to catch up with costs nothing.
 */
import { snapshotBytes } from "../core/screen/snapshot.ts";
import type { TerminalSize } from "../protocol/payloads.ts";
import { ScreenPool } from "../session/screen-pool.ts";
import type { SessionFeed } from "../session/session-feed.ts";
import { lineStart } from "./operations/line-start.ts";

/** Output that the emulator sees: what was drawn before it is not on the screen, unless it was drawn again. */
const HISTORY_BYTES = 1024 * 1024;
/** Only what is shown, no scrollback: the reader wants to go on. */
const SCROLLBACK_LINES_MAX = 0;

export interface DrawnScreen extends TerminalSize {
  readonly offset: number;
  readonly text: string;
}

export class Screens implements AsyncDisposable {
  #pool: ScreenPool | undefined;

  /** The screen at the end of the journal as it is now. */
  async draw(feed: SessionFeed, size: TerminalSize): Promise<DrawnScreen> {
    this.#pool ??= new ScreenPool({ workersMax: 1 });
    const end = feed.end;
    const view = this.#pool.open({
      source: {
        read: async (from, bytesMax) =>
          from >= end ? [] : (await feed.reader.read(from, { bytesMax: Math.min(bytesMax, end - from) })).records,
      },
      from: await lineStart(feed, HISTORY_BYTES),
      columns: size.columns,
      rows: size.rows,
      scrollbackLinesMax: SCROLLBACK_LINES_MAX,
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
    await this.#pool?.[Symbol.asyncDispose]();
  }
}
