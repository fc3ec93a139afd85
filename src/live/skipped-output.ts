/** Output that is not on a screen: slices that broke the emulator, and what was skimmed in a flood. */
import type { OffsetRange } from "../protocol/damaged-ranges.ts";
import { sliceBytes } from "./view-messages.ts";

export class SkippedOutput {
  #broken: readonly OffsetRange[] = [];
  #strikes = 0;
  #bytes = 0;
  #countedTo = 0;

  /** Slices that the next screen leaves out. */
  get broken(): readonly OffsetRange[] {
    return this.#broken;
  }

  /** Breaks since the last checkpoint behind all broken slices. */
  get strikes(): number {
    return this.#strikes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A screen broke at these offsets; equal ones are not output. Each further break leaves out four times as much. */
  strike({ from, to }: OffsetRange): void {
    this.#strikes += 1;
    if (to <= from) return;
    const lengthMin = sliceBytes * 4 ** this.#broken.length;
    this.#broken = [...this.#broken, { from, to: Math.max(to, from + lengthMin) }];
  }

  /** Screens go on from this offset: slices before it are not read again. */
  pass(offset: number): void {
    this.#broken = this.#broken.filter(({ to }) => to > offset);
    if (this.#broken.length === 0) this.#strikes = 0;
  }

  /** Counts each byte once, however often a new screen skips it again. */
  count({ from, to }: OffsetRange): void {
    this.#bytes += Math.max(0, to - Math.max(from, this.#countedTo));
    this.#countedTo = Math.max(this.#countedTo, to);
  }
}
