/** Text of programs (names, commands, titles) made safe for a terminal. */

/** C0 and C1 controls, DEL, line separators, and the marks that turn the reading direction (CVE-2021-42574). */
const dangerous = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** What a terminal would obey is shown as `\e`, `\x07` or `\u{202e}`. One line comes out. */
export function escapeText(text: string): string {
  return text.replaceAll(dangerous, (character) => named[character] ?? escapeCode(character.charCodeAt(0)));
}

const escapeCode = (code: number): string =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;

/** Words as a shell would take them, for people to read and copy. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${escapeText(word).replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}
