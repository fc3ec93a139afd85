/** Attributes of a cell in the emulator's packed form, and the SGR sequence that sets them. */
import {
  COLOUR_MODE_MASK,
  IS_BLINKING,
  IS_BOLD,
  IS_DIM,
  IS_HIDDEN,
  IS_INVERSE,
  IS_ITALIC,
  IS_OVERLINED,
  IS_STRUCK,
  IS_UNDERLINED,
  PALETTE_16,
  PALETTE_256,
  RGB_MASK,
} from "../cells.ts";
import type { Attributes } from "./internals.ts";

// In the background; what they mean is this emulator's own.
const hasExtended = 0x10000000;
const isProtected = 0x20000000;

const foregroundFlags: readonly (readonly [mask: number, code: string])[] = [
  [IS_BOLD, "1"],
  [IS_BLINKING, "5"],
  [IS_INVERSE, "7"],
  [IS_HIDDEN, "8"],
  [IS_STRUCK, "9"],
];

const backgroundFlags: readonly (readonly [mask: number, code: string])[] = [
  [IS_DIM, "2"],
  [IS_ITALIC, "3"],
  [IS_OVERLINED, "53"],
];

/** Parts of a colour sequence: the code of the 16 colours, of the bright ones, of an extended colour. */
interface ColourCodes {
  readonly base: number;
  readonly bright: number;
  readonly extended: number;
}

const foreground: ColourCodes = { base: 30, bright: 90, extended: 38 };
const background: ColourCodes = { base: 40, bright: 100, extended: 48 };

/** Equal attributes look the same and behave the same for later output. */
export function sameAttributes(one: Attributes, other: Attributes): boolean {
  return (
    withoutRests(one.fg) === withoutRests(other.fg) &&
    withoutRests(one.bg) === withoutRests(other.bg) &&
    extendedOf(one) === extendedOf(other)
  );
}

/** True if only the background differs from the default, as in an erased cell. */
export const isErasedStyle = (attributes: Attributes): boolean =>
  attributes.fg === 0 && (attributes.bg & ~(COLOUR_MODE_MASK | RGB_MASK)) === 0;

/** The parts of `attributes` that have an effect, as text. */
export function attributesText(attributes: Attributes): string {
  const parts = [withoutRests(attributes.fg), withoutRests(attributes.bg), extendedOf(attributes)];
  return parts.every((part) => part === 0) ? "" : parts.map((part) => part.toString(16)).join(",");
}

/** Clears the bits of an earlier true colour that a palette colour leaves and that have no effect. */
function withoutRests(value: number): number {
  const mode = value & COLOUR_MODE_MASK;
  const unused = mode === 0 ? RGB_MASK : mode === COLOUR_MODE_MASK ? 0 : 0xffff00;
  return (value & ~unused) >>> 0;
}

/**
 * The sequence that sets exactly these attributes, whatever was set before.
 * `sgrOf({ fg: 0x8000000, bg: 0x1000001, extended: { ext: 0 } }); // => "\u001b[0;1;41m": bold on red`
 */
export function sgrOf(attributes: Attributes): string {
  const codes = ["0"];
  for (const [mask, code] of foregroundFlags) if ((attributes.fg & mask) !== 0) codes.push(code);
  for (const [mask, code] of backgroundFlags) if ((attributes.bg & mask) !== 0) codes.push(code);
  codes.push(...underlineCodes(attributes), ...colourCodes(attributes.fg, foreground));
  codes.push(...colourCodes(attributes.bg, background));
  const protection = (attributes.bg & isProtected) === 0 ? "" : '\u001B[1"q';
  return `\u001B[${codes.join(";")}m${protection}`;
}

/** Ends what `sgrOf` set: SGR 0 leaves the protection (DECSCA) on. */
export const endOf = (attributes: Attributes): string => ((attributes.bg & isProtected) === 0 ? "" : '\u001B[0"q');

/** The underline colour that was set while nothing is underlined: the emulator keeps it in the extended field. */
export function underlineColourOf(attributes: Attributes): string {
  if ((attributes.bg & hasExtended) !== 0) return "";
  const codes = underlineColourCodes(attributes.extended.ext);
  return codes.length === 0 ? "" : `\u001B[${codes.join(";")}m`;
}

/** Without `hasExtended` the extended field has no effect; with it and without a style it means a plain underline. */
function extendedOf(attributes: Attributes): number {
  if ((attributes.bg & hasExtended) === 0) return 0;
  const extended = attributes.extended.ext & 0x1fffffff;
  return extended >>> 26 === 0 ? extended | (1 << 26) : extended;
}

function underlineCodes(attributes: Attributes): string[] {
  const extended = extendedOf(attributes);
  const style = (extended >>> 26) & 7;
  const codes = (attributes.fg & IS_UNDERLINED) === 0 ? [] : [style === 0 ? "4" : `4:${style}`];
  return [...codes, ...underlineColourCodes(extended)];
}

function underlineColourCodes(extended: number): string[] {
  const colour = extended & RGB_MASK;
  switch (extended & COLOUR_MODE_MASK) {
    case 0:
      return [];
    case PALETTE_16:
    case PALETTE_256:
      return [`58:5:${colour & 0xff}`];
    default:
      return [`58:2::${colour >>> 16}:${(colour >>> 8) & 0xff}:${colour & 0xff}`];
  }
}

function colourCodes(value: number, codes: ColourCodes): string[] {
  const index = value & 0xff;
  switch (value & COLOUR_MODE_MASK) {
    case 0:
      return [];
    case PALETTE_16:
      return [String(index < 8 ? codes.base + index : codes.bright + index - 8)];
    case PALETTE_256:
      return [`${codes.extended};5;${index}`];
    default:
      return [`${codes.extended};2;${(value >>> 16) & 0xff};${(value >>> 8) & 0xff};${index}`];
  }
}
