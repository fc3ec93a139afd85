/**
 * A command for a shell with integration. It is not typed: the shell takes its bytes from a file when a key of Lectern's own is pressed, so no
 * line editor sees them.
 */
import { cutText } from "../text/cut-text.ts";
import { escapeForDisplay } from "../text/escape.ts";

/** Bound in every keymap. */
export const ACT_KEY = "\u001b[7501~";
/** What a line editor shows of the key that had just begun to read another one. */
export const ACT_KEY_RESIDUE = "501~";

/**
 * - `plain`: no line editor and no history changes it, and it becomes the line itself
 * - `eval`: the line is a fixed word that executes it; `shown` is how a person reads it
 *
 * `tells`: `start` where the mark of its start may say that it was taken.
 */
export type Act =
  | { readonly way: "plain" | "eval"; readonly text: string; readonly shown: string; readonly tells: "start" | "" }
  | { readonly refusal: string };

const TEXT_BYTES_MAX = 1024 * 1024;
/** Of a UTF-16 unit in UTF-8. */
const CHARACTER_BYTES_MAX = 3;
/** A longer line would be drawn on too many rows. */
const LINE_CHARS_MAX = 1000;
/** The note on what is missing comes behind it. */
const SHOWN_CHARS_MAX = 1900;
/** Printable ASCII without `!` and `^`, and no blank at an end. */
const PLAIN = /^[\u0022-\u005d_-~](?:[\u0020\u0022-\u005d_-~]*[\u0022-\u005d_-~])?$/;
/** A shell runs nothing for it, and says so. */
const BLANK = /^[ \t\n]*$/;
/** It may take away what bash says its start by, or its line looks like what is left of the key. */
const TOLD_AT_ONCE = /^(?:source|\.|eval) |PROMPT_COMMAND|501~/;

const encoder = new TextEncoder();

/**
 * @example
 * ```ts
 * planAct("ls -l"); // { way: "plain", text: "ls -l", shown: "", tells: "start" }
 * planAct("printf 'a\tb'"); // { way: "eval", text: the same, shown: "printf 'a\\tb'", tells: "" }
 * ```
 */
export function planAct(command: string): Act {
  if (command.includes("\0")) return { refusal: "it contains a NUL, which no shell can hold" };
  if (!command.isWellFormed()) return { refusal: "it contains half of a surrogate pair, which is no character" };
  if (BLANK.test(command)) return { way: "plain", text: " ", shown: "", tells: "start" };
  const textBytes = command.length > TEXT_BYTES_MAX / CHARACTER_BYTES_MAX ? encoder.encode(command).length : 0;
  if (textBytes > TEXT_BYTES_MAX)
    return { refusal: `it has ${textBytes} bytes, and a shell is handed at most ${TEXT_BYTES_MAX}` };
  if (PLAIN.test(command) && command.length <= LINE_CHARS_MAX)
    return { way: "plain", text: command, shown: "", tells: TOLD_AT_ONCE.test(command) ? "" : "start" };
  const lines = command.split("\n").map(escapeForDisplay).join("\n");
  return { way: "eval", text: command, shown: cutText(lines, SHOWN_CHARS_MAX, "all of it is executed"), tells: "" };
}
