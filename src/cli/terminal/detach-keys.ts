/** Finds the keys that detach from a session in the input. */
import { LecternError } from "../../core/errors.ts";
import { detachKeysWanted, readDetachKeys, type DetachKey } from "../../core/typing/detach-keys.ts";
import { CONTROL, readEncodedKey } from "../../core/typing/encoded-key.ts";

/**
 * A single key, as in dtach and abduco: docker's ctrl-p would delay each "previous command" of every
 * shell and agent, and tmux's ctrl-b is "one character left" in them.
 */
export const defaultDetachKeys = "ctrl-\\";

const ESCAPE = 0x1b;
/** Longer than a key in any encoding. */
const KEY_BYTES_MAX = 128;

/** Throws `USAGE`. */
export function parseDetachKeys(text: string): readonly DetachKey[] {
  const keys = readDetachKeys(text);
  if (keys !== undefined) return keys;
  throw new LecternError("USAGE", `Cannot read detach keys "${text}": wanted ${detachKeysWanted}`);
}

export interface Typed {
  /** Input for the program. */
  readonly bytes: Uint8Array;
  /** The detach keys were pressed; input after them is dropped. */
  readonly detach: boolean;
}

/**
 * Holds back a prefix of the detach keys until the next key. Programs may have switched the terminal
 * to another encoding of keys (the kitty protocol's `CSI 92;5u`, xterm's `CSI 27;5;92~`), which is recognized as well.
 */
export class DetachKeys {
  readonly #keys: readonly DetachKey[];
  /** Bytes of the keys pressed so far; the program gets them if another key follows. */
  #held: number[] = [];
  #pressed = 0;

  constructor(keys: readonly DetachKey[]) {
    this.#keys = keys;
  }

  feed(chunk: Uint8Array): Typed {
    if (this.#keys.length === 0) return { bytes: chunk, detach: false };
    const bytes: number[] = [];
    let at = 0;
    while (at < chunk.length) {
      const key = this.#keys[this.#pressed];
      const length = key === undefined ? 0 : lengthOf(key, chunk, at);
      if (length > 0) {
        this.#held.push(...chunk.subarray(at, at + length));
        at += length;
        this.#pressed += 1;
        if (this.#pressed === this.#keys.length) return { bytes: Uint8Array.from(bytes), detach: true };
      } else if (this.#pressed > 0) {
        for (const byte of this.#held) bytes.push(byte);
        this.#held = [];
        this.#pressed = 0;
      } else {
        bytes.push(chunk[at] ?? 0);
        at += 1;
      }
    }
    return { bytes: Uint8Array.from(bytes), detach: false };
  }
}

/** The number of bytes of this key at this position; 0 if there is another key. */
function lengthOf(key: DetachKey, chunk: Uint8Array, at: number): number {
  if (chunk[at] === key.byte) return 1;
  if (chunk[at] !== ESCAPE || key.control === undefined) return 0;
  const pressed = readEncodedKey(Buffer.from(chunk.subarray(at, at + KEY_BYTES_MAX)).toString("latin1"));
  if (pressed === null || pressed.isRelease) return 0;
  return pressed.modifiers === CONTROL && pressed.code === key.control ? pressed.length : 0;
}
