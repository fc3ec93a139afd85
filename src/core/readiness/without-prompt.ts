/** Cuts the prompt behind the output of a command. */

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
