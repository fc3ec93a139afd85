/**
 * Regular expressions of agent files. The syntax is RE2's with `\uXXXX`, and means the same in both engines: the built-in files run on
 * the native one, users' own on RE2, which cannot run away. No lookaround, no back-references. Flags stand in front: `(?im)`.
 */

/** Of a `RegExp` or of RE2. */
export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
  exec(text: string): PatternMatch | null;
}

/** The text of each group by its number, 0 for all of it. */
export interface PatternMatch {
  readonly index: number;
  readonly 0: string;
  readonly [group: number]: string | undefined;
}

/** Compiles a pattern. Throws for one that is not valid. */
export type CompilePattern = (source: string) => Pattern;

const leadingFlags = /^\(\?([ims]+)\)/;

/**
 * On the native engine: for patterns that are known to end.
 * `nativePattern("(?i)^esc\\b").test("Esc to cancel"); // true`
 */
export function nativePattern(source: string): Pattern {
  const flags = leadingFlags.exec(source);
  return new RegExp(source.slice(flags?.[0].length ?? 0), `u${flags?.[1] ?? ""}`);
}

export function groupsIn(source: string): number {
  const plain = source.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, "");
  return [...plain.matchAll(/\((?!\?)/g)].length;
}

/** `template` with `$1` to `$9` replaced by what the groups of the match hold. */
export const expand = (template: string, match: PatternMatch): string =>
  template.replaceAll(/\$([1-9])/g, (_, group: string) => match[Number(group)] ?? "");

/** `text` with the first match replaced by the template. */
export function replaceFirst(text: string, pattern: Pattern, template: string): string {
  const match = pattern.exec(text);
  if (match === null) return text;
  const end = match.index + match[0].length;
  return text.slice(0, match.index) + expand(template, match) + text.slice(end);
}
