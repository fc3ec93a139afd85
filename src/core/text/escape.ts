/**
 * Characters that act instead of being seen: C0, DEL, C1, bidirectional controls and marks, line and paragraph separators, invisible
 * operators, byte order mark, interlinear marks, tag characters, lone surrogates. Zero-width joiner and non-joiner are not among
 * them: emoji and several scripts need them.
 */
const ACTING =
  /[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;

const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Makes visible every character that could forge a line, hide or reorder text, or control the terminal: `\n`, `\x1b`, `\u{202e}`. For
 * titles, names and log values from untrusted sources. A backslash is not escaped: the result is for reading, not for parsing.
 *
 * @example
 * ```ts
 * escapeForDisplay("build\n\u001B[31mdone"); // "build\\n\\x1b[31mdone"
 * ```
 */
export const escapeForDisplay = (text: string): string =>
  text.replaceAll(ACTING, (character) => SHORT_FORMS[character] ?? escapeSequence(character));

/** Like `escapeForDisplay`, but removes those characters. For window titles, where an escape would only be in the way. */
export const removeActing = (text: string): string => text.replaceAll(ACTING, "");

/** Like `removeActing`, but line feeds and tabs stay: for text of several lines. */
export const removeActingLines = (text: string): string =>
  text.replaceAll(ACTING, (character) => (character === "\n" || character === "\t" ? character : ""));

/** Text in XML, HTML or the markup of Slack, outside of quotes. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text in HTML, also within quotes. */
export const escapeHtml = (text: string): string => escapeMarkup(text).replaceAll('"', "&quot;");

function escapeSequence(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
