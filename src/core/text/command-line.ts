/** A command as one line of shell words: for people, and in recordings (asciicast). */
import { escapeForDisplay } from "./escape.ts";

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
/** Only the output of `quoteShellWords`: plain parts, single quotes, and escaped quotes between them. */
const WORD = String.raw`(?:[\w@%+=:,./-]|'[^']*'|\\')+`;
const WORDS = new RegExp(`^${WORD}(?: ${WORD})*$`);

/** For reading and pasting: words that a shell would split or change are quoted. */
export const quoteShellWords = (words: readonly string[]): string =>
  words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ");

/** The same with control and other acting characters escaped. */
export const displayCommand = (words: readonly string[]): string => quoteShellWords(words.map(escapeForDisplay));

/** The words of such a line; a line with other syntax (variables, pipes, other quotes) stays one word. */
export function splitShellWords(line: string): string[] {
  if (line === "") return [];
  if (!WORDS.test(line)) return [line];
  const words = line.match(new RegExp(WORD, "g")) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, inner?: string) => (inner === undefined ? "'" : inner)),
  );
}
