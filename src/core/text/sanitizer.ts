import { splitBytes, joinBytes } from "../bytes/joining.ts";
import { incompleteTailLength, sealTail } from "../bytes/utf8.ts";
import {
  BACKSPACE,
  BEL,
  C1_LEAD,
  CANCEL,
  CARRIAGE_RETURN,
  CSI_OPENER,
  DELETE,
  ESCAPE,
  LINE_FEED,
  OSC_OPENER,
  SUBSTITUTE,
  TAB,
} from "../vt/control-bytes.ts";
import { opened } from "../vt/parser-state.ts";
import { SequenceRest } from "../vt/sequence-rest.ts";
import { endOfWideText, isC1, widenRawC1 } from "./c1.ts";
import { endOfReturns, isCopied } from "./plain-bytes.ts";
import { wholeCharacters } from "./cut-text.ts";
import { GAP_COLUMNS_MAX, LineEditor } from "./line-editor.ts";
import { KERNEL_BLOCK_BYTES, TextKernel } from "./text-kernel.ts";

/** Limits of a `Sanitizer`, and whether raw C1 bytes are controls. */
export interface SanitizerOptions {
  /**
   * UTF-16 units of an unfinished line that may still be overwritten; default 65,536. A longer line is let go in pieces of this
   * length: nothing is lost, but a carriage return goes back to the start of the last piece only.
   */
  readonly lineCharsMax?: number;
  /**
   * Bytes of one escape sequence or control string; default 1 MiB (the largest that tmux takes). What follows in a longer one,
   * which is most likely an opener in binary data that nothing ever ends, is text again. Counted in `sequencesCut`.
   */
  readonly sequenceBytesMax?: number;
  /**
   * Reads the raw bytes 0x80 to 0x9F outside of UTF-8 sequences as C1 controls; default false, see the class.
   */
  readonly rawC1?: boolean;
  /** Does without WebAssembly, as where there is none: the same result, several times slower. For tests. */
  readonly portable?: boolean;
}

type State = "text" | "escape" | "escape-intermediate" | "control-sequence" | "operating-system-command" | "string";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const BLANK = 0x20;
const EMPTY = new Uint8Array(0);
/** With `rawC1` a block may double, and up to three bytes of the previous one precede it. */
const BLOCK_BYTES = KERNEL_BLOCK_BYTES / 2 - 4;
const PARAMETER_MAX = 9_999;
/** `sequenceBytesMax` is at least this, so that the short cut of the kernel cannot pass it. */
const SEQUENCE_BYTES_LEAST = 64;

/** Each printable ASCII character by its code. */
const ASCII: readonly (string | undefined)[] = Array.from({ length: 256 }, (_, code) =>
  code >= 0x20 && code < DELETE ? String.fromCharCode(code) : undefined,
);

/** Shared by all sanitizers and created with the first; null if WebAssembly is not available. */
let sharedKernel: TextKernel | null | undefined;

/**
 * Converts terminal output to the text that a person would read, at any chunking.
 *
 * Removed: CSI, OSC, DCS, APC, PM and SOS sequences, charset and two-byte escapes (ECMA-48), and every control except `\n` and `\t`.
 * Applied within the open line: CR, CRLF, backspace, and the sequences that move or erase in a line (CUF, CUB, CHA, EL, ED, ECH, DCH,
 * ICH). A movement to another line (CUP, CUU, CUD, VPA, ...) and the erasing of the screen end the open line if it has text: rows never
 * run together or overwrite each other, but only `Screen` knows their positions. One row up from an empty line and a line feed are nothing
 * together: Python 3.13 draws its prompt so. CAN and SUB end a sequence; ESC in one starts the next.
 * Invalid UTF-8 becomes U+FFFD.
 *
 * 8-bit controls: in UTF-8, U+0080 to U+009F are C1 controls and are applied. The same values as raw bytes are invalid and become U+FFFD,
 * as in xterm: otherwise one curly quote of Windows-1252 (0x93, 0x98, 0x9D, 0x9E) would swallow the text after it. `rawC1` is for programs
 * that are known to send them.
 *
 * `feed` returns complete lines, each with its `\n`. `pending` is the open line, which a later CR may overwrite; `end` returns it.
 *
 * @example
 * ```ts
 * const sanitizer = new Sanitizer();
 * sanitizer.feed(new TextEncoder().encode("\u001B[1mdone\u001B[m\r\n 50%\r100%")); // "done\n"
 * sanitizer.pending; // "100%"
 * ```
 */
export class Sanitizer {
  readonly #lineCharsMax: number;
  readonly #sequenceBytesMax: number;
  readonly #rawC1: boolean;
  #state: State = "text";
  #sequenceBytes = 0;
  /** First parameter of the control sequence, -1 if there is none; only used for movements within a line. */
  #parameter = -1;
  /** Which parameter a digit belongs to: only the first one is kept. */
  #inFirstParameter = true;
  /** False if the control sequence has a private prefix or an intermediate byte, and so is not one of those movements. */
  #isPlainSequence = true;
  /** An incomplete UTF-8 sequence at the end of the last chunk, at most 3 bytes. */
  #held: Uint8Array = EMPTY;
  readonly #kernel: TextKernel | undefined;
  /** Text bytes of this block, not decoded yet; shared by all sanitizers, and empty between calls. */
  readonly #scratch: Uint8Array;
  #scratchLength = 0;
  /** Text of this chunk that is decoded and finished. */
  #finished = "";
  /** The open line, while nothing was overwritten in it; else it is in the editor and this is empty. */
  #line = "";
  /** Columns between the end of the open line and the cursor: blanks if text follows, dropped if the line ends. */
  #gap = 0;
  /** The cursor is back at the start of the open line. Only text makes an editor necessary then: a line end or EL is more frequent. */
  #isReturned = false;
  /** The cursor is one row above an empty open line. */
  #isAbove = false;
  #editor: LineEditor | undefined;
  #sequencesCut = 0;
  readonly #rest = new SequenceRest();

  constructor(options: SanitizerOptions = {}) {
    this.#lineCharsMax = Math.max(2, options.lineCharsMax ?? 65_536);
    this.#sequenceBytesMax = Math.max(SEQUENCE_BYTES_LEAST, options.sequenceBytesMax ?? 1_048_576);
    this.#rawC1 = options.rawC1 ?? false;
    if (sharedKernel === undefined) sharedKernel = TextKernel.create() ?? null;
    this.#kernel = options.portable === true ? undefined : (sharedKernel ?? undefined);
    // A block may double: an incomplete UTF-8 sequence of one byte becomes U+FFFD (three bytes) at the cost of the control after it.
    this.#scratch = this.#kernel?.output ?? new Uint8Array(KERNEL_BLOCK_BYTES * 2);
  }

  /** The open line as it can be read now: it may still be overwritten, and is not returned by `feed` yet. */
  get pending(): string {
    return this.#editor === undefined ? this.#line : this.#editor.text();
  }

  /** How many sequences were longer than `sequenceBytesMax`. */
  get sequencesCut(): number {
    return this.#sequencesCut;
  }

  /** Returns the lines that `chunk` finished. The chunk is not kept. */
  feed(chunk: Uint8Array): string {
    const bytes = this.#rest.strip(chunk);
    if (bytes.length <= BLOCK_BYTES) this.#feedBlock(bytes);
    else for (const block of splitBytes(bytes, BLOCK_BYTES)) this.#feedBlock(block);
    return this.#takeFinished();
  }

  /** Bytes are missing here: an open sequence is not continued, and the rest of one that began in them is not text. */
  gap(): void {
    this.#held = EMPTY;
    this.#state = "text";
    this.#rest.begin();
  }

  /** Reads output in front of what is wanted: its text is dropped, and a sequence that it leaves open is known. */
  skip(chunk: Uint8Array): void {
    this.feed(chunk);
    this.#clearLine();
  }

  /** Returns the open line, and what is left of an unfinished UTF-8 sequence as U+FFFD. An unfinished escape sequence is dropped. */
  end(): string {
    const rest = this.#held;
    this.#held = EMPTY;
    this.#readBlock(rest);
    const finished = this.#takeFinished() + this.pending;
    this.#clearLine();
    this.#state = "text";
    return finished;
  }

  #clearLine(): void {
    this.#line = "";
    this.#editor = undefined;
    this.#gap = 0;
    this.#isReturned = false;
  }

  #feedBlock(block: Uint8Array): void {
    const joined = joinBytes(this.#held, block);
    const heldLength = incompleteTailLength(joined);
    const wholeLength = joined.length - heldLength;
    this.#held = heldLength === 0 ? EMPTY : joined.slice(wholeLength);
    const whole = heldLength === 0 ? joined : joined.subarray(0, wholeLength);
    this.#readBlock(this.#rawC1 ? widenRawC1(whole) : whole);
  }

  #takeFinished(): string {
    const finished = this.#finished;
    this.#finished = "";
    return finished;
  }

  #readBlock(block: Uint8Array): void {
    const kernel = this.#kernel;
    kernel?.load(block);
    if (kernel !== undefined && this.#isInPlainLine() && kernel.plainLength() === block.length) {
      this.#finished += this.#appendText(decoder.decode(block));
      return;
    }
    const bytes = kernel === undefined ? block : kernel.input(block.length);
    for (let index = 0; index < bytes.length;) {
      if (this.#state !== "text") index = this.#readSequence(bytes, index);
      else if (this.#editor === undefined) index = this.#readText(bytes, index);
      else index = this.#readEditedText(bytes, index, this.#editor);
    }
    this.#decodeScratch();
  }

  /** Copies text up to a control, and executes that. */
  #readText(bytes: Uint8Array, start: number): number {
    const isAbove = this.#isAbove;
    this.#isAbove = false;
    if (isAbove && bytes[start] === LINE_FEED) return start + 1;
    if (this.#gap > 0 || this.#isReturned) {
      if (!isCopied(bytes, start) || bytes[start] === LINE_FEED) return this.#readControl(bytes, start);
      if (this.#isReturned) return this.#readEditedText(bytes, start, this.#edit());
      this.#fillGap();
    }
    const index =
      this.#kernel === undefined ? this.#copyText(bytes, start) : this.#copyFast(this.#kernel, bytes, start);
    if (index === bytes.length) return index;
    this.#scratchLength = sealTail(this.#scratch, this.#scratchLength);
    const end = endOfReturns(bytes, index);
    if (end === index) return this.#readControl(bytes, index);
    // Several are like one, and a line feed ends the line wherever the cursor is.
    if (bytes[end] !== LINE_FEED) this.#returnCarriage();
    return end;
  }

  #copyFast(kernel: TextKernel, bytes: Uint8Array, start: number): number {
    const { read, written } = kernel.copy(start, bytes.length, this.#scratchLength);
    this.#scratchLength += written;
    return start + read;
  }

  #copyText(bytes: Uint8Array, start: number): number {
    let index = start;
    while (index < bytes.length && isCopied(bytes, index)) {
      this.#scratch[this.#scratchLength++] = bytes[index] ?? 0;
      index++;
    }
    return index;
  }

  /** Reads text into the line editor, up to the end of the line or the opener of a sequence. */
  #readEditedText(bytes: Uint8Array, start: number, editor: LineEditor): number {
    let index = start;
    while (index < bytes.length) {
      const ascii = ASCII[bytes[index] ?? 0];
      if (ascii === undefined) {
        const end = endOfWideText(bytes, index);
        if (end === index) return this.#readControl(bytes, index);
        this.#finished += editor.write(decoder.decode(bytes.subarray(index, end)));
        index = end;
      } else {
        const released = editor.writeAscii(ascii);
        if (released !== "") this.#finished += released;
        index++;
      }
    }
    return index;
  }

  /** Executes the control at `index`, in any state except within a string. Returns the index after it. */
  #readControl(bytes: Uint8Array, index: number): number {
    const byte = bytes[index] ?? 0;
    if (byte === C1_LEAD) {
      this.#open((bytes[index + 1] ?? 0) - 0x40);
      return index + 2;
    }
    if (byte === ESCAPE) {
      const isControlSequence = bytes[index + 1] === CSI_OPENER;
      this.#enter(isControlSequence ? "control-sequence" : "escape");
      return isControlSequence ? index + 2 : index + 1;
    }
    if (byte === CANCEL || byte === SUBSTITUTE) this.#state = "text";
    else if (byte === BACKSPACE) this.#edit().moveBy(-1);
    else if (byte === CARRIAGE_RETURN) this.#returnCarriage();
    else if (byte === LINE_FEED) this.#endLine();
    else if (byte === TAB) this.#writeTab();
    return index + 1;
  }

  #readSequence(bytes: Uint8Array, index: number): number {
    const next = this.#readSequenceBytes(bytes, index);
    if (this.#state !== "text" && this.#sequenceBytes >= this.#sequenceBytesMax) {
      this.#state = "text";
      this.#sequencesCut++;
    }
    return next;
  }

  #readSequenceBytes(bytes: Uint8Array, index: number): number {
    if (this.#state === "operating-system-command" || this.#state === "string") return this.#readString(bytes, index);
    if (this.#state === "control-sequence") return this.#readControlSequence(bytes, index);
    return this.#readEscapeByte(bytes, index);
  }

  /** Skips string bytes: up to the terminator, the limit or the end of the chunk. */
  #readString(bytes: Uint8Array, start: number): number {
    const end = Math.min(bytes.length, start + this.#sequenceBytesMax - this.#sequenceBytes);
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte >= 0x20 && byte !== C1_LEAD) continue;
      if (byte === C1_LEAD && isC1(bytes, index)) return this.#readControl(bytes, index);
      if (byte === BEL && this.#state === "operating-system-command") this.#state = "text";
      if (byte === ESCAPE) return this.#readControl(bytes, index);
      if (byte === CANCEL || byte === SUBSTITUTE) this.#state = "text";
      if (this.#state === "text") return index + 1;
    }
    this.#sequenceBytes += end - start;
    return end;
  }

  /** Reads up to the final byte, the limit, or a byte that is not part of a control sequence. */
  #readControlSequence(bytes: Uint8Array, start: number): number {
    const end = Math.min(bytes.length, start + this.#sequenceBytesMax - this.#sequenceBytes);
    let index = start;
    for (; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte >= 0x40 && byte < DELETE) {
        this.#state = "text";
        if (this.#isPlainSequence) this.#move(byte);
        return index + 1;
      }
      if (byte < 0x20 || byte > DELETE) break;
      if (byte >= 0x30 && byte <= 0x39) this.#readDigit(byte - 0x30);
      else if (byte === 0x3a || byte === 0x3b) this.#inFirstParameter = false;
      else if (byte !== DELETE) this.#isPlainSequence = false;
    }
    this.#sequenceBytes += index - start;
    return index < end ? this.#readForeignByte(bytes, index) : index;
  }

  #readDigit(digit: number): void {
    if (!this.#inFirstParameter) return;
    this.#parameter = Math.min(PARAMETER_MAX, Math.max(0, this.#parameter) * 10 + digit);
  }

  /** Reads the byte after ESC, or after the intermediate bytes that follow it. */
  #readEscapeByte(bytes: Uint8Array, index: number): number {
    const byte = bytes[index] ?? 0;
    if (byte < 0x20 || byte > DELETE) return this.#readForeignByte(bytes, index);
    this.#sequenceBytes++;
    if (byte < 0x30) this.#state = "escape-intermediate";
    else if (this.#state === "escape" && byte !== DELETE) this.#open(byte);
    else if (byte !== DELETE) this.#state = "text";
    return index + 1;
  }

  /** Reads a control within a sequence, which is executed, or a non-ASCII letter, which ends the sequence and is text. */
  #readForeignByte(bytes: Uint8Array, index: number): number {
    this.#sequenceBytes++;
    const byte = bytes[index] ?? 0;
    if (byte < 0x20 || (byte === C1_LEAD && isC1(bytes, index))) return this.#readControl(bytes, index);
    this.#state = "text";
    return index;
  }

  /** Enters the state that the byte after ESC asks for: `[`, `]`, `P`, ... All others are two-byte escapes, which end here. */
  #open(opener: number): void {
    if (opener === CSI_OPENER) this.#enter("control-sequence");
    else if (opener === OSC_OPENER) this.#enter("operating-system-command");
    else if (opened(opener) !== "ground") this.#enter("string");
    else this.#state = "text";
  }

  #enter(state: State): void {
    this.#state = state;
    this.#sequenceBytes = 0;
    this.#parameter = -1;
    this.#inFirstParameter = true;
    this.#isPlainSequence = true;
  }

  /** Executes a control sequence without prefix that moves or erases; the others change no text. */
  #move(final: number): void {
    const count = Math.max(1, this.#parameter);
    switch (String.fromCharCode(final)) {
      case "C":
      case "a":
        return this.#isAtEnd() ? this.#widenGap(count) : this.#edit().moveBy(count);
      case "D":
        return this.#edit().moveBy(-count);
      case "G":
      case "`":
        return this.#edit().moveTo(count - 1);
      case "A":
        return this.#goUp(count);
      case "B":
      case "E":
      case "F":
      case "H":
      case "d":
      case "e":
      case "f":
        return this.#leaveLine();
      case "J":
        return this.#parameter >= 2 ? this.#leaveLine() : this.#eraseLine();
      case "K":
        return this.#eraseLine();
      case "X":
        return this.#isAtEnd() ? undefined : this.#edit().erase(count);
      case "P":
        return this.#isAtEnd() ? undefined : this.#edit().delete(count);
      case "@":
        return this.#isAtEnd() ? undefined : this.#edit().insert(count);
      default:
    }
  }

  #eraseLine(): void {
    if (this.#parameter === 1) this.#edit().eraseToStart();
    else if (this.#parameter === 2) this.#edit().eraseAll();
    else if (this.#isReturned) {
      this.#decodeScratch();
      this.#line = "";
      this.#isReturned = false;
    } else this.#editor?.eraseToEnd();
  }

  /** True if the cursor is after all text of the line, so that nothing can be overwritten. */
  #isAtEnd(): boolean {
    return this.#editor === undefined && !this.#isReturned;
  }

  #goUp(rows: number): void {
    const isAbove = rows === 1 && this.#isAtLineStart();
    this.#leaveLine();
    this.#isAbove = isAbove;
  }

  /** The cursor moves to another line: the text of this one is finished and cannot be overwritten any more. */
  #leaveLine(): void {
    this.#isAbove = false;
    if (this.#editor === undefined && !this.#isAtLineStart()) return this.#endLine();
    const text = this.#editor?.take() ?? "";
    if (text !== "") this.#finished += `${text}\n`;
    this.#editor = undefined;
    this.#gap = 0;
  }

  #isInPlainLine(): boolean {
    return this.#state === "text" && this.#isAtEnd() && this.#gap === 0 && !this.#isAbove;
  }

  /** True if a carriage return has no effect, as in the `\r` that bash writes after each command line. */
  #isAtLineStart(): boolean {
    if (this.#editor !== undefined) return false;
    return this.#scratchLength === 0 ? this.#line === "" : this.#scratch[this.#scratchLength - 1] === LINE_FEED;
  }

  #returnCarriage(): void {
    this.#gap = 0;
    if (this.#editor !== undefined) this.#editor.carriageReturn();
    else this.#isReturned = !this.#isAtLineStart();
  }

  #widenGap(columns: number): void {
    this.#gap = Math.min(GAP_COLUMNS_MAX, this.#gap + columns);
  }

  #fillGap(): void {
    if (this.#scratchLength + this.#gap > this.#scratch.length / 2) this.#decodeScratch();
    this.#scratch.fill(BLANK, this.#scratchLength, this.#scratchLength + this.#gap);
    this.#scratchLength += this.#gap;
    this.#gap = 0;
  }

  #endLine(): void {
    this.#gap = 0;
    this.#isReturned = false;
    if (this.#editor === undefined) this.#scratch[this.#scratchLength++] = LINE_FEED;
    else this.#finished += `${this.#editor.take()}\n`;
    this.#editor = undefined;
  }

  #writeTab(): void {
    this.#fillGap();
    // Creating the editor may finish lines, so it comes before the sum.
    const editor = this.#isAtEnd() ? undefined : this.#edit();
    if (editor === undefined) this.#scratch[this.#scratchLength++] = TAB;
    else this.#finished += editor.write("\t");
  }

  /** The editor of the open line, created from its text. */
  #edit(): LineEditor {
    if (this.#editor !== undefined) return this.#editor;
    this.#decodeScratch();
    this.#editor = new LineEditor(this.#line, this.#lineCharsMax);
    this.#line = "";
    if (this.#isReturned) this.#editor.carriageReturn();
    this.#editor.moveBy(this.#gap);
    this.#isReturned = false;
    this.#gap = 0;
    return this.#editor;
  }

  #decodeScratch(): void {
    if (this.#scratchLength === 0) return;
    const text = decoder.decode(this.#scratch.subarray(0, this.#scratchLength));
    this.#scratchLength = 0;
    this.#finished += this.#appendText(text);
  }

  /** Appends text without controls other than `\n` and `\t` to the open line. Returns the finished lines. */
  #appendText(text: string): string {
    const lineStart = text.lastIndexOf("\n") + 1;
    let finished = lineStart === 0 ? "" : this.#line + text.slice(0, lineStart);
    let line = lineStart === 0 ? this.#line + text : text.slice(lineStart);
    while (line.length > this.#lineCharsMax) {
      const cut = wholeCharacters(line, this.#lineCharsMax);
      finished += line.slice(0, cut);
      line = line.slice(cut);
    }
    this.#line = line;
    return finished;
  }
}
