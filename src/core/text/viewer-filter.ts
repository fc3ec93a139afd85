import { incompleteTailLength } from "../bytes/utf8.ts";
import { BEL, C1_LEAD, ESCAPE } from "../vt/control-bytes.ts";
import { PassedBytes } from "../vt/passed-bytes.ts";
import { SequenceRest } from "../vt/sequence-rest.ts";
import { Tokenizer, type TokenType } from "../vt/tokenizer.ts";
import {
  allowedControlSequence,
  allowedEscape,
  allowedOperatingSystemCommand,
  type ViewerMode,
} from "./viewer-policy.ts";

/** For whom it filters. */
export interface ViewerFilterOptions {
  /** Whether the viewer types (`live`) or only reads (`replay`, also read-only). */
  readonly mode: ViewerMode;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);
const REPLACEMENT = "\uFFFD";
/** A longer escape or control sequence is dropped. */
const SEQUENCE_BYTES_MAX = 256;
/** A longer operating system command is dropped. Links are the longest ones that pass. */
const COMMAND_BYTES_MAX = 8_192;
/** Bytes after a longer string are text again, see `Sanitizer`. */
const STRING_BYTES_MAX = 1_048_576;

/** Cached decisions about control sequences; beyond this all are dropped. */
const KNOWN_MAX = 2_048;

/** Colours, cursor and erasing: control sequences that always pass, and are in every second line of every program. */
const FREQUENT_FINALS = "mABCDEFGHJKXd";

/** C0 controls that do not pass: NUL, ENQ (which asks for an answer), XON, XOFF and their like. ESC in a text is part of a plain sequence. */
const isStopped = (code: number): boolean => (code < 0x07 || (code > 0x0f && code < 0x20)) && code !== ESCAPE;
const STOPPED_CONTROLS: readonly string[] = Array.from({ length: 0x20 }, (_, code) => code)
  .filter(isStopped)
  .map((code) => String.fromCharCode(code));

/**
 * Passes the sequences that draw to the terminal of a viewer, and none that act on the viewer: an allow-list (`viewer-policy.ts`).
 *
 * The result is valid UTF-8 in 7-bit form: C1 controls become their two-byte forms, invalid bytes U+FFFD. Text between sequences is
 * unchanged; a chunk that passes completely is returned as it is, not copied. Memory is bounded by the longest sequence that passes.
 *
 * @example
 * ```ts
 * const filter = new ViewerFilter({ mode: "live" });
 * filter.feed(new TextEncoder().encode("\u001B]52;c;aGk=\u0007\u001B[1mhi")); // bytes of "\u001B[1mhi"
 * ```
 */
export class ViewerFilter {
  readonly #mode: ViewerMode;
  readonly #tokens = new Tokenizer({
    sequenceBytesMax: COMMAND_BYTES_MAX,
    releaseBytesMax: STRING_BYTES_MAX,
    plain: { finals: FREQUENT_FINALS, parameters: "numbers" },
  });
  readonly #passed = new PassedBytes();
  /** All text of the chunk passes; undefined before the first text of it. */
  #isClean: boolean | undefined;
  /** Decisions about the most recent control sequences. */
  readonly #known = new Map<string, Allowed>();
  #sequencesDropped = 0;
  readonly #rest = new SequenceRest();

  constructor(options: ViewerFilterOptions) {
    this.#mode = options.mode;
  }

  /** How many sequences did not pass. */
  get sequencesDropped(): number {
    return this.#sequencesDropped;
  }

  /** Returns what of `bytes` may reach the viewer; `bytes` itself if that is all of them. */
  feed(bytes: Uint8Array): Uint8Array {
    const chunk = this.#rest.strip(bytes);
    const tokens = this.#tokens;
    const text = tokens.isOpen ? undefined : this.#cleanText(chunk, 0);
    if (text !== undefined && isPlain(text, chunk)) return chunk;
    tokens.feed(chunk, 0);
    this.#passed.begin(chunk);
    this.#isClean = tokens.isOpen ? undefined : text !== undefined;
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (type === "text") this.#passText(chunk);
      else if (type === "control") this.#passControl();
      else this.#passSequence(type);
    }
    return this.#passed.take();
  }

  /** Bytes are missing here: an open sequence is not continued, and the rest of one that began in them does not pass. */
  gap(): void {
    this.#tokens.reset();
    this.#rest.begin();
  }

  /** Returns U+FFFD for an unfinished UTF-8 sequence. An unfinished escape sequence is dropped. */
  end(): Uint8Array {
    const isInCodePoint = this.#tokens.isOpen && this.#tokens.state === "ground";
    this.#tokens.reset();
    return encoder.encode(isInCodePoint ? REPLACEMENT : "");
  }

  #passText(chunk: Uint8Array): void {
    const tokens = this.#tokens;
    if (tokens.isInChunk) {
      this.#isClean ??= this.#cleanText(chunk, tokens.startIndex) !== undefined;
      if (this.#isClean) return this.#passed.pass(tokens);
    }
    const { bytes } = tokens;
    const text = decoder.decode(bytes);
    if (this.#isCleanText(text)) this.#passed.pass(tokens);
    else this.#passed.put(encoder.encode(this.#withoutStopped(text)));
  }

  /** `chunk` from `start` on, but for a code point that its end cuts; undefined unless it is valid UTF-8 and all of it passes. */
  #cleanText(chunk: Uint8Array, start: number): string | undefined {
    const text = decoder.decode(chunk.subarray(start, chunk.length - incompleteTailLength(chunk)));
    return this.#isCleanText(text) ? text : undefined;
  }

  #isCleanText(text: string): boolean {
    if (text.includes(REPLACEMENT) || STOPPED_CONTROLS.some((control) => text.includes(control))) return false;
    return this.#mode === "live" || text.search(REORDERING) === -1;
  }

  #withoutStopped(text: string): string {
    const passed = text.replaceAll(STOPPED_PATTERN, "");
    return this.#mode === "live" ? passed : passed.replaceAll(REORDERING, "");
  }

  #passControl(): void {
    if (!isStopped(this.#tokens.final)) this.#passed.pass(this.#tokens);
  }

  #passSequence(type: Exclude<TokenType, "text" | "control">): void {
    const tokens = this.#tokens;
    const allowed = tokens.isWhole ? this.#allowed(type) : null;
    if (allowed === null) this.#sequencesDropped++;
    else if (allowed === "unchanged" && tokens.byteAt(0) === ESCAPE) this.#passed.pass(tokens);
    else this.#passed.put(allowed === "unchanged" ? encoder.encode(`\u001B[${tokens.text}`) : allowed);
  }

  #allowed(type: Exclude<TokenType, "text" | "control">): Allowed {
    const tokens = this.#tokens;
    if (type === "osc") return this.#allowedCommand();
    if (type === "dcs" || type === "string" || tokens.length > SEQUENCE_BYTES_MAX) return null;
    const { text } = tokens;
    if (type === "csi") return this.#allowedSequence(text);
    // The terminator of a string that was dropped.
    return text === "\\" ? EMPTY : bytesOf(allowedEscape(text, this.#mode));
  }

  /** Programs use few different sequences, and those over and over. */
  #allowedSequence(text: string): Allowed {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const output = allowedControlSequence(text, this.#mode);
    const allowed = output === `\u001B[${text}` ? "unchanged" : bytesOf(output);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(text, allowed);
    return allowed;
  }

  #allowedCommand(): Allowed {
    const tokens = this.#tokens;
    const { body, final } = tokens;
    const terminator = final === BEL ? "\u0007" : "\u001B\\";
    const output = allowedOperatingSystemCommand(body, terminator, this.#mode);
    const isSevenBit = tokens.byteAt(0) === ESCAPE && final < 0x80;
    const isUnchanged = isSevenBit && !body.includes(REPLACEMENT) && output === `\u001B]${body}${terminator}`;
    return isUnchanged ? "unchanged" : bytesOf(output);
  }
}

/** Null if dropped. */
type Allowed = Uint8Array | "unchanged" | null;

const bytesOf = (text: string): Allowed => (text === "" ? null : encoder.encode(text));

/** True if the chunk is only text: the fast path for large output. */
const isPlain = (text: string, chunk: Uint8Array): boolean =>
  !text.includes("\u001B") &&
  (text.length === chunk.length || (incompleteTailLength(chunk) === 0 && !chunk.includes(C1_LEAD)));

const STOPPED_PATTERN = /[\0-\u0006\u0010-\u001A\u001C-\u001F]/g;
/** Bidirectional embeddings, overrides and isolates (UAX #9): they let a line show in another order than it was written. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;
