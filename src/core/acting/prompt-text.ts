/** What a prompt may hold: text, tabs and line ends. */
import { LecternError } from "../errors.ts";

/** They act as keys, also within a paste: a terminal makes a signal of U+0003 wherever it comes. */
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

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
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot prompt: the text has the control character U+${code} at position ${found.index}, which would act as a key; press keys with "lectern key"`,
  );
}
