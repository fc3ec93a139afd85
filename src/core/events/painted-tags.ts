/**
 * Distinguishes a tag that is painted again from one that is printed again: between two paints the cursor goes back or the screen is cleared.
 *
 * Law: any chunking gives the same answers. Output is only read from the first tag on, and only until the cursor has gone back.
 */
import { ALTERNATE_SCREENS, readModeChange } from "../vt/dec-modes.ts";
import { Tokenizer, type TokenizerState } from "../vt/tokenizer.ts";
import { forgetOldest } from "../forget-oldest.ts";

/** Plain data. */
export interface PaintedTagsState {
  readonly tags: readonly (readonly [key: string, place: TagPlace])[];
  readonly tokens: TokenizerState | null;
}

interface TagPlace {
  /** Behind its last sighting. */
  readonly end: number;
  /** Where the cursor first went back after it; null if it has not. */
  readonly backAt: number | null;
}

interface Sighting {
  readonly key: string;
  readonly offset: number;
  readonly end: number;
}

const TAGS_MAX = 1000;
/** Up, to a place, to a row, up to the start of a line, restore, clear: what is below may be painted again. */
const BACK = /^(?:[\d;]*[AFHfdu]|[23]J)$/;
/** Restore, reverse line feed, reset. */
const BACK_ESCAPES = new Set(["8", "M", "c"]);

export class PaintedTags {
  readonly #tags = new Map<string, TagPlace>();
  #tokens: Tokenizer | null = null;

  constructor(state?: PaintedTagsState) {
    for (const [key, place] of state?.tags ?? []) this.#tags.set(key, place);
    if (state?.tokens == null) return;
    this.#tokens = new Tokenizer();
    this.#tokens.restore(state.tokens);
  }

  save(): PaintedTagsState {
    return { tags: [...this.#tags], tokens: this.#tokens?.save() ?? null };
  }

  /** Whether each of the sightings that end in this chunk, in order, is a repaint. */
  areRepaints(sightings: readonly Sighting[], chunk: Uint8Array, offset: number): boolean[] {
    const repaints: boolean[] = [];
    let done = offset;
    for (const { key, offset: start, end } of sightings) {
      this.#read(chunk.subarray(done - offset, end - offset), done);
      done = end;
      const backAt = this.#tags.get(key)?.backAt ?? null;
      repaints.push(backAt !== null && backAt < start);
      this.#set(key, { end, backAt: null });
      this.#tokens ??= new Tokenizer();
    }
    this.#read(chunk.subarray(done - offset), done);
    return repaints;
  }

  /** What comes from now on is printed, not painted. */
  clear(): void {
    this.#tags.clear();
    this.#tokens = null;
  }

  #set(key: string, place: TagPlace): void {
    this.#tags.delete(key);
    this.#tags.set(key, place);
    forgetOldest(this.#tags, TAGS_MAX);
  }

  #read(bytes: Uint8Array, offset: number): void {
    if (this.#tokens === null || bytes.length === 0) return;
    const tokens = this.#tokens;
    tokens.feed(bytes, offset);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (!tokens.isWhole || (type !== "csi" && type !== "escape")) continue;
      if (type === "csi" ? goesBack(tokens) : BACK_ESCAPES.has(tokens.text)) this.#goBack(tokens.start);
    }
    // A new tag starts it again, outside of every sequence.
    if (!tokens.isOpen && [...this.#tags.values()].every(({ backAt }) => backAt !== null)) this.#tokens = null;
  }

  #goBack(backAt: number): void {
    for (const [key, place] of this.#tags) if (place.backAt === null) this.#tags.set(key, { ...place, backAt });
  }
}

function goesBack(tokens: Tokenizer): boolean {
  const { modes } = readModeChange(tokens) ?? { modes: [] };
  return BACK.test(tokens.text) || modes.some((mode) => ALTERNATE_SCREENS.includes(mode));
}
