/**
 * Finds the offsets at which the screen is read: around a synchronized update, which programs begin when the previous picture is
 * complete and end when the next one is; before the screen is erased; and where a shell marks its prompt, the start of output or its end,
 * however close together. Within a synchronized update nothing is complete. A cut only selects when the screen is read, so every shell
 * mark makes one; a mark without the session's nonce hides no cut of one with it.
 */
import { readShellMark } from "../shell-marks/shell-mark.ts";
import { readOsc } from "../text/osc-reader.ts";
import { ALTERNATE_SCREENS, SYNCHRONIZED_UPDATE, readModeChange } from "../vt/dec-modes.ts";
import { Tokenizer, finalsBut, type TokenizerState } from "../vt/tokenizer.ts";

/** An offset with its reason. */
export interface FrameCut {
  /** Bytes before it are part of the frame. */
  readonly offset: number;
  readonly reason: "synchronized" | "wipe" | "mark";
}

/** The state of a reader as plain data. */
export interface FrameCutsState {
  readonly tokens: TokenizerState;
  readonly isSynchronized: boolean;
  /** The last trusted mark was the end of output or the start of a prompt. */
  readonly isAtPrompt: boolean;
}

/** A shell mark has parameters; bash's first one has a path. */
const SEQUENCE_BYTES_MAX = 1024;

/** Finds the cuts at any chunking. */
export class FrameCuts {
  readonly #tokens = new Tokenizer({
    sequenceBytesMax: SEQUENCE_BYTES_MAX,
    plain: { finals: finalsBut("Jhl"), parameters: "any" },
  });
  #isSynchronized = false;
  #isAtPrompt = false;
  readonly #nonce: string | null;

  /** `nonce`: of the session's shell marks; null if it has none. */
  constructor(nonce: string | null = null) {
    this.#nonce = nonce;
  }

  /** A synchronized update is open. */
  get isSynchronized(): boolean {
    return this.#isSynchronized;
  }

  /** `offset`: of the first byte of `chunk`. Cuts are in order; one may be before `offset` if the chunk splits a sequence. */
  feed(chunk: Uint8Array, offset: number): FrameCut[] {
    const tokens = this.#tokens;
    const cuts: FrameCut[] = [];
    tokens.feed(chunk, offset);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (!tokens.isWhole) continue;
      if (type === "osc") this.#markCut(cuts);
      else if (type === "csi") this.#cut(effectOf(tokens), cuts);
      else if (type === "escape" && tokens.text === "c") this.#cut("wipe", cuts);
    }
    return cuts;
  }

  gap(): void {
    this.#tokens.reset();
    this.#isSynchronized = false;
    this.#isAtPrompt = false;
  }

  /** The screen is read before a mark, but after the end of a prompt. */
  #markCut(cuts: FrameCut[]): void {
    const sequence = readOsc(this.#tokens);
    const mark = sequence && readShellMark(sequence, this.#nonce);
    if (sequence === undefined || mark === undefined) return;
    if (mark.type === "command-line" || mark.type === "continuation" || mark.type === "act") return;
    const isHidden = this.#isSynchronized || (mark.type !== "prompt-end" && this.#isAtPrompt);
    if (!isHidden) cuts.push({ offset: mark.type === "prompt-end" ? sequence.end : sequence.offset, reason: "mark" });
    if (mark.isTrusted || this.#nonce === null)
      this.#isAtPrompt = mark.type === "prompt-start" || mark.type === "output-end";
  }

  #cut(effect: Effect | undefined, cuts: FrameCut[]): void {
    const wasSynchronized = this.#isSynchronized;
    if (effect === "update-start" || effect === "update-end") this.#isSynchronized = effect === "update-start";
    if (effect === "update-end") cuts.push({ offset: this.#tokens.end, reason: "synchronized" });
    else if (effect !== undefined && !wasSynchronized)
      cuts.push({ offset: this.#tokens.start, reason: effect === "wipe" ? "wipe" : "synchronized" });
  }

  save(): FrameCutsState {
    return { tokens: this.#tokens.save(), isSynchronized: this.#isSynchronized, isAtPrompt: this.#isAtPrompt };
  }

  restore(state: FrameCutsState): void {
    this.#tokens.restore(state.tokens);
    this.#isSynchronized = state.isSynchronized;
    this.#isAtPrompt = state.isAtPrompt;
  }
}

/** ED 2 and ED 3. */
const ERASE_ALL = /^\??[23]J$/;
type Effect = "wipe" | "update-start" | "update-end";

/** The effect of a control sequence; switching between the screens erases too. */
function effectOf(tokens: Tokenizer): Effect | undefined {
  const change = readModeChange(tokens);
  if (change === undefined) return ERASE_ALL.test(tokens.text) ? "wipe" : undefined;
  if (change.modes.some((mode) => ALTERNATE_SCREENS.includes(mode))) return "wipe";
  if (!change.modes.includes(SYNCHRONIZED_UPDATE)) return undefined;
  return change.isSet ? "update-start" : "update-end";
}
