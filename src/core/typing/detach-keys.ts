/** The words for keys that detach from a session, as in `--detach-keys` and `run.detachKeys`. */

export interface DetachKey {
  /** What a terminal sends. */
  readonly byte: number;
  /** The code point of a key with Ctrl, for terminals that send keys in another encoding; undefined for a plain letter. */
  readonly control: number | undefined;
}

const KEYS_MAX = 8;

/** Reads `ctrl-p,ctrl-q` as docker writes it, `C-p`, or a plain character, at most 8; `none` is no key. Undefined if a word is no key. */
export function readDetachKeys(text: string): readonly DetachKey[] | undefined {
  if (text === "" || text === "none") return [];
  const keys = text.split(",").map(keyOf);
  return keys.length <= KEYS_MAX && keys.every((key) => key !== undefined) ? keys : undefined;
}

export const detachKeysWanted = "such as ctrl-\\ or ctrl-p,ctrl-q, at most 8, or none";

function keyOf(word: string): DetachKey | undefined {
  const control = /^(?:ctrl-|C-)([a-z@[\\\]^_])$/i.exec(word)?.[1]?.toLowerCase().codePointAt(0);
  if (control !== undefined) return { byte: control & 0x1f, control };
  return /^[!-~]$/.test(word) ? { byte: word.charCodeAt(0), control: undefined } : undefined;
}
