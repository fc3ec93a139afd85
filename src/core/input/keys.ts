import { LecternError } from "../errors.ts";
import { isOneCluster } from "../text/width.ts";
import { didYouMean } from "../text/nearest.ts";

/** The modes of the terminal that change what keys send. */
export interface KeyOptions {
  /** The program asked for application cursor keys (DECCKM, `CSI ? 1 h`): arrows, Home and End are SS3 sequences. Default false. */
  readonly applicationCursor?: boolean;
}

interface Modifiers {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly control: boolean;
}

/** How a named key is encoded: a plain text, the final letter of `CSI 1 ; m X`, or the number of `CSI n ; m ~`. */
type Encoding =
  | { readonly kind: "text"; readonly text: string; readonly shifted?: string; readonly controlled?: string }
  | { readonly kind: "letter"; readonly final: string; readonly introducer: "cursor" | "function" }
  | { readonly kind: "number"; readonly number: number };

const text = (plain: string, variants: { shifted?: string; controlled?: string } = {}): Encoding => ({
  kind: "text",
  text: plain,
  ...variants,
});
const cursor = (final: string): Encoding => ({ kind: "letter", final, introducer: "cursor" });
const functionLetter = (final: string): Encoding => ({ kind: "letter", final, introducer: "function" });
const number = (value: number): Encoding => ({ kind: "number", number: value });

/** Numbers of F5 to F20 (VT220); F1 to F4 have letters. */
const FUNCTION_NUMBERS = [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];

/** Each key by its name as tmux prints it, with the aliases that tmux and others take. */
const KEYS: readonly (readonly [Encoding, ...string[]])[] = [
  [cursor("A"), "Up"],
  [cursor("B"), "Down"],
  [cursor("C"), "Right"],
  [cursor("D"), "Left"],
  [cursor("H"), "Home"],
  [cursor("F"), "End"],
  [number(2), "IC", "Insert", "Ins"],
  [number(3), "DC", "Delete", "Del"],
  [number(5), "PPage", "PageUp", "PgUp"],
  [number(6), "NPage", "PageDown", "PgDn"],
  [text("\r"), "Enter", "Return", "CR", "KPEnter"],
  [text("\u001B"), "Escape", "Esc"],
  [text("\t", { shifted: "\u001B[Z" }), "Tab"],
  [text("\u001B[Z"), "BTab"],
  [text(" ", { shifted: " ", controlled: "\0" }), "Space"],
  [text("\u007F", { shifted: "\u007F", controlled: "\b" }), "BSpace", "Backspace"],
  ...["P", "Q", "R", "S"].map((final, index) => [functionLetter(final), `F${index + 1}`] as const),
  ...FUNCTION_NUMBERS.map((value, index) => [number(value), `F${index + 5}`] as const),
  ...Array.from("0123456789/*-+.", (character) => [text(character), `KP${character}`] as const),
];

const NAMES: readonly string[] = KEYS.flatMap(([, ...names]) => names);
const BY_NAME: ReadonlyMap<string, Encoding> = new Map(
  KEYS.flatMap(([encoding, ...names]) => names.map((name) => [name.toLowerCase(), encoding] as const)),
);

/** Control codes of characters outside `@` to `_`, as in xterm. */
const CONTROLLED: Readonly<Record<string, string>> = {
  " ": "\0",
  "2": "\0",
  "3": "\u001B",
  "4": "\u001C",
  "5": "\u001D",
  "6": "\u001E",
  "7": "\u001F",
  "8": "\u007F",
  "/": "\u001F",
  "?": "\u007F",
};

const encoder = new TextEncoder();

/**
 * Encodes keys as the bytes that a terminal sends (xterm). Names are those of tmux, in any case: `C-c`, `M-x`, `S-Tab`, `C-M-Left`, `F5`,
 * `PageUp`, `^C`, or one character. Modifiers are `C-`, `M-` or `A-`, and `S-`.
 *
 * Throws `INVALID_INPUT` for an unknown name, with a known one that is near, and for a combination that terminals have no bytes for:
 * `S-Enter` must not become a plain Enter and submit something.
 *
 * @example
 * ```ts
 * encodeKeys(["C-c", "Up"]); // bytes of "\u0003\u001B[A"
 * ```
 */
export const encodeKeys = (names: readonly string[], options: KeyOptions = {}): Uint8Array =>
  encoder.encode(names.map((name) => encodeKey(name, options)).join(""));

function encodeKey(name: string, options: KeyOptions): string {
  const { modifiers, base } = parseModifiers(name);
  const encoding = BY_NAME.get(base.toLowerCase());
  if (encoding !== undefined) return encodeNamed(encoding, { name, modifiers, options });
  if (isOneCluster(base)) return encodeCharacter(base, { name, modifiers });
  const hint = didYouMean(base, NAMES);
  const problem = `no such key${hint === undefined ? "" : `, ${hint}`}`;
  throw new LecternError("INVALID_INPUT", `Cannot send key "${name}": ${problem}`, { details: { key: name } });
}

function parseModifiers(name: string): { readonly modifiers: Modifiers; readonly base: string } {
  const [, prefix = "", afterPrefix = name] = /^((?:[CMSA]-)*)(.+)$/is.exec(name) ?? [];
  const hasCaret = afterPrefix.length > 1 && afterPrefix.startsWith("^");
  const letters = prefix.toUpperCase();
  return {
    modifiers: {
      shift: letters.includes("S-"),
      alt: letters.includes("M-") || letters.includes("A-"),
      control: letters.includes("C-") || hasCaret,
    },
    base: hasCaret ? afterPrefix.slice(1) : afterPrefix,
  };
}

interface Request {
  readonly name: string;
  readonly modifiers: Modifiers;
}

function encodeNamed(encoding: Encoding, request: Request & { readonly options: KeyOptions }): string {
  const { modifiers, options } = request;
  if (encoding.kind === "text") return withAlt(plainText(encoding, request), modifiers);
  const parameter = 1 + Number(modifiers.shift) + 2 * Number(modifiers.alt) + 4 * Number(modifiers.control);
  if (encoding.kind === "number")
    return parameter === 1 ? `\u001B[${encoding.number}~` : `\u001B[${encoding.number};${parameter}~`;
  if (parameter > 1) return `\u001B[1;${parameter}${encoding.final}`;
  const isSs3 = encoding.introducer === "function" || options.applicationCursor === true;
  return `\u001B${isSs3 ? "O" : "["}${encoding.final}`;
}

function plainText(encoding: Encoding & { readonly kind: "text" }, { name, modifiers }: Request): string {
  const { shift, control } = modifiers;
  const variant = control ? (shift ? undefined : encoding.controlled) : shift ? encoding.shifted : encoding.text;
  if (variant === undefined) throw withoutBytes(name);
  return variant;
}

function encodeCharacter(character: string, { name, modifiers }: Request): string {
  const shifted = modifiers.shift ? character.toUpperCase() : character;
  if (!modifiers.control) return withAlt(shifted, modifiers);
  const code = character.toUpperCase().charCodeAt(0);
  const isInRange = character.length === 1 && code >= 0x40 && code <= 0x5f;
  const controlled = isInRange ? String.fromCharCode(code & 0x1f) : CONTROLLED[character];
  if (controlled === undefined) throw withoutBytes(name);
  return withAlt(controlled, modifiers);
}

const withAlt = (bytes: string, modifiers: Modifiers): string => (modifiers.alt ? `\u001B${bytes}` : bytes);

function withoutBytes(name: string): LecternError {
  return new LecternError(
    "INVALID_INPUT",
    `Cannot send key "${name}": terminals have no bytes for this combination, for a new line without Enter try "C-j"`,
    { details: { key: name } },
  );
}
