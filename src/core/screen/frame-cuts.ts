/**
 * Where in a stream of bytes the screen is worth looking at: behind the end of a synchronized update, where a program says that
 * its frame is complete, and in front of what wipes the screen, where the last chance is.
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
}

const escape = 0x1b;
/** Longer sequences are none of ours. */
const sequenceBytesMax = 24;

/** Finds the places at any chunking. */
export class FrameCuts {
  /** Bytes of a sequence whose end has not come; empty where none is open. */
  #open = "";
  #start = 0;

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
      const reason = reasonOf(this.#open);
      if (reason !== undefined) cuts.push({ offset: reason === "wipe" ? this.#start : offset + index, reason });
      this.#open = "";
    }
    return cuts;
  }

  gap(): void {
    this.#open = "";
  }

  /** What is needed to go on: given to a new reader. */
  save(): FrameCutsState {
    return { open: this.#open, start: this.#start };
  }

  restore(state: FrameCutsState): void {
    this.#open = state.open;
    this.#start = state.start;
  }
}

function isWhole(sequence: string, byte: number): boolean {
  if (sequence.length >= sequenceBytesMax) return true;
  if (sequence.length === 2) return sequence !== "\u001B[";
  return byte >= 0x40 && byte <= 0x7e;
}

/** ED 2, ED 3 and RIS; the switch between the screens by DECSET 47, 1047, 1049; the end of a synchronized update, mode 2026. */
function reasonOf(sequence: string): FrameCut["reason"] | undefined {
  if (sequence === "\u001Bc" || /^\u001B\[\??[23]J$/.test(sequence)) return "wipe";
  const modes = /^\u001B\[\?([\d;]+)([hl])$/.exec(sequence);
  if (modes === null) return undefined;
  const numbers = (modes[1] ?? "").split(";");
  if (numbers.some((mode) => mode === "47" || mode === "1047" || mode === "1049")) return "wipe";
  return modes[2] === "l" && numbers.includes("2026") ? "synchronized" : undefined;
}
