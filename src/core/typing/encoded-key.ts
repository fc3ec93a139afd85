/** Keys as a terminal sends them to a program that has switched another encoding on, where a plain byte could mean several keys. */

export interface EncodedKey {
  /** The code point of the key without Shift. */
  readonly code: number;
  /** Bits: 1 Shift, 2 Alt, 4 Ctrl, 8 Super, 16 Hyper, 32 Meta; the locks are left out. */
  readonly modifiers: number;
  readonly isRelease: boolean;
  /** What the key types; null for one that types nothing. */
  readonly text: string | null;
  /** UTF-16 units of the sequence. */
  readonly length: number;
}

export const CONTROL = 4;
const SHIFT = 1;
/** Caps lock and num lock. */
const LOCKS = 64 | 128;
const RELEASE = "3";
/** The private use area: keys without a character. */
const FUNCTIONAL_MIN = 57_344;
const FUNCTIONAL_MAX = 63_743;

/** https://sw.kovidgoyal.net/kitty/keyboard-protocol/: CSI code:shifted:base ; modifiers:event ; text u */
const kitty = /^\u001B\[(\d{1,7})(?::(\d{0,7}))?(?::\d{0,7})?(?:;(\d{0,3})(?::([123]))?(?:;([\d:]{0,64}))?)?u/;
/** xterm, modifyOtherKeys: CSI 27 ; modifiers ; code ~ */
const xterm = /^\u001B\[27;(\d{1,3});(\d{1,7})~/;

/**
 * The key at the start of `text`; null where there is none in one of these encodings.
 * `readEncodedKey("\u001b[99;5u"); // { code: 99, modifiers: 4, isRelease: false, text: null, length: 7 }`
 */
export function readEncodedKey(text: string): EncodedKey | null {
  const byKitty = kitty.exec(text);
  if (byKitty !== null) {
    const [whole, code, shifted, modifiers, event, typed] = byKitty;
    return keyOf({ whole, code, modifiers, isRelease: event === RELEASE, shifted, typed });
  }
  const byXterm = xterm.exec(text);
  if (byXterm === null) return null;
  const [whole, modifiers, code] = byXterm;
  return keyOf({ whole, code, modifiers, isRelease: false, shifted: undefined, typed: undefined });
}

interface Parts {
  readonly whole: string;
  readonly code: string | undefined;
  readonly modifiers: string | undefined;
  readonly isRelease: boolean;
  readonly shifted: string | undefined;
  readonly typed: string | undefined;
}

function keyOf({ whole, code = "", modifiers = "", isRelease, shifted = "", typed = "" }: Parts): EncodedKey {
  const bits = (modifiers === "" ? 0 : Number(modifiers) - 1) & ~LOCKS;
  const isPlain = (bits & ~SHIFT) === 0;
  const shown = (bits & SHIFT) === 0 || shifted === "" ? Number(code) : Number(shifted);
  const text = typed === "" ? [shown] : typed.split(":").map(Number);
  return {
    code: Number(code),
    modifiers: bits,
    isRelease,
    text: isPlain && text.every(isCharacter) ? String.fromCodePoint(...text) : null,
    length: whole.length,
  };
}

/** The byte that the key sends in the plain encoding; null for a key that has none there. */
export function plainByteOf({ code, modifiers }: EncodedKey): string | null {
  if (modifiers === 0 && (code < 0x20 || code === 0x7f)) return String.fromCodePoint(code);
  return modifiers === CONTROL && code >= 0x40 && code < 0x80 ? String.fromCodePoint(code & 0x1f) : null;
}

const isCharacter = (code: number): boolean =>
  code >= 0x20 && code !== 0x7f && code <= 0x10_ff_ff && (code < FUNCTIONAL_MIN || code > FUNCTIONAL_MAX);
