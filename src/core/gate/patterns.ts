/**
 * Regular expressions in RE2 syntax, matched in linear time (Cox, "Regular Expression Matching in the Wild", 2010). RE2 has no
 * lookaround and no back-references; such patterns are refused.
 */
import { RE2JS } from "re2js";

/** Longer patterns are refused; the engine itself bounds repetition (1,000) and nesting. */
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
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return { ok: true, pattern: { source, test: (text) => compiled.test(text) } };
  } catch (error) {
    return { ok: false, message: `Cannot use the pattern "${source}": ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.replace(/^error parsing regexp: /, "").replaceAll("`", '"')} (patterns are RE2: no lookaround, no back-references)`;
}
