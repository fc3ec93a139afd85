/**
 * Where in a stream of bytes the screen is worth looking at: around a synchronized update, which a program begins when its frame
 * is complete and ends when the next one is, in front of what wipes the screen, where the last chance is, and where a shell says that
 * it reads a command, that the output of it begins or that it has ended, however quickly they follow. Within a synchronized update
 * nothing is complete.
 * A cut only chooses when the screen is read, so each mark makes one; a mark without the session's nonce hides no cut of one that has it.
 */
import { readShellMark } from "../shell-marks/shell-mark.ts";
import { readOsc } from "../text/osc-reader.ts";
import { ALTERNATE_SCREENS, SYNCHRONIZED_UPDATE, readModeChange } from "../vt/dec-modes.ts";
import { Tokenizer, finalsBut, type TokenizerState } from "../vt/tokenizer.ts";

/** A place in the bytes, and why. */
export interface FrameCut {
  /** Offset: bytes before it are part of the frame. */
  readonly offset: number;
  readonly reason: "synchronized" | "wipe" | "mark";
}

/** Where a reader stands, plain data. */
export interface FrameCutsState {
  readonly tokens: TokenizerState;
  readonly isSynchronized: boolean;
  /** The shell has said that output has ended, and nothing since. */
  readonly isAtPrompt: boolean;
}

/** A mark of a shell has parameters, and bash's first one a path. */
const SEQUENCE_BYTES_MAX = 1024;

/** Finds the places at any chunking. */
export class FrameCuts {
  readonly #tokens = new Tokenizer({
    sequenceBytesMax: SEQUENCE_BYTES_MAX,
    plain: { finals: finalsBut("Jhl"), parameters: "any" },
  });
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

  /** The screen is read in front of a mark, and behind the end of a prompt. */
  #markCut(cuts: FrameCut[]): void {
    const sequence = readOsc(this.#tokens);
    const mark = sequence && readShellMark(sequence, this.#nonce);
    if (sequence === undefined || mark === undefined) return;
    if (mark.type === "command-line" || mark.type === "continuation") return;
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

  /** What is needed to go on: given to a new reader. */
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

/** Of a control sequence; the switch between the screens wipes too. */
function effectOf(tokens: Tokenizer): Effect | undefined {
  const change = readModeChange(tokens);
  if (change === undefined) return ERASE_ALL.test(tokens.text) ? "wipe" : undefined;
  if (change.modes.some((mode) => ALTERNATE_SCREENS.includes(mode))) return "wipe";
  if (!change.modes.includes(SYNCHRONIZED_UPDATE)) return undefined;
  return change.isSet ? "update-start" : "update-end";
}
