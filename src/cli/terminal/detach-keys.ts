/** Finds the keys that detach from a session in the input. */
import { LecternError } from "../../core/errors.ts";
import { CONTROL, readEncodedKey } from "../../core/typing/encoded-key.ts";

/**
 * A single key, as in dtach and abduco: docker's ctrl-p would delay each "previous command" of every
 * shell and agent, and tmux's ctrl-b is "one character left" in them.
 */
export const defaultDetachKeys = "ctrl-\\";

interface Key {
  /** What a terminal sends. */
  readonly byte: number;
  /** The code point of a key with Ctrl, for the encodings below; undefined for a plain letter. */
  readonly control: number | undefined;
}

const KEYS_MAX = 8;
const ESCAPE = 0x1b;
/** Longer than a key in any encoding. */
const KEY_BYTES_MAX = 128;

/** Parses `ctrl-p,ctrl-q` as docker writes it, `C-p`, or a plain character. `none` disables detaching. Throws `USAGE`. */
export function parseDetachKeys(text: string): readonly Key[] {
  if (text === "" || text === "none") return [];
  const words = text.split(",");
  if (words.length > KEYS_MAX) throw new LecternError("USAGE", `Cannot use more than ${KEYS_MAX} detach keys`);
  return words.map((word) => {
    const control = /^(?:ctrl-|C-)([a-z@[\\\]^_])$/i.exec(word)?.[1]?.toLowerCase().codePointAt(0);
    if (control !== undefined) return { byte: control & 0x1f, control };
    if (/^[!-~]$/.test(word)) return { byte: word.charCodeAt(0), control: undefined };
    throw new LecternError(
      "USAGE",
      `Cannot read detach key "${word}": wanted such as ctrl-\\ or ctrl-p,ctrl-q, or none`,
    );
  });
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
 *
 * @example
 * ```ts
 * const keys = new DetachKeys(parseDetachKeys("ctrl-p,ctrl-q"));
 * keys.feed(Buffer.from("ls\x10")); // { bytes: "ls", detach: false }
 * keys.feed(Buffer.from("\x11")); // { bytes: "", detach: true }
 * ```
 */
export class DetachKeys {
  readonly #keys: readonly Key[];
  /** Bytes of the keys pressed so far; the program gets them if another key follows. */
  #held: number[] = [];
  #pressed = 0;

  constructor(keys: readonly Key[]) {
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
function lengthOf(key: Key, chunk: Uint8Array, at: number): number {
  if (chunk[at] === key.byte) return 1;
  if (chunk[at] !== ESCAPE || key.control === undefined) return 0;
  const pressed = readEncodedKey(Buffer.from(chunk.subarray(at, at + KEY_BYTES_MAX)).toString("latin1"));
  if (pressed === null || pressed.isRelease) return 0;
  return pressed.modifiers === CONTROL && pressed.code === key.control ? pressed.length : 0;
}
