/**
 * What stood on the screen when it was worth looking: the one thing that status, chat and approvals are read from.
 *
 * Law: which frames there are follows from the bytes and the times in the journal, not from how the bytes were cut into chunks.
 * A frame is taken around a synchronized update, in front of what wipes the screen, where a shell marks its prompt and
 * the output, when the program paused, and at the latest `intervalMs` after the one before; within a synchronized update none is.
 */
import { FrameCuts, type FrameCut, type FrameCutsState } from "./frame-cuts.ts";
import type { ScreenLine } from "./screen-lines.ts";
import type { Screen } from "./screen.ts";
import type { CursorState } from "./snapshot.ts";

/** Plain data; lines that did not change are the same objects as in the frame before. */
export interface Frame {
  /** The bytes before it are on the screen. */
  readonly offset: number;
  /** When the last of them came, microseconds since the Unix epoch. */
  readonly timeUs: number;
  readonly reason: FrameCut["reason"] | "pause" | "interval" | "resize";
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly cursor: CursorState;
  readonly isAlternate: boolean;
  /** What is shown, top to bottom, `rows` of them. */
  readonly lines: readonly ScreenLine[];
  /** Number of the first row of the normal screen, counted since the beginning; the same while the alternate screen is shown. */
  readonly topLine: number;
  /** Lines that have left the top of the normal screen since the frame before, oldest first; they end at `topLine`. */
  readonly scrolled: readonly ScreenLine[];
  /** Lines that left so quickly that they could not be read; they stand in front of `scrolled`. */
  readonly scrolledLost: number;
  /** The size has changed since the frame before: rows may have been wrapped anew. */
  readonly isResized: boolean;
}

export interface FrameReaderOptions {
  /** Output that follows so long after the output before begins something new. Default 8. */
  readonly pauseMs?: number;
  /** Default 50. */
  readonly intervalMs?: number;
  /** A synchronized update that lasts longer is looked at all the same. Default 500. */
  readonly updateMs?: number;
  /** A cut is a frame only after so many bytes, so that a flood of cuts costs little. Default 256. */
  readonly cutBytesMin?: number;
  /** Marks of a shell that are frames within `intervalMs`, so that a flood of them costs little. Default 96. */
  readonly marksMax?: number;
  /** Lines kept for one frame; older ones are counted as lost. Default 4000. */
  readonly scrolledLinesMax?: number;
  /** The nonce of the session's shell marks: a mark without it hides none that has it. Default null. */
  readonly markNonce?: string | null;
}

/** Where a reader stands, plain data, to go on elsewhere with a screen that was restored. */
export interface FrameReaderState {
  readonly cuts: FrameCutsState;
  readonly end: number;
  readonly frameEnd: number;
  readonly lastOutputUs: number;
  readonly lastFrameUs: number;
  readonly updateFromUs: number;
  readonly marksFromUs: number;
  readonly marks: number;
  readonly topLine: number;
  readonly scrolled: readonly ScreenLine[];
  readonly lost: number;
  readonly isResized: boolean;
}

/** Fewer than a screen keeps in its scrollback, so that none is dropped before it is read. */
const linesPerStep = 800;
const lineFeed = 0x0a;

/** What bytes brought. */
export interface FrameReading {
  readonly frames: readonly Frame[];
  /** To the program, where this screen is the one that answers. */
  readonly replies: readonly Uint8Array[];
}

export class FrameReader {
  readonly #screen: Screen;
  readonly #cuts: FrameCuts;
  readonly #options: Required<Omit<FrameReaderOptions, "markNonce">>;
  #end = 0;
  #lastOutputUs = 0;
  #lastFrameUs = 0;
  /** When the synchronized update began that is open. */
  #updateFromUs = 0;
  /** Frames at marks since this time. */
  #marks = 0;
  #marksFromUs = 0;
  /** Offset of the last frame. */
  #frameEnd = 0;
  #topLine: number;
  #scrolled: ScreenLine[] = [];
  #lost = 0;
  #isResized = false;

  constructor(screen: Screen, options: FrameReaderOptions = {}) {
    this.#screen = screen;
    this.#cuts = new FrameCuts(options.markNonce ?? null);
    const { pauseMs = 8, intervalMs = 50, updateMs = 500, cutBytesMin = 256 } = options;
    const { marksMax = 96, scrolledLinesMax = 4000 } = options;
    this.#options = { pauseMs, intervalMs, updateMs, cutBytesMin, marksMax, scrolledLinesMax };
    this.#topLine = screen.topLine;
  }

  /** When `settle` has a frame to give, in the time of the records; null where nothing is to be shown. */
  get wakeUs(): number | null {
    if (!this.isBehind) return null;
    const { pauseMs, updateMs } = this.#options;
    const pausedUs = this.#lastOutputUs + pauseMs * 1000;
    // An update that is not ended is shown late, and not before: a clock that came back until then would turn for nothing.
    return this.#cuts.isSynchronized ? Math.max(pausedUs, this.#updateFromUs + updateMs * 1000) : pausedUs;
  }

  /** The screen as it is, whether or not it is worth a frame; changes nothing. */
  get now(): Frame {
    return this.#frame("pause");
  }

  save(): FrameReaderState {
    return {
      cuts: this.#cuts.save(),
      end: this.#end,
      frameEnd: this.#frameEnd,
      lastOutputUs: this.#lastOutputUs,
      lastFrameUs: this.#lastFrameUs,
      updateFromUs: this.#updateFromUs,
      marksFromUs: this.#marksFromUs,
      marks: this.#marks,
      topLine: this.#topLine,
      scrolled: this.#scrolled,
      lost: this.#lost,
      isResized: this.#isResized,
    };
  }

  /** Goes on where another stood; the screen is the one that it had, restored with its `topLine`. */
  restore(state: FrameReaderState): void {
    this.#cuts.restore(state.cuts);
    this.#end = state.end;
    this.#frameEnd = state.frameEnd;
    this.#lastOutputUs = state.lastOutputUs;
    this.#lastFrameUs = state.lastFrameUs;
    this.#updateFromUs = state.updateFromUs;
    this.#marksFromUs = state.marksFromUs;
    this.#marks = state.marks;
    this.#topLine = state.topLine;
    this.#scrolled = [...state.scrolled];
    this.#lost = state.lost;
    this.#isResized = state.isResized;
  }

  /** True where bytes came that no frame shows. Before the first there is nothing to show, and no time at which it was seen. */
  get isBehind(): boolean {
    return this.#end > this.#frameEnd || (this.#isResized && this.#end > 0);
  }

  /** Output that the pty gave at `timeUs`; `offset` is that of its first byte. */
  output(bytes: Uint8Array, offset: number, timeUs: number): FrameReading {
    // Output of the same moment is one piece, however it was cut.
    const frames = timeUs === this.#lastOutputUs ? [] : this.#pause(timeUs);
    const replies: Uint8Array[] = [];
    this.#lastOutputUs = timeUs;
    if (this.#end === 0) this.#frameEnd = offset;
    let from = 0;
    const wasSynchronized = this.#cuts.isSynchronized;
    const cuts = this.#cuts.feed(bytes, offset);
    if (!wasSynchronized || cuts.some(({ reason }) => reason === "synchronized")) this.#updateFromUs = timeUs;
    for (const cut of cuts) {
      if (!this.#isWorth(cut)) continue;
      // A sequence that began in the chunk before is on the screen already: what it does, it does with its last byte.
      const to = Math.max(from, cut.offset - offset);
      this.#write(bytes.subarray(from, to), replies);
      from = to;
      this.#end = cut.offset;
      frames.push(this.#take(cut.reason));
    }
    this.#write(bytes.subarray(from), replies);
    this.#end = offset + bytes.length;
    return { frames, replies };
  }

  #isWorth({ offset, reason }: FrameCut): boolean {
    const { cutBytesMin, intervalMs, marksMax } = this.#options;
    if (reason !== "mark") return offset - this.#frameEnd >= cutBytesMin;
    if (offset <= this.#frameEnd) return false;
    if (this.#lastOutputUs - this.#marksFromUs >= intervalMs * 1000) {
      this.#marksFromUs = this.#lastOutputUs;
      this.#marks = 0;
    }
    this.#marks += 1;
    return this.#marks <= marksMax;
  }

  resize(columns: number, rows: number): Frame[] {
    const frames = this.isBehind ? [this.#take("resize")] : [];
    this.#screen.resize(columns, rows);
    this.#isResized = true;
    this.#topLine = this.#screen.topLine;
    return frames;
  }

  /** Bytes are missing: the screen starts anew. */
  gap(): Frame[] {
    const frames = this.isBehind ? [this.#take("wipe")] : [];
    this.#cuts.gap();
    this.#screen.gap();
    this.#topLine = this.#screen.topLine;
    return frames;
  }

  /** No output came until `timeUs`. Asked at the end of a recording and, live, `pauseMs` after the last output. */
  settle(timeUs: number): Frame[] {
    return this.#pause(timeUs);
  }

  #pause(timeUs: number): Frame[] {
    if (!this.isBehind) return [];
    if (this.#cuts.isSynchronized && timeUs - this.#updateFromUs < this.#options.updateMs * 1000) return [];
    if (timeUs - this.#lastOutputUs >= this.#options.pauseMs * 1000) return [this.#take("pause")];
    if (timeUs - this.#lastFrameUs >= this.#options.intervalMs * 1000) return [this.#take("interval")];
    return [];
  }

  #write(bytes: Uint8Array, replies: Uint8Array[]): void {
    let from = 0;
    while (from < bytes.length) {
      const to = endOfLines(bytes, from, linesPerStep);
      const reply = this.#screen.feed(bytes.subarray(from, to));
      if (reply.length > 0) replies.push(reply);
      if (to < bytes.length) this.#collect();
      from = to;
    }
  }

  /** Reads what has left the top. */
  #collect(): void {
    const { topLine } = this.#screen;
    for (let number = this.#topLine; number < topLine; number += 1) {
      const line = this.#screen.scrolledLine(number);
      if (line === undefined) this.#lost += 1;
      else this.#scrolled.push(line);
    }
    this.#topLine = topLine;
    const excess = this.#scrolled.length - this.#options.scrolledLinesMax;
    if (excess <= 0) return;
    this.#scrolled.splice(0, excess);
    this.#lost += excess;
  }

  #take(reason: Frame["reason"]): Frame {
    this.#collect();
    const frame = this.#frame(reason);
    this.#scrolled = [];
    this.#lost = 0;
    this.#isResized = false;
    this.#frameEnd = this.#end;
    this.#lastFrameUs = this.#lastOutputUs;
    return frame;
  }

  #frame(reason: Frame["reason"]): Frame {
    const screen = this.#screen;
    const lines: ScreenLine[] = [];
    for (let row = 0; row < screen.rows; row += 1) lines.push(screen.row(row));
    return {
      offset: this.#end,
      timeUs: this.#lastOutputUs,
      reason,
      columns: screen.columns,
      rows: screen.rows,
      title: screen.title,
      cursor: screen.cursor,
      isAlternate: screen.isAlternate,
      lines,
      topLine: this.#topLine,
      scrolled: this.#scrolled,
      scrolledLost: this.#lost,
      isResized: this.#isResized,
    };
  }
}

/** Where `lines` line feeds have passed, or the end. */
function endOfLines(bytes: Uint8Array, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line += 1) {
    const feed = bytes.indexOf(lineFeed, at);
    if (feed === -1) return bytes.length;
    at = feed + 1;
  }
  return at;
}
