/**
 * Regular expressions in RE2 syntax, matched in linear time (Cox, "Regular Expression Matching in the Wild", 2010). RE2 has no
 * lookaround and no back-references; such patterns are refused.
 */
import { RE2JS } from "re2js";

/** Longer patterns are refused; the engine bounds one repetition (1,000) and nesting itself. */
const patternCharsMax = 1000;
/** Of the compiled pattern. A character of a text costs as much: repetitions side by side would hold up all others for seconds. */
const programStepsMax = 10_000;

/**
 * Reads the regular expressions of policies and of the schemas of tools, for the gate. Throws an `Error` that says why a pattern
 * cannot be used.
 *
 * @example
 * ```ts
 * patterns("^v\\d+$").test("v12"); // true
 * checkPolicy({ version: 1, rules }, { patterns });
 * ```
 */
export const patterns = (source: string): { readonly test: (text: string) => boolean } => compileRe2(source);

/** What is used of a pattern. The declarations of the package name no type of re2js, which is bundled. */
interface CompiledRe2 {
  programSize(): number;
  test(text: string): boolean;
  matcher(text: string): {
    find(): boolean;
    groupCount(): number;
    group(group: number): string | null;
    start(): number;
  };
}

/** Compiles `translated`; the message of the error that it throws names `source`. */
export function compileRe2(source: string, translated = source): CompiledRe2 {
  if (source.length > patternCharsMax)
    throw new Error(`Cannot use a pattern of ${source.length} characters: the limit is ${patternCharsMax}`);
  const compiled = compileWithReason(source, translated);
  const steps = compiled.programSize();
  if (steps > programStepsMax)
    throw new Error(
      `Cannot use the pattern "${source}": it is too large, ${steps} steps; the limit is ${programStepsMax}`,
    );
  return compiled;
}

function compileWithReason(source: string, translated: string): CompiledRe2 {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(translated));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = message
      .replace(/^error parsing regexp: /, "")
      .replace("invalid or unsupported Perl syntax", "syntax that is not known")
      .replaceAll("`", '"');
    throw new Error(`Cannot use the pattern "${source}": ${reason} (RE2: no lookaround, no back-references)`, {
      cause: error,
    });
  }
}
