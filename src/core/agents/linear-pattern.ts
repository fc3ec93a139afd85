/** Patterns of users' own agent files: matched in time linear in the text, whatever they are. */
import { compileRe2 } from "../patterns/re2.ts";
import type { Pattern, PatternMatch } from "./pattern.ts";

/** Of a text only its beginning is matched: rows are shorter, and the few places of several rows are, too. */
const textCharsMax = 16_384;
/** What `\s` means to the native engine; RE2 knows only the blanks of ASCII. */
const blanks = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** What `\S` means to it: a class cannot hold a negated one, so these are the ranges between the blanks. */
const others = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

/**
 * Throws an `Error` that says what is wrong with a pattern that is not valid RE2.
 * `linearPattern("^\\s*(?:Do you want|Allow)\\b").test("  Allow this?"); // true`
 */
export function linearPattern(source: string): Pattern {
  const compiled = compileRe2(source, withBlanks(source));
  return {
    source,
    test: (text) => compiled.test(text.slice(0, textCharsMax)),
    exec: (text) => {
      const matcher = compiled.matcher(text.slice(0, textCharsMax));
      if (!matcher.find()) return null;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
      return { ...groups, 0: groups[0] ?? "", index: matcher.start() } satisfies PatternMatch;
    },
  };
}

/** `\s` and `\S` as the native engine has them, inside of a class and outside. */
function withBlanks(source: string): string {
  let isInClass = false;
  return source.replaceAll(/\\[^]|[[\]]/g, (piece) => {
    if (piece === "[") isInClass = true;
    else if (piece === "]") isInClass = false;
    else if (piece === String.raw`\s`) return isInClass ? blanks : `[${blanks}]`;
    else if (piece === String.raw`\S`) return isInClass ? others : `[${others}]`;
    return piece;
  });
}
