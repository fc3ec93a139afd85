/**
 * Whether a program still stands at its prompt though late output has scrolled that away: a timer or a thread prints, and the line editor
 * draws nothing anew. It does while nothing is typed behind a prompt that was seen.
 *
 * Law: when in doubt it does not. Before the echo of the line that was typed has ended, and where several lines were typed, what is like
 * the prompt may be part of the echo, or be followed by the next line; only the kernel's word that the program reads counts then.
 */
import { findByte } from "../bytes/find-byte.ts";
import { joinBytes } from "../bytes/joining.ts";
import { Sanitizer } from "../text/sanitizer.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Of a longer open line the end is kept. */
const OPEN_BYTES_MAX = 1000;
const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

export class StandingPrompt {
  #line: string | null = null;
  /** A prompt that is drawn with escape sequences: what a command prints is not the same. */
  #drawn: { readonly line: string; readonly bytes: Uint8Array } | null = null;
  /** What came since the last line feed, and since something was typed. */
  #open: Uint8Array = EMPTY;
  #typedLines = 0;
  #hasEchoed = true;
  /** Of those that this terminal has typed. */
  #untoldLines = 0;

  /** The prompt; null where the program is not known to stand there. */
  get line(): string | null {
    return this.#line;
  }

  /** A program reads and nothing moves, and the open line is its prompt. */
  seen(line: string): void {
    this.#line = line;
    this.#typedLines = 0;
    const isDrawn = this.#open.length > encoder.encode(line).length && textOf(this.#open) === line;
    if (isDrawn) this.#drawn = { line, bytes: this.#open };
  }

  /**
   * Null: it is not known what was typed. `isTold`: the journal tells it; what this terminal types itself is told again, and the end of a line
   * apart from the line.
   */
  typed(bytes: Uint8Array | null, isTold = false): void {
    const lines = bytes === null ? 2 : bytes.filter((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN).length;
    const known = isTold ? Math.min(lines, this.#untoldLines) : 0;
    this.#untoldLines += isTold ? -known : lines;
    this.#typedLines += lines - known;
    this.#hasEchoed = false;
    this.#line = null;
    this.#open = EMPTY;
  }

  /** Output came, behind which the open line is or is not a prompt. */
  printed(bytes: Uint8Array, line: string, isPrompt: boolean): void {
    const all = joinBytes(this.#open, bytes);
    const lineAt = all.lastIndexOf(LINE_FEED) + 1;
    const hadEchoed = this.#hasEchoed;
    this.#hasEchoed ||= lineAt > 0;
    this.#open = all.slice(Math.max(lineAt, all.length - OPEN_BYTES_MAX));
    if (!this.#hasEchoed || this.#typedLines > 1) return;
    const echoEnd = hadEchoed ? 0 : findByte(all, LINE_FEED, 0) + 1;
    const isDrawn = this.#drawn !== null && indexOf(all, this.#drawn.bytes, echoEnd) !== -1;
    if (isPrompt) this.#line = line;
    else if (isDrawn && this.#drawn !== null) this.#line = this.#drawn.line;
    else return;
    this.#typedLines = 0;
  }
}

function textOf(bytes: Uint8Array): string {
  const sanitizer = new Sanitizer();
  return sanitizer.feed(bytes) + sanitizer.end();
}

/** Where `part`, which is not empty, is in `bytes`, from an index on; -1 where it is not. */
function indexOf(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = findByte(bytes, part[0] ?? 0, from); at !== -1; at = findByte(bytes, part[0] ?? 0, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
