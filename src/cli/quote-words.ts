/** A command line for people. */
import { escapeForDisplay } from "../core/text/escape.ts";

/** Words as a shell would take them, to read and copy. What acts on a terminal is shown and not obeyed. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${escapeForDisplay(word).replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}
