/** The terminal's echo of what is typed while a program reads lines. */
import type { TypedItem } from "./input-reader.ts";

/** In place of a character that was masked in the journal. */
export const MASKED = "\uFFFF";
const ECHO_CHARS_MAX = 2000;

/**
 * `before` with further keys, as a terminal that reads lines echoes them.
 * `echoAfter("", new InputReader().feed(new TextEncoder().encode("yed\u007Fs\r")), false); // "yes\n"`
 */
export function echoAfter(before: string, items: readonly TypedItem[], isSecret: boolean): string {
  let text = before;
  for (const item of items) {
    if (item.raw === "\u007F") text = text.slice(0, text.endsWith("\n") ? undefined : -1);
    else if (item.type === "kill-line") text = text.slice(0, text.lastIndexOf("\n") + 1);
    else for (const character of item.raw) text += echoOf(character, isSecret);
  }
  return text.slice(-ECHO_CHARS_MAX);
}

function echoOf(character: string, isSecret: boolean): string {
  if (character === "\r" || character === "\n") return "\n";
  if (character < " ") return `^${String.fromCharCode(character.charCodeAt(0) + 64)}`;
  return isSecret ? MASKED : character;
}
