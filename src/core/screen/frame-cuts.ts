/**
 * Where in a stream of bytes the screen is worth looking at: around a synchronized update, which a program begins when its frame
 * is complete and ends when the next one is, in front of what wipes the screen, where the last chance is, and where a shell says that
 * it reads a command, that the output of it begins or that it has ended, however quickly they follow. Within a synchronized update
 * nothing is complete.
 * A cut only chooses when the screen is read, so each mark makes one; a mark without the session's nonce hides no cut of one that has it.
 */
import { readShellMark, SHELL_MARK_STARTS } from "../shell-marks/shell-mark.ts";

/** A place in the bytes, and why. */
export interface FrameCut {
  /** Offset: bytes before it are part of the frame. */
  readonly offset: number;
  readonly reason: "synchronized" | "wipe" | "mark";
}

/** A sequence that has begun. */
export interface FrameCutsState {
  readonly open: string;
  readonly start: number;
  readonly isSynchronized: boolean;
  /** The shell has said that output has ended, and nothing since. */
  readonly isAtPrompt: boolean;
}

const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
/** Longer sequences are not read; a mark of a shell has parameters, and bash's first one a path. */
const sequenceBytesMax = 24;
const markBytesMax = 1024;
const oscStart = "\u001B]";
const markStartLength = 6;

/** Finds the places at any chunking. */
export class FrameCuts {
  /** Bytes of a sequence whose end has not come; empty where none is open. */
  #open = "";
  #start = 0;
  #isSynchronized = false;
  #isAtPrompt = false;
  readonly #nonce: string | null;

  /** `nonce` is that of the session's shell marks; null if it has none. */
  constructor(nonce: string | null = null) {
    this.#nonce = nonce;
  }

  /** A synchronized update is open. */
  get isSynchronized(): boolean {
    return this.#isSynchronized;
  }

  /** `offset` is that of the first byte of `chunk`. In order; a cut may lie before `offset` where the chunk cuts a sequence. */
  feed(chunk: Uint8Array, offset: number): FrameCut[] {
    const cuts: FrameCut[] = [];
    let index = 0;
    while (index < chunk.length) {
      if (this.#open === "") {
        index = chunk.indexOf(escape, index);
        if (index === -1) break;
        this.#start = offset + index;
        this.#open = "\u001B";
        index += 1;
        continue;
      }
      const byte = chunk[index] ?? 0;
      if (byte === escape) {
        // It ends a mark, and may begin something else.
        if (this.#isMark) this.#endMark(offset + index, cuts);
        this.#open = "";
        continue;
      }
      index += 1;
      if (this.#isMark && byte === bell) {
        this.#endMark(offset + index, cuts);
        this.#open = "";
        continue;
      }
      this.#open += String.fromCharCode(byte);
      if (this.#open.startsWith(oscStart)) {
        if (byte === cancel || byte === substitute || !mayBeMark(this.#open)) this.#open = "";
        continue;
      }
      if (!isWhole(this.#open, byte)) continue;
      const cut = this.#cut(offset + index);
      if (cut !== undefined) cuts.push(cut);
      this.#open = "";
    }
    return cuts;
  }

  gap(): void {
    this.#open = "";
    this.#isSynchronized = false;
    this.#isAtPrompt = false;
  }

  /** A mark has begun and not ended. */
  get #isMark(): boolean {
    return this.#open.length > markStartLength && this.#open.startsWith(oscStart);
  }

  /** The screen is read in front of a mark, and behind the end of a prompt. */
  #endMark(end: number, cuts: FrameCut[]): void {
    const command = Number(this.#open.slice(oscStart.length, markStartLength - 1));
    const data = this.#open.slice(markStartLength);
    const mark = readShellMark({ offset: this.#start, end, command, data }, this.#nonce);
    if (mark === undefined || mark.type === "command-line" || mark.type === "continuation") return;
    if (mark.type === "prompt-end") this.#mark(end, cuts);
    else if (!this.#isAtPrompt) this.#mark(this.#start, cuts);
    if (mark.isTrusted || this.#nonce === null)
      this.#isAtPrompt = mark.type === "prompt-start" || mark.type === "output-end";
  }

  #mark(offset: number, cuts: FrameCut[]): void {
    if (!this.#isSynchronized) cuts.push({ offset, reason: "mark" });
  }

  /** `end` is the offset behind the sequence. */
  #cut(end: number): FrameCut | undefined {
    const effect = effectOf(this.#open);
    const wasSynchronized = this.#isSynchronized;
    if (effect === "update-start" || effect === "update-end") this.#isSynchronized = effect === "update-start";
    if (effect === "update-end") return { offset: end, reason: "synchronized" };
    if (effect === undefined || wasSynchronized) return undefined;
    return { offset: this.#start, reason: effect === "wipe" ? "wipe" : "synchronized" };
  }

  /** What is needed to go on: given to a new reader. */
  save(): FrameCutsState {
    return { open: this.#open, start: this.#start, isSynchronized: this.#isSynchronized, isAtPrompt: this.#isAtPrompt };
  }

  restore(state: FrameCutsState): void {
    this.#open = state.open;
    this.#start = state.start;
    this.#isSynchronized = state.isSynchronized;
    this.#isAtPrompt = state.isAtPrompt;
  }
}

/** The beginning of a mark of a shell, or more of one. */
function mayBeMark(open: string): boolean {
  if (open.length <= markStartLength) return SHELL_MARK_STARTS.some((start) => start.startsWith(open));
  return open.length <= markBytesMax;
}

function isWhole(sequence: string, byte: number): boolean {
  if (sequence.length >= sequenceBytesMax) return true;
  if (sequence.length === 2) return sequence !== "\u001B[";
  return byte >= 0x40 && byte <= 0x7e;
}

/** ED 2, ED 3 and RIS; the switch between the screens by DECSET 47, 1047, 1049; synchronized updates, mode 2026. */
function effectOf(sequence: string): "wipe" | "update-start" | "update-end" | undefined {
  if (sequence === "\u001Bc" || /^\u001B\[\??[23]J$/.test(sequence)) return "wipe";
  const modes = /^\u001B\[\?([\d;]+)([hl])$/.exec(sequence);
  if (modes === null) return undefined;
  const numbers = (modes[1] ?? "").split(";");
  if (numbers.some((mode) => mode === "47" || mode === "1047" || mode === "1049")) return "wipe";
  if (!numbers.includes("2026")) return undefined;
  return modes[2] === "h" ? "update-start" : "update-end";
}
