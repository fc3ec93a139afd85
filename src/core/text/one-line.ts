/** Texts of several lines, shown on one line or line by line. */
import { removeActing } from "./escape.ts";

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;
/** Between two lines of the text. Lines that are joined without it read as another command. */
const SEPARATOR = " ⏎ ";

/**
 * Several lines on one: blank lines are left out, the others are joined with a visible sign, and characters that act are removed.
 * `oneLine("rm -rf ./a\n  rm -rf ./b\n"); // "rm -rf ./a ⏎ rm -rf ./b"`
 */
export const oneLine = (text: string): string =>
  visibleLines(text)
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join(SEPARATOR);

/** The lines of a text from outside, without characters that act. `visibleLines("a\r\nb\tc"); // ["a", "b c"]` */
export const visibleLines = (text: string): string[] =>
  text.split(LINE_BREAK).map((line) => removeActing(line.replaceAll("\t", " ")));
