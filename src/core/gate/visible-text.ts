/**
 * Escapes characters that could mislead a person who decides about a text: C0 and C1 controls, bidirectional marks, zero-width and
 * other invisible characters. Newlines and tabs stay.
 */

const hidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\uffff]|[\u{e0000}-\u{e0fff}]/u;
const eachHidden = new RegExp(hidden.source, "gu");

/** True if people see another text than programs read. */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text);

/** `visibleText("ls \u202e"); // "ls \\u{202e}"` */
export function visibleText(text: string, charsMax = 200): string {
  const shown = text.length > charsMax ? `${text.slice(0, charsMax)}...` : text;
  return shown.replaceAll(eachHidden, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ""}}`);
}
