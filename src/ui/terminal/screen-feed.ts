/**
 * Draws the items of a session on an emulator by offset. Law: nothing is drawn twice or out of order,
 * even across resizes. The bytes that wait to be parsed are bounded, so a flood is read at the speed of the page.
 */
import type { Terminal } from "@xterm/xterm";
import type { AttachmentItem } from "../../client.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import type { ViewerMode } from "../../core/text/viewer-policy.ts";

// How many bytes to draw between two frames, adapted to the current speed of the machine. Pure.

const BYTES_MIN = 8 * 1024;
const BYTES_MAX = 256 * 1024;
const BYTES_FIRST = 64 * 1024;
/** Part of the 16 ms of a frame; the rest is for rendering. */
const TOO_LONG_MS = 10;
const SHORT_MS = 4;

export class Pace {
  #bytes = BYTES_FIRST;

  get bytes(): number {
    return this.#bytes;
  }

  /** Reports the duration of the last piece. */
  took(durationMs: number): void {
    if (durationMs > TOO_LONG_MS) this.#bytes = Math.max(BYTES_MIN, this.#bytes >> 1);
    else if (durationMs < SHORT_MS) this.#bytes = Math.min(BYTES_MAX, this.#bytes * 2);
  }
}

export class ScreenFeed {
  readonly #terminal: Terminal;
  readonly #mode: ViewerMode;
  #filter: ViewerFilter;
  /** Written to the emulator but not parsed yet. */
  #pendingBytes = 0;
  readonly #pace = new Pace();

  constructor(terminal: Terminal, mode: ViewerMode) {
    this.#terminal = terminal;
    this.#mode = mode;
    this.#filter = new ViewerFilter({ mode });
  }

  /** Resolves when there is room for the next item. */
  async feed(item: AttachmentItem): Promise<void> {
    switch (item.type) {
      case "output":
        return this.#write(this.#filter.feed(item.bytes));
      case "snapshot":
        await this.drained();
        this.#terminal.reset();
        this.#terminal.resize(item.columns, item.rows);
        this.#filter = new ViewerFilter({ mode: this.#mode });
        return this.#write(this.#filter.feed(new TextEncoder().encode(item.text)));
      case "resize":
        return this.#resize(item);
      case "mark":
        if (item.event.type === "session-start") return this.#resize(item.event);
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

  /** Resolves when everything is drawn. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#terminal.write("", resolve);
    return promise;
  }

  /** Draws a notice, but not on the alternate screen, which belongs to a full-screen program. */
  async #notice(text: string): Promise<void> {
    await this.drained();
    if (this.#terminal.buffer.active.type === "alternate") return;
    await this.#write(new TextEncoder().encode(`\r\n\u001b[7m ${escapeForDisplay(text)} \u001b[27m\r\n`));
  }

  async #resize(size: TerminalSize): Promise<void> {
    const { cols, rows } = this.#terminal;
    if (cols === size.columns && rows === size.rows) return;
    await this.drained();
    this.#terminal.resize(Math.max(2, size.columns), size.rows);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // Writing a piece may change the pace.
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

/** Animation frames are not called in the background. */
const FRAME_MS_MAX = 100;

/** Waits for an animation frame, so that the page stays responsive during a flood. */
function nextFrame(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FRAME_MS_MAX);
  requestAnimationFrame(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
