/** Reads operating system commands (OSC, ECMA-48 8.3.89) with their offsets from bytes: titles, shell marks, program status. */
import { firstCommand } from "../vt/first-command.ts";
import { Tokenizer, finalsBut, type TokenizerState } from "../vt/tokenizer.ts";

/** `ESC ] command ; data` up to BEL or ST. */
export interface OscSequence {
  /** Offset of its ESC. */
  readonly offset: number;
  /** Offset after its terminator. */
  readonly end: number;
  /** The number before the first semicolon. */
  readonly command: number;
  /** The text after the first semicolon, which may be empty. Invalid UTF-8 is replaced. */
  readonly data: string;
}

/** An incomplete sequence, plain data. */
export type OscReaderState = TokenizerState;

/** Index of the number, after `ESC ]`. */
const COMMAND_START = 2;
/** Read at first where the chunk before ended within a sequence: most are short. */
const STEP_BYTES = 64;
const COMMAND = /^\d{1,6}$/;

/**
 * Reads whole sequences at any chunking. One that is longer than `sequenceBytesMax` is dropped, and so is one that CAN, SUB or another
 * escape sequence cuts.
 */
export class OscReader {
  readonly #tokens: Tokenizer;

  /** `sequenceBytesMax`: default 8192, room for the 4096 bytes of a program status. */
  constructor({ sequenceBytesMax = 8192 }: { readonly sequenceBytesMax?: number } = {}) {
    this.#tokens = new Tokenizer({ sequenceBytesMax, plain: { finals: finalsBut(""), parameters: "any" } });
  }

  /** `offset` is that of the first byte of `chunk`. */
  feed(chunk: Uint8Array, offset: number): OscSequence[] {
    const found: OscSequence[] = [];
    let at = 0;
    for (let step = STEP_BYTES; this.#tokens.isOpen && at < chunk.length; step *= 2) {
      this.#read(chunk.subarray(at, at + step), offset + at, found);
      at += step;
    }
    if (at >= chunk.length) return found;
    const rest = chunk.subarray(at);
    const start = firstCommand(rest);
    this.#read(rest.subarray(start), offset + at + start, found);
    return found;
  }

  #read(bytes: Uint8Array, offset: number, found: OscSequence[]): void {
    const tokens = this.#tokens;
    tokens.feed(bytes, offset);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      const sequence = type === "osc" ? readOsc(tokens) : undefined;
      if (sequence !== undefined) found.push(sequence);
    }
  }

  /** Offset of an incomplete sequence that may become a command; null if there is none, or if it is too long. */
  get openStart(): number | null {
    return this.#tokens.isOpen && !this.#tokens.isTooLong ? this.#tokens.openStart : null;
  }

  /** Bytes are missing here: an incomplete sequence is dropped. */
  gap(): void {
    this.#tokens.reset();
  }

  save(): OscReaderState {
    return this.#tokens.save();
  }

  restore(state: OscReaderState): void {
    this.#tokens.restore(state);
  }
}

/** The command of the current token, an OSC; undefined if it is incomplete or has no number. */
export function readOsc(tokens: Tokenizer): OscSequence | undefined {
  if (!tokens.isWhole || !isDigit(tokens.byteAt(COMMAND_START))) return undefined;
  const { body } = tokens;
  const semicolon = body.indexOf(";");
  const command = semicolon === -1 ? body : body.slice(0, semicolon);
  if (!COMMAND.test(command)) return undefined;
  const data = semicolon === -1 ? "" : body.slice(semicolon + 1);
  return { offset: tokens.start, end: tokens.end, command: Number(command), data };
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
