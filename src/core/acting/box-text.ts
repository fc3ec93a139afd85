/** How a prompt is written into the input box of an agent, so that the agent takes it for a text and gives it to its model. */

/** `/clear`, `/review the last commit`: a command of the agent. */
const command = /^\/[A-Za-z][\w:.-]*(?:\s|$)/;
/** Agents read no command here. */
const path = /^\/[\w.-]+\//;

/** The agent takes it for a command of its own, which its model does not see. */
export const isAgentCommand = (text: string, { isLiteral }: { readonly isLiteral: boolean }): boolean =>
  !isLiteral && command.test(text);

/**
 * With a blank in front of "!", which would start a shell of the agent, and of "/" unless it begins a command or a path; with a blank
 * behind a backslash, which would make a line break of Enter. With `isLiteral` a command is a text, too.
 *
 * @example
 * ```ts
 * boxText("!important", { isLiteral: false }); // " !important"
 * boxText("/clear", { isLiteral: false }); // "/clear"
 * ```
 */
export function boxText(text: string, { isLiteral }: { readonly isLiteral: boolean }): string {
  const isCommand = isAgentCommand(text, { isLiteral });
  const needsBlank = text.startsWith("!") || (text.startsWith("/") && !isCommand && !path.test(text));
  return `${needsBlank ? " " : ""}${text}${text.endsWith("\\") ? " " : ""}`;
}

/**
 * The character in front that the agent does not take for text, also behind a blank: one of `trims`. Null if it takes the text as it is.
 *
 * @example
 * ```ts
 * ownMeaning("!important", { isLiteral: false, trims: "!" }); // "!"
 * ```
 */
export function ownMeaning(
  text: string,
  { isLiteral, trims }: { readonly isLiteral: boolean; readonly trims: string },
): string | null {
  const head = text.trimStart();
  const [first = ""] = head;
  // A blank in front says that it is no command.
  const needsBlank = boxText(head, { isLiteral: isLiteral || head !== text }).startsWith(" ");
  return needsBlank && trims.includes(first) ? first : null;
}
