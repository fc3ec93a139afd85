/**
 * Screen frames: pictures of the screen at chosen times, from which status, chat and approvals are derived.
 *
 * Law: the frames follow from the bytes and times in the journal, not from how the bytes were split into chunks.
 * A frame is taken around a synchronized update, before the screen is erased, where a shell marks its prompt and the output, when the
 * program pauses, and at the latest `intervalMs` after the previous one; none is taken within a synchronized update.
 */
import { FrameCuts, type FrameCut, type FrameCutsState } from "./frame-cuts.ts";
import type { ScreenLine } from "./screen-lines.ts";
import type { Screen } from "./screen.ts";
import type { CursorState } from "../emulator/emulator.ts";

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
  /** The program has asked for bracketed pastes, as line editors do while they read. */
  readonly takesPastes: boolean;
  /** The visible rows, top to bottom. */
  readonly lines: readonly ScreenLine[];
  /** Number of the first row of the normal screen, counted from the start; constant while the alternate screen is shown. */
  readonly topLine: number;
  /** Lines that left the top of the normal screen since the previous frame, oldest first; they end at `topLine`. */
  readonly scrolled: readonly ScreenLine[];
  /** Lines before `scrolled` that left too quickly to be read. */
  readonly scrolledLost: number;
  /** The size has changed since the previous frame, so rows may be wrapped differently. */
  readonly isResized: boolean;
}

export interface FrameReaderOptions {
  /** Time without output after which a frame is taken. Default 8. */
  readonly pauseMs?: number;
  /** Default 50. */
  readonly intervalMs?: number;
  /** Frames are taken within a synchronized update that lasts longer. Default 500. */
  readonly updateMs?: number;
  /** Bytes between two frames at cuts, which limits the cost of many cuts. Default 256. */
  readonly cutBytesMin?: number;
  /** Frames at shell marks within `intervalMs`, which limits the cost of many marks. Default 96. */
  readonly marksMax?: number;
  /** Lines kept for one frame; older ones are counted as lost. Default 4000. */
  readonly scrolledLinesMax?: number;
  /** The nonce of the session's shell marks: a mark without it hides none that has it. Default null. */
  readonly markNonce?: string | null;
}

/** The state of a reader as plain data, to continue elsewhere with a restored screen. */
export interface FrameReaderState {
  readonly cuts: FrameCutsState;
  /** Offset after the bytes that were read. */
  readonly end: number;
  readonly frameEnd: number;
  readonly lastOutputUs: number;
  readonly lastFrameUs: number;
  /** Start of the open synchronized update. */
  readonly updateFromUs: number;
  readonly marksFromUs: number;
  readonly marks: number;
  readonly topLine: number;
  readonly scrolled: readonly ScreenLine[];
  readonly lost: number;
  readonly isResized: boolean;
}

/** Less than the scrollback of a screen, so that no line is dropped before it is read. */
const linesPerStep = 800;
const lineFeed = 0x0a;

export interface FrameReading {
  readonly frames: readonly Frame[];
  /** Replies to the program, if this screen is the one that answers. */
  readonly replies: readonly Uint8Array[];
}

/** The state without that of the cuts. */
type Position = { -readonly [Key in Exclude<keyof FrameReaderState, "cuts" | "scrolled">]: FrameReaderState[Key] } & {
  scrolled: ScreenLine[];
};

export class FrameReader {
  readonly #screen: Screen;
  readonly #cuts: FrameCuts;
  readonly #options: Required<Omit<FrameReaderOptions, "markNonce">>;
  #at: Position;

  constructor(screen: Screen, options: FrameReaderOptions = {}) {
    this.#screen = screen;
    this.#cuts = new FrameCuts(options.markNonce ?? null);
    const { pauseMs = 8, intervalMs = 50, updateMs = 500, cutBytesMin = 256 } = options;
    const { marksMax = 96, scrolledLinesMax = 4000 } = options;
    this.#options = { pauseMs, intervalMs, updateMs, cutBytesMin, marksMax, scrolledLinesMax };
    this.#at = {
      end: 0,
      frameEnd: 0,
      lastOutputUs: 0,
      lastFrameUs: 0,
      updateFromUs: 0,
      marksFromUs: 0,
      marks: 0,
      topLine: screen.topLine,
      scrolled: [],
      lost: 0,
      isResized: false,
    };
  }

  /** When `settle` returns a frame, in the time of the records; null if there is nothing new. */
  get wakeUs(): number | null {
    if (!this.isBehind) return null;
    const { pauseMs, updateMs } = this.#options;
    const pausedUs = this.#at.lastOutputUs + pauseMs * 1000;
    // An open update is shown only after `updateMs`, so waking up earlier has no effect.
    return this.#cuts.isSynchronized ? Math.max(pausedUs, this.#at.updateFromUs + updateMs * 1000) : pausedUs;
  }

  /** The current screen, without any effect on later frames. */
  get now(): Frame {
    return this.#frame("pause");
  }

  save(): FrameReaderState {
    return { cuts: this.#cuts.save(), ...this.#at };
  }

  /** Continues from the state of another reader, whose screen was restored with its `topLine`. */
  restore({ cuts, ...at }: FrameReaderState): void {
    this.#cuts.restore(cuts);
    this.#at = { ...at, scrolled: [...at.scrolled] };
  }

  /** Bytes came that no frame shows. Before the first byte a frame would have no time. */
  get isBehind(): boolean {
    const { end, frameEnd, isResized } = this.#at;
    return end > frameEnd || (isResized && end > 0);
  }

  /** Output that the pty gave at `timeUs`; `offset` is that of its first byte. */
  output(bytes: Uint8Array, offset: number, timeUs: number): FrameReading {
    const at = this.#at;
    // Output with the same time is one piece, however it was split.
    const frames = timeUs === at.lastOutputUs ? [] : this.#pause(timeUs);
    const replies: Uint8Array[] = [];
    at.lastOutputUs = timeUs;
    if (at.end === 0) at.frameEnd = offset;
    let from = 0;
    const wasSynchronized = this.#cuts.isSynchronized;
    const cuts = this.#cuts.feed(bytes, offset);
    if (!wasSynchronized || cuts.some(({ reason }) => reason === "synchronized")) at.updateFromUs = timeUs;
    for (const cut of cuts) {
      if (!this.#makesFrame(cut)) continue;
      // A sequence that started in the previous chunk has no effect before its last byte.
      const to = Math.max(from, cut.offset - offset);
      this.#write(bytes.subarray(from, to), replies);
      from = to;
      at.end = cut.offset;
      frames.push(this.#take(cut.reason));
    }
    this.#write(bytes.subarray(from), replies);
    at.end = offset + bytes.length;
    return { frames, replies };
  }

  #makesFrame({ offset, reason }: FrameCut): boolean {
    const { cutBytesMin, intervalMs, marksMax } = this.#options;
    const at = this.#at;
    if (reason !== "mark") return offset - at.frameEnd >= cutBytesMin;
    if (offset <= at.frameEnd) return false;
    if (at.lastOutputUs - at.marksFromUs >= intervalMs * 1000) {
      at.marksFromUs = at.lastOutputUs;
      at.marks = 0;
    }
    at.marks += 1;
    return at.marks <= marksMax;
  }

  resize(columns: number, rows: number): Frame[] {
    const frames = this.isBehind ? [this.#take("resize")] : [];
    this.#screen.resize(columns, rows);
    this.#at.isResized = true;
    this.#at.topLine = this.#screen.topLine;
    return frames;
  }

  /** Bytes are missing: the screen is reset. */
  gap(): Frame[] {
    const frames = this.isBehind ? [this.#take("wipe")] : [];
    this.#cuts.gap();
    this.#screen.gap();
    this.#at.topLine = this.#screen.topLine;
    return frames;
  }

  /** No output came until `timeUs`. Called at the end of a recording and, live, `pauseMs` after the last output. */
  settle(timeUs: number): Frame[] {
    return this.#pause(timeUs);
  }

  #pause(timeUs: number): Frame[] {
    if (!this.isBehind) return [];
    const { lastFrameUs, lastOutputUs, updateFromUs } = this.#at;
    const { intervalMs, pauseMs, updateMs } = this.#options;
    if (this.#cuts.isSynchronized && timeUs - updateFromUs < updateMs * 1000) return [];
    if (timeUs - lastOutputUs >= pauseMs * 1000) return [this.#take("pause")];
    if (timeUs - lastFrameUs >= intervalMs * 1000) return [this.#take("interval")];
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

  /** Reads the lines that have left the top. */
  #collect(): void {
    const { topLine } = this.#screen;
    const at = this.#at;
    for (let number = at.topLine; number < topLine; number += 1) {
      const line = this.#screen.scrolledLine(number);
      if (line === undefined) at.lost += 1;
      else at.scrolled.push(line);
    }
    at.topLine = topLine;
    const excess = at.scrolled.length - this.#options.scrolledLinesMax;
    if (excess <= 0) return;
    at.scrolled.splice(0, excess);
    at.lost += excess;
  }

  #take(reason: Frame["reason"]): Frame {
    this.#collect();
    const frame = this.#frame(reason);
    const at = this.#at;
    at.scrolled = [];
    at.lost = 0;
    at.isResized = false;
    at.frameEnd = at.end;
    at.lastFrameUs = at.lastOutputUs;
    return frame;
  }

  #frame(reason: Frame["reason"]): Frame {
    const screen = this.#screen;
    const lines: ScreenLine[] = [];
    for (let row = 0; row < screen.rows; row += 1) lines.push(screen.row(row));
    const { end, isResized, lastOutputUs, lost, scrolled, topLine } = this.#at;
    return {
      offset: end,
      timeUs: lastOutputUs,
      reason,
      columns: screen.columns,
      rows: screen.rows,
      title: screen.title,
      cursor: screen.cursor,
      isAlternate: screen.isAlternate,
      takesPastes: screen.takesPastes,
      lines,
      topLine,
      scrolled,
      scrolledLost: lost,
      isResized,
    };
  }
}

/** Index after `lines` line feeds, or the end. */
function endOfLines(bytes: Uint8Array, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line += 1) {
    const feed = bytes.indexOf(lineFeed, at);
    if (feed === -1) return bytes.length;
    at = feed + 1;
  }
  return at;
}
