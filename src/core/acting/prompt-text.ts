/** What a prompt may hold: text, tabs and line ends. */
import { LecternError } from "../errors.ts";

/** They act as keys, also within a paste: a terminal makes a signal of U+0003 wherever it comes. Agents drop those from U+0080 on. */
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/**
 * With `\n` as line end. Throws `INVALID_INPUT` for a control character.
 *
 * @example
 * ```ts
 * promptText("one\r\ntwo"); // "one\ntwo"
 * ```
 */
export function promptText(text: string): string {
  const found = control.exec(text);
  if (found === null) return text.replaceAll(/\r\n?/g, "\n");
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot prompt: the text has the control character ${codePointOf(found[0])} at position ${found.index}, which is a key and no text; press keys with "lectern key"`,
  );
}

export const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
