/** Cuts what a terminal adds to the output of a command: the echo of what was typed before it, the prompt after it. */

/** Prompts for the further lines of an input: Python's, those of shells, Node's. */
const continuations = ["... ", "> ", "| "];

/** A shorter row behind a prompt may be output. */
const ROW_CHARS_MIN = 20;

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
  let at = startOfEcho(text, input, prompt);
  for (const [index, line] of input.split("\n").entries()) {
    const more = index === 0 ? "" : (continuations.find((candidate) => text.startsWith(candidate, at)) ?? "");
    const end = endOfEcho(text, at + more.length, line);
    if (end === undefined) return text.slice(at);
    at = end;
  }
  for (let end: number | undefined = at; end !== undefined; end = endOfRedrawn(text, at, { input, prompt })) at = end;
  return text.slice(at);
}

interface Echoed {
  readonly input: string;
  readonly prompt: string;
}

/** The place behind the input where it was drawn again when it was entered, or behind the first row of it. */
function endOfRedrawn(text: string, start: number, { input, prompt }: Echoed): number | undefined {
  if (prompt === "" || !text.startsWith(prompt, start)) return undefined;
  const at = start + prompt.length;
  const end = text.indexOf("\n", at) + 1;
  const row = withoutBlanks(text.slice(at, end));
  const isFirstRow = row.length >= ROW_CHARS_MIN && withoutBlanks(input).startsWith(row);
  return endOfEcho(text, at, input) ?? (isFirstRow ? end : undefined);
}

/** Where the whole input is echoed first. A line editor that draws a line of several rows again with each key leaves the beginnings of it. */
function startOfEcho(text: string, input: string, prompt: string): number {
  const first = text.startsWith(prompt) ? prompt.length : 0;
  if (prompt === "" || input.includes("\n")) return first;
  for (let at = first; endOfEcho(text, at, input) === undefined;) {
    const end = text.indexOf(`\n${prompt}`, at);
    if (end === -1 || !withoutBlanks(input).startsWith(withoutBlanks(text.slice(at, end)))) return first;
    at = end + 1 + prompt.length;
    if (endOfEcho(text, at, input) !== undefined) return at;
  }
  return first;
}

const withoutBlanks = (text: string): string => text.replaceAll(/\s/g, "");

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
