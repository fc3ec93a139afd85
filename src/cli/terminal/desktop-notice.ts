/** A notice for the desktop, as terminals take it in their output. */
import { wholeCharacters } from "../../core/text/cut-text.ts";
import { removeActing } from "../../core/text/escape.ts";

/** Of each part. */
const CHARS_MAX = 200;

/**
 * OSC 9 (iTerm2, Windows Terminal, kitty, ghostty) and OSC 777 (rxvt, VTE, foot, WezTerm): terminals ignore the one that they do not know. Text is
 * without control characters, and without what separates the parts.
 */
export function desktopNotice({ body, title }: { readonly title: string; readonly body: string }): string {
  const [head, rest] = [plain(title).replaceAll(";", ","), plain(body)];
  return `\u001b]777;notify;${head};${rest}\u0007\u001b]9;${head}${rest === "" ? "" : `: ${rest}`}\u0007`;
}

function plain(text: string): string {
  const visible = removeActing(text.replaceAll(/\s+/g, " "));
  return visible.slice(0, wholeCharacters(visible, CHARS_MAX));
}
