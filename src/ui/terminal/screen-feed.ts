/**
 * What comes of a session, drawn on an emulator in the order of its offsets. Law: nothing is drawn twice and nothing out of order,
 * also where sizes change in between; what waits to be parsed is bounded, so that a flood is taken at the speed of the page.
 */
import type { Terminal } from "@xterm/xterm";
import type { AttachmentItem } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import type { ViewerMode } from "../../core/text/viewer-policy.ts";
import { Pace } from "./pace.ts";

export interface ScreenFeedOptions {
  readonly mode: ViewerMode;
  /** Whether the emulator takes a size that the session had at an offset; false where it is an echo of what the viewer asked for. */
  readonly followsSize: (offset: number, size: TerminalSize) => boolean;
}

export class ScreenFeed {
  readonly #terminal: Terminal;
  readonly #options: ScreenFeedOptions;
  #filter: ViewerFilter;
  /** Given to the emulator, and not parsed yet. */
  #pendingBytes = 0;
  readonly #pace = new Pace();

  constructor(terminal: Terminal, options: ScreenFeedOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#filter = new ViewerFilter({ mode: options.mode });
  }

  /** Resolves when there is room for the next one. */
  async feed(item: AttachmentItem): Promise<void> {
    switch (item.type) {
      case "output":
        return this.#write(this.#filter.feed(item.bytes));
      case "snapshot":
        await this.drained();
        this.#terminal.reset();
        this.#terminal.resize(item.columns, item.rows);
        this.#filter = new ViewerFilter({ mode: this.#options.mode });
        return this.#write(this.#filter.feed(new TextEncoder().encode(item.text)));
      case "resize":
        return this.#resize(item.offset, item);
      case "mark":
        if (item.event.type === "session-start") return this.#resize(item.offset, item.event);
        return;
      case "gap":
        this.#filter.gap();
        if (item.reason !== "behind")
          return this.#notice(`${item.next - item.offset} bytes are missing here (${item.reason})`);
        return;
      default:
        return;
    }
  }

  /** Resolves when all is drawn. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#terminal.write("", resolve);
    return promise;
  }

  /** A line of ours: only where lines follow each other, a full-screen program owns its screen. */
  async #notice(text: string): Promise<void> {
    await this.drained();
    if (this.#terminal.buffer.active.type === "alternate") return;
    await this.#write(new TextEncoder().encode(`\r\n\u001b[7m ${escapeForDisplay(text)} \u001b[27m\r\n`));
  }

  async #resize(offset: number, size: TerminalSize): Promise<void> {
    if (!this.#options.followsSize(offset, size)) return;
    const { cols, rows } = this.#terminal;
    if (cols === size.columns && rows === size.rows) return;
    await this.drained();
    this.#terminal.resize(Math.max(2, size.columns), size.rows);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // The pace may be another after the piece.
      const end = at + this.#pace.bytes;
      await this.#writePiece(bytes.subarray(at, end));
      at = end;
    }
  }

  async #writePiece(piece: Uint8Array): Promise<void> {
    const start = performance.now();
    this.#pendingBytes += piece.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#terminal.write(piece, () => {
      this.#pendingBytes -= piece.length;
      resolve();
    });
    if (this.#pendingBytes < this.#pace.bytes) return;
    await promise;
    this.#pace.took(performance.now() - start);
    await nextFrame();
  }
}

/** In the background there are no frames. */
const FRAME_MS_MAX = 100;

/** A flood leaves the page its frames: what was drawn is shown before more is drawn. */
function nextFrame(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FRAME_MS_MAX);
  requestAnimationFrame(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
