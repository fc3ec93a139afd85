/**
 * Whether a dialog of an agent asks about a tool call that the gateway held before.
 *
 * Law: when in doubt, it is about another call. All of the command, or all lines of the change, must be those of the call; a dialog that
 * shows only a part does not count.
 */
import type { Approval } from "./approval.ts";
import { squash } from "../text/squash.ts";

/** Gutters of diffs and of numbered lines. */
const GUTTER = /^\s*(?:\d+\s*)?[+-]?\s*/;

/**
 * `argumentsText` are the arguments of the call, as JSON.
 *
 * @example
 * ```ts
 * isAboutCall({ isComplete: true, command: "npm test", change: null }, '{"command":"npm test"}'); // true
 * ```
 */
export function isAboutCall(
  { isComplete, command, change }: Pick<Approval, "isComplete" | "command" | "change">,
  argumentsText: string,
): boolean {
  if (!isComplete) return false;
  const texts = textsIn(argumentsText);
  if (command !== null) return texts.some((text) => squash(text) === squash(command));
  const files = texts.filter((text) => /^[^\s]+$/.test(text)).map((text) => text.split("/").at(-1) ?? text);
  const lines = (change ?? "").split("\n").filter((line) => line.trim() !== "");
  const isHead = (line: string): boolean => files.some((file) => line.includes(file));
  const rest = lines.filter((line) => !isHead(line)).map((line) => squash(line.replace(GUTTER, "")));
  const all = squash(texts.join("\n"));
  return lines.some((line) => isHead(line)) && rest.length > 0 && rest.every((line) => all.includes(line));
}

/** Every text in the arguments; none if they are not JSON. */
function textsIn(argumentsText: string): string[] {
  try {
    return leaves(JSON.parse(argumentsText));
  } catch {
    return [];
  }
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap((each) => leaves(each)) : [];
}
