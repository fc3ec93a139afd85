/** Parses the classes and escapes of a pattern. */
import { asciiDigits, asciiSpaces, asciiWord, negated, posixClasses, propertySet, rangesSet } from "./char-set.ts";
import type { CharRange, CharSet } from "./char-set.ts";

/** A pattern and how far it is read. */
export interface PatternText {
  readonly source: string;
  at: number;
}

const codePointMax = 0x10ffff;

/** Reads `[...]`. As in JavaScript `[]` is nothing and `[^]` anything. */
export function parseClass(text: PatternText, ignoresCase: boolean): CharSet {
  const start = text.at;
  text.at += 1;
  const isNegated = text.source[text.at] === "^";
  if (isNegated) text.at += 1;
  const sets: CharSet[] = [];
  const ranges: CharRange[] = [];
  while (text.source[text.at] !== "]") {
    if (text.at >= text.source.length) throw new SyntaxError(`missing closing ]: ${text.source.slice(start)}`);
    const set = posixSet(text, ignoresCase) ?? classEscape(text, ignoresCase);
    if (set !== undefined) sets.push(set);
    else ranges.push(range(text, start));
  }
  text.at += 1;
  if (ranges.length > 0) sets.push(rangesSet(ranges, ignoresCase));
  const whole: CharSet = (codePoint) => sets.some((set) => set(codePoint));
  return isNegated ? negated(whole) : whole;
}

function posixSet(text: PatternText, ignoresCase: boolean): CharSet | undefined {
  const [whole, not, name = ""] = /^\[:(\^?)([^\]:]*):\]/.exec(text.source.slice(text.at)) ?? [];
  if (whole === undefined) return undefined;
  const ranges = posixClasses.get(name);
  if (ranges === undefined) throw new SyntaxError(`invalid character class range: ${whole}`);
  text.at += whole.length;
  const set = rangesSet(ranges, ignoresCase);
  return not === "^" ? negated(set) : set;
}

/** A class by an escape, such as `\d`; undefined for anything else. */
function classEscape(text: PatternText, ignoresCase: boolean): CharSet | undefined {
  if (text.source[text.at] !== "\\") return undefined;
  const letter = text.source.charAt(text.at + 1);
  const ranges = perlClasses[letter.toLowerCase()];
  if (ranges !== undefined) {
    text.at += 2;
    const set = rangesSet(ranges, ignoresCase);
    return letter === letter.toLowerCase() ? set : negated(set);
  }
  return letter === "p" || letter === "P" ? property(text, ignoresCase) : undefined;
}

const perlClasses: Readonly<Record<string, readonly CharRange[]>> = { d: asciiDigits, s: asciiSpaces, w: asciiWord };

function property(text: PatternText, ignoresCase: boolean): CharSet {
  const [whole = "", not = "", long, short = ""] =
    /^\\[pP](?:\{(\^?)([^}]*)\}|([^{]))/u.exec(text.source.slice(text.at)) ?? [];
  const set = propertySet(long ?? short, ignoresCase);
  if (set === undefined) throw new SyntaxError(`invalid character class range: ${whole || "\\p"}`);
  text.at += whole.length;
  return whole.startsWith("\\P") === (not === "^") ? set : negated(set);
}

function range(text: PatternText, classStart: number): CharRange {
  const start = text.at;
  const first = classCharacter(text, classStart);
  const isRange = text.source[text.at] === "-" && text.source[text.at + 1] !== "]" && text.at + 1 < text.source.length;
  if (!isRange) return [first, first];
  text.at += 1;
  const last = classCharacter(text, classStart);
  if (last < first) throw new SyntaxError(`invalid character class range: ${text.source.slice(start, text.at)}`);
  return [first, last];
}

function classCharacter(text: PatternText, classStart: number): number {
  if (text.at >= text.source.length) throw new SyntaxError(`missing closing ]: ${text.source.slice(classStart)}`);
  return text.source[text.at] === "\\" ? escapedCharacter(text) : readCharacter(text);
}

/** The next character as it stands. */
export function readCharacter(text: PatternText): number {
  const codePoint = text.source.codePointAt(text.at) ?? 0;
  text.at += codePoint > 0xffff ? 2 : 1;
  return codePoint;
}

/** Reads an escape outside of a class: a set, or one character. */
export function parseEscapedSet(text: PatternText, ignoresCase: boolean): CharSet | number {
  return classEscape(text, ignoresCase) ?? escapedCharacter(text);
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads `\` and what it stands for. */
function escapedCharacter(text: PatternText): number {
  const rest = text.source.slice(text.at + 1);
  const [letter = ""] = rest;
  const [digits, code] = escapedCode(rest, letter);
  if (digits !== undefined && code !== undefined) {
    if (code > codePointMax) throw new SyntaxError(`invalid escape sequence: \\${digits}`);
    text.at += 1 + digits.length;
    return code;
  }
  text.at += 1 + letter.length;
  const control = controls[letter];
  if (control !== undefined) return control;
  const isPlain = /^[A-Za-z89]$/.test(letter) && !/^[bBAzQEpPdDsSwW]$/.test(letter);
  if (!isPlain && !/^[!-/:-@[-`{-~ \0-\x1f\x7f]$/.test(letter)) {
    throw new SyntaxError(
      letter === "" ? "trailing backslash at end of expression" : `invalid escape sequence: \\${letter}`,
    );
  }
  return letter.codePointAt(0) ?? 0;
}

/** An escape by number or name: its text behind the `\`, and the code point. */
function escapedCode(rest: string, letter: string): readonly [string?, number?] {
  const hexadecimal = /^(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[xu]\{([0-9A-Fa-f]+)\})/.exec(rest);
  if (hexadecimal !== null) {
    const [whole, ...groups] = hexadecimal;
    return [whole, Number.parseInt(groups.find((group) => group !== undefined) ?? "", 16)];
  }
  const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
  if (octal !== null) return [octal[0], Number.parseInt(octal[0], 8)];
  const control = letter === "c" ? /^c([A-Za-z])/.exec(rest) : null;
  return control === null ? [] : [control[0], (control[1] ?? "").charCodeAt(0) % 32];
}
