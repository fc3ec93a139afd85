/**
 * Regular expressions in RE2 syntax, matched in linear time (Cox, "Regular Expression Matching in the Wild", 2010). RE2 has no
 * lookaround and no back-references; such patterns are refused.
 */
import { PatternMatcher } from "../patterns/pattern-matcher.ts";
import { parsePattern } from "../patterns/pattern-parser.ts";

/** Longer patterns are refused; repetitions (1,000) and the size of the program have limits of their own. */
const patternCharsMax = 1_000;

export interface LinearPattern {
  readonly source: string;
  /** True if the pattern matches anywhere in the text. */
  readonly test: (text: string) => boolean;
}

export type PatternResult =
  | { readonly ok: true; readonly pattern: LinearPattern }
  | { readonly ok: false; readonly message: string };

/**
 * Compiles a pattern; one that is too long, malformed or not RE2 is a value, not an exception.
 *
 * @example
 * ```ts
 * const result = compilePattern("^v\\d+$");
 * if (result.ok) result.pattern.test("v12"); // true
 * ```
 */
export function compilePattern(source: string): PatternResult {
  if (source.length > patternCharsMax) {
    return {
      ok: false,
      message: `Cannot use a pattern of ${source.length} characters: the limit is ${patternCharsMax}`,
    };
  }
  try {
    const matcher = new PatternMatcher(parsePattern(source));
    return { ok: true, pattern: { source, test: (text) => matcher.test(text) } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, message: `Cannot use the pattern "${source}": ${reasonOf(error)}` };
  }
}

const reasonOf = ({ message }: SyntaxError): string =>
  `${message} (patterns are RE2: no lookaround, no back-references)`;
