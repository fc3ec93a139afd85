/**
 * Where in a stream of bytes the screen is worth looking at: around a synchronized update, which a program begins when its frame
 * is complete and ends when the next one is, and in front of what wipes the screen, where the last chance is. Within a
 * synchronized update nothing is complete.
 */

/** A place in the bytes, and why. */
export interface FrameCut {
  /** Offset: bytes before it are part of the frame. */
  readonly offset: number;
  readonly reason: "synchronized" | "wipe";
}

/** A sequence that has begun. */
export interface FrameCutsState {
  readonly open: string;
  readonly start: number;
  readonly isSynchronized: boolean;
}

const escape = 0x1b;
/** Longer sequences are none of ours. */
const sequenceBytesMax = 24;

/** Finds the places at any chunking. */
export class FrameCuts {
  /** Bytes of a sequence whose end has not come; empty where none is open. */
  #open = "";
  #start = 0;
  #isSynchronized = false;

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
        this.#open = "";
        continue;
      }
      this.#open += String.fromCharCode(byte);
      index += 1;
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
    return { open: this.#open, start: this.#start, isSynchronized: this.#isSynchronized };
  }

  restore(state: FrameCutsState): void {
    this.#open = state.open;
    this.#start = state.start;
    this.#isSynchronized = state.isSynchronized;
  }
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
