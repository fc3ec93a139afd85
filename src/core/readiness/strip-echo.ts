/** Cuts what a terminal adds to the output of a command: the echo of what was typed before it, the prompt after it. */

/** Prompts for the further lines of an input: Python's, those of shells, Node's. */
const continuations = ["... ", "> ", "| "];

/** A terminal that breaks a long line, and a line editor that redraws it, change blanks only. */
const isBlank = (character: string): boolean =>
  character === " " || character === "\n" || character === "\t" || character === "\r";

/**
 * The text after the echo of `input`; all of it if it does not begin with one. Breaks and blanks may differ; the rest of the line on
 * which the echo ends is cut too. `prompt` was before it, and may be redrawn with it.
 *
 * @example
 * ```ts
 * withoutEcho("print(6 * 7)\n42\n>>> ", "print(6 * 7)"); // "42\n>>> "
 * ```
 */
export function withoutEcho(text: string, input: string, prompt = ""): string {
  let at = text.startsWith(prompt) ? prompt.length : 0;
  for (const [index, line] of input.split("\n").entries()) {
    const more = index === 0 ? "" : (continuations.find((candidate) => text.startsWith(candidate, at)) ?? "");
    const end = endOfEcho(text, at + more.length, line);
    if (end === undefined) return text.slice(at);
    at = end;
  }
  return text.slice(at);
}

/** The place after the line feed that follows the echo of one line. */
function endOfEcho(text: string, start: number, line: string): number | undefined {
  let at = start;
  for (const character of line) {
    if (isBlank(character)) continue;
    while (isBlank(text[at] ?? "")) at++;
    if (!text.startsWith(character, at)) return undefined;
    at += character.length;
  }
  const end = text.indexOf("\n", at);
  if (end === -1) return text.slice(at).trim() === "" ? text.length : undefined;
  return text.slice(at, end).trim() === "" ? end + 1 : undefined;
}

/**
 * The text before the prompt: without its last line, or only without `prompt` if the text ends with that.
 *
 * @example
 * ```ts
 * withoutPrompt("no line feed>>> ", ">>> "); // "no line feed"
 * ```
 */
export function withoutPrompt(text: string, prompt: string): string {
  const isKnown = prompt !== "" && text.endsWith(prompt);
  return text.slice(0, isKnown ? text.length - prompt.length : text.lastIndexOf("\n") + 1);
}
