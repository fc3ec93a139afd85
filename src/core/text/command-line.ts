/** The words of a command as one line, as a shell would take them: for people, and in recordings (asciicast). */
import { escapeForDisplay } from "./escape.ts";

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
/** Only what `quoteShellWords` writes: plain parts, single quotes, and an escaped one between them. */
const WORD = String.raw`(?:[\w@%+=:,./-]|'[^']*'|\\')+`;
const WORDS = new RegExp(`^${WORD}(?: ${WORD})*$`);

/** To read, copy and paste: words that a shell would split or change are quoted. */
export function quoteShellWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ");
}

/** The same, where what acts on a terminal is shown and not obeyed. */
export const displayCommand = (words: readonly string[]): string => quoteShellWords(words.map(escapeForDisplay));

/** The words of such a line; a line that says more (variables, pipes, other quotes) stays one word. */
export function splitShellWords(line: string): string[] {
  if (line === "") return [];
  if (!WORDS.test(line)) return [line];
  const words = line.match(new RegExp(WORD, "g")) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, inner?: string) => (inner === undefined ? "'" : inner)),
  );
}
