/**
 * Waits for a ready marker at the very end of the text, and then until nothing came for the time to settle: a marker in the middle of
 * output, or one that more text follows, is none.
 */
export class MarkerStrategy {
  readonly #markers: readonly string[];
  readonly #settleMs: number;
  #seenAtMs: number | undefined;

  constructor(markers: readonly string[], settleMs: number) {
    this.#markers = markers.filter((marker) => marker !== "");
    this.#settleMs = settleMs;
  }

  /** `lastLine` is the open line of the sanitized text, after each output. */
  output(lastLine: string, nowMs: number): void {
    this.#seenAtMs = this.#markers.some((marker) => endsWithMarker(lastLine, marker)) ? nowMs : undefined;
  }

  get dueMs(): number {
    return this.#seenAtMs === undefined ? Number.POSITIVE_INFINITY : this.#seenAtMs + this.#settleMs;
  }

  isReady(nowMs: number): boolean {
    return nowMs >= this.dueMs;
  }
}

/** A marker with a line feed in it ends in the last line all the same. */
const endsWithMarker = (lastLine: string, marker: string): boolean =>
  lastLine.endsWith(marker.slice(marker.lastIndexOf("\n") + 1)) && lastLine !== "";
