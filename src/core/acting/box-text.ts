/** What a prompt may hold, and how it is written into the input box of an agent, so that the agent gives it to its model as a text. */
import type { DraftRule } from "../agents/agent.ts";
import { nativePattern } from "../agents/pattern.ts";
import { LecternError } from "../errors.ts";

/** They act as keys, also within a paste: a terminal makes a signal of U+0003 wherever it comes. Agents drop those from U+0080 on. */
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/**
 * With `\n` as line end. Throws `INVALID_INPUT` for a control character.
 *
 * @example
 * ```ts
 * promptText("one\r\ntwo"); // "one\ntwo"
 * ```
 */
export function promptText(text: string): string {
  const found = control.exec(text);
  if (found === null) return text.replaceAll(/\r\n?/g, "\n");
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot prompt: the text has the control character ${codePointOf(found[0])} at position ${found.index}, which is a key and no text; press keys with "lectern key"`,
  );
}

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

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

/** Joiners, selectors and tags in emoji and in scripts that need them: agents keep what draws something. */
const joined =
  /(?:[^\u0000-\u007F]|[\d#*](?=\uFE0F\u20E3))[\p{Join_Control}\p{Variation_Selector}\u{E0020}-\u{E007F}]+/gu;
const masked = (part: string): string => "x".repeat(part.length);

/** What an agent does not take as it is, see `DraftRule`. */
export type BoxRules = Pick<DraftRule, "trims" | "changes">;

/**
 * Why the agent would give its model something else than this text; null if it takes the text as it is.
 *
 * @example
 * ```ts
 * whyNoPrompt("!important", { agent: "pi", isLiteral: false, rules: { trims: "!", changes: null } }); // 'pi runs a text that ...'
 * ```
 */
export function whyNoPrompt(
  text: string,
  { agent, isLiteral, rules }: { readonly agent: string; readonly isLiteral: boolean; readonly rules: BoxRules },
): string | null {
  const found = rules.changes === null ? null : nativePattern(rules.changes).exec(text.replaceAll(joined, masked));
  if (found !== null)
    return `${agent} drops or changes the character ${codePointOf(found[0])} at position ${found.index}; write the text without it`;
  const head = text.trimStart();
  const [first = ""] = head;
  // A blank in front says that it is no command.
  const needsBlank = boxText(head, { isLiteral: isLiteral || head !== text }).startsWith(" ");
  if (!needsBlank || !rules.trims.includes(first)) return null;
  return first === "!"
    ? `${agent} runs a text that begins with "!" in a shell, and takes it for no prompt; run it with "lectern exec" or write something in front`
    : `${agent} takes a text that begins with "${first}" for a command of its own, and for no prompt; write something in front`;
}
