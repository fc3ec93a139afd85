/** Truncates a text: the last line reports how much is missing, and where all of it is. */

/**
 * The text itself if it has at most `charsMax` characters (UTF-16 code units). `rest` says where the rest is; a function is
 * only called if something is cut.
 */
export function cutText(text: string, charsMax: number, rest: string | (() => string)): string {
  if (text.length <= charsMax) return text.toWellFormed();
  const where = typeof rest === "string" ? rest : rest();
  return `${text.slice(0, charsMax).toWellFormed()}\n[cut after ${charsMax} of ${text.length} characters; ${where}]`;
}

/** The last line of a text that was cut, with its line break; empty for one that was not. */
export const cutNote = (text: string): string => /\n\[cut after [^\n]*\]$/.exec(text)?.[0] ?? "";

/** Length of the longest prefix of at most `limit` units that does not cut a surrogate pair. */
export function wholeCharacters(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
