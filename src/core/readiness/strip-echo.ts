/** Cuts what a terminal adds to the output of a command: the echo of what was typed in front, the prompt behind. */

/** Prompts for the further lines of an input: Python's, those of shells, Node's. */
const continuations = ["... ", "> ", "| "];

/** A terminal that breaks a long line, and a line editor that draws it anew, change blanks only. */
const isBlank = (character: string): boolean =>
  character === " " || character === "\n" || character === "\t" || character === "\r";

/**
 * The text behind the echo of `input`; all of it where it does not begin with one. Breaks and blanks may differ; the rest of the line on which the echo ends goes with it.
 * `prompt` stood in front of it, and may be drawn anew with it.
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

/** Behind the line feed that follows the echo of one line. */
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
 * The text in front of the prompt, and the prompt: its last line, or all lines of `prompt` where that is known and ends it.
 *
 * @example
 * ```ts
 * splitPrompt("42\n>>> "); // { output: "42\n", prompt: ">>> " }
 * ```
 */
export function splitPrompt(text: string, prompt = ""): { readonly output: string; readonly prompt: string } {
  const known =
    prompt !== "" && text.endsWith(prompt) && (text.length === prompt.length || text.at(-prompt.length - 1) === "\n");
  const at = known ? text.length - prompt.length : text.lastIndexOf("\n") + 1;
  return { output: text.slice(0, at), prompt: text.slice(at) };
}
