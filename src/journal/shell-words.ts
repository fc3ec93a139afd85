/** The command of a recording as one line: asciicast keeps it as a shell would take it. */

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
/** Only what `quoteShellWords` writes: plain parts, single quotes, and an escaped one between them. */
const WORD = String.raw`(?:[\w@%+=:,./-]|'[^']*'|\\')+`;
const WORDS = new RegExp(`^${WORD}(?: ${WORD})*$`);

/** For people to read and paste: words that a shell would split or change are quoted. */
export function quoteShellWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ");
}

/** The words of such a line; a line that says more (variables, pipes, other quotes) stays one word. */
export function splitShellWords(line: string): string[] {
  if (line === "") return [];
  if (!WORDS.test(line)) return [line];
  const words = line.match(new RegExp(WORD, "g")) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, inner?: string) => (inner === undefined ? "'" : inner)),
  );
}
