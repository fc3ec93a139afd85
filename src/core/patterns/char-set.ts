/** Sets of characters (code points), as the classes of a pattern. Unicode properties and letter case are the engine's own. */

/** True if the code point is in the set. */
export type CharSet = (codePoint: number) => boolean;

export type CharRange = readonly [first: number, last: number];

export const asciiDigits: readonly CharRange[] = [[0x30, 0x39]];
export const asciiSpaces: readonly CharRange[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];
export const asciiWord: readonly CharRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** The names in `[[:name:]]`. */
export const posixClasses: ReadonlyMap<string, readonly CharRange[]> = new Map<string, readonly CharRange[]>([
  [
    "alnum",
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  [
    "alpha",
    [
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  ["ascii", [[0, 0x7f]]],
  [
    "blank",
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    "cntrl",
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ["digit", asciiDigits],
  ["graph", [[0x21, 0x7e]]],
  ["lower", [[0x61, 0x7a]]],
  ["print", [[0x20, 0x7e]]],
  [
    "punct",
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    "space",
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ["upper", [[0x41, 0x5a]]],
  ["word", asciiWord],
  [
    "xdigit",
    [
      [0x30, 0x39],
      [0x41, 0x46],
      [0x61, 0x66],
    ],
  ],
]);

export function rangesSet(ranges: readonly CharRange[], ignoresCase: boolean): CharSet {
  if (!ignoresCase) return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
  const source = ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join("");
  return nativeSet(`[${source}]`, true);
}

/** Undefined if the engine does not know the property: a general category, or a script. */
export function propertySet(name: string, ignoresCase: boolean): CharSet | undefined {
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const property of name.length <= 2 || name === "Any" ? [name, `Script=${name}`] : [`Script=${name}`]) {
    try {
      return nativeSet(`[\\p{${property}}]`, ignoresCase);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

export const negated =
  (set: CharSet): CharSet =>
  (codePoint) =>
    !set(codePoint);

/** One class of the engine, asked about one character: nothing in it can go back. */
function nativeSet(source: string, ignoresCase: boolean): CharSet {
  const matcher = new RegExp(`^${source}$`, ignoresCase ? "iu" : "u");
  return (codePoint) => matcher.test(String.fromCodePoint(codePoint));
}

const escaped = (codePoint: number): string => `\\u{${codePoint.toString(16)}}`;
