/** Two private modes that decide how a program is typed to: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html ("DECSET"). */

const ESCAPE = 0x1b;
const SEMICOLON = 0x3b;
const SEQUENCE_BYTES_MAX = 64;
const BRACKETED_PASTE = 2004;
const alternateScreenModes = new Set([47, 1047, 1049]);
const EMPTY = new Uint8Array(0);

/**
 * Knows whether a program is on the whole screen (vim, less) and whether it takes bracketed pastes (a line editor), at any chunking.
 *
 * @example
 * ```ts
 * const modes = new PrivateModes();
 * modes.feed(new TextEncoder().encode("\u001b[?2004h$ "));
 * modes.bracketedPaste; // true
 * ```
 */
export class PrivateModes {
  bracketedPaste = false;
  alternateScreen = false;
  /** A sequence that has begun at the end of the last chunk. */
  #held: Uint8Array = EMPTY;

  feed(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#held.length > 0) {
      bytes = new Uint8Array(this.#held.length + chunk.length);
      bytes.set(this.#held);
      bytes.set(chunk, this.#held.length);
      this.#held = EMPTY;
    }
    for (let at = bytes.indexOf(ESCAPE); at !== -1; at = bytes.indexOf(ESCAPE, at + 1)) {
      const end = this.#readAt(bytes, at);
      if (end !== -1) continue;
      this.#held = new Uint8Array(bytes.subarray(at));
      return;
    }
  }

  /** Reads a sequence at `at`; -1 where it may go on in the next chunk. */
  #readAt(bytes: Uint8Array, at: number): number {
    if (at + 1 >= bytes.length) return -1;
    if (bytes[at + 1] === 0x63) {
      // RIS, the full reset.
      this.bracketedPaste = false;
      this.alternateScreen = false;
      return at + 2;
    }
    if (bytes[at + 1] !== 0x5b) return at + 1;
    if (at + 2 >= bytes.length) return -1;
    if (bytes[at + 2] !== 0x3f) return at + 2;
    let end = at + 3;
    while (end < bytes.length && isParameter(bytes[end] ?? 0) && end - at < SEQUENCE_BYTES_MAX) end++;
    if (end === bytes.length) return -1;
    const final = bytes[end];
    if (final === 0x68 || final === 0x6c) this.#set(bytes.subarray(at + 3, end), final === 0x68);
    return end;
  }

  #set(parameters: Uint8Array, isOn: boolean): void {
    let mode = 0;
    for (const byte of parameters) {
      if (byte !== SEMICOLON) mode = mode * 10 + byte - 0x30;
      else {
        this.#setOne(mode, isOn);
        mode = 0;
      }
    }
    this.#setOne(mode, isOn);
  }

  #setOne(mode: number, isOn: boolean): void {
    if (mode === BRACKETED_PASTE) this.bracketedPaste = isOn;
    else if (alternateScreenModes.has(mode)) this.alternateScreen = isOn;
  }
}

const isParameter = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === SEMICOLON;
