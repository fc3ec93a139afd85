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
/** Names that tools give to what is run, and to the file that is changed: a reason may quote another command. */
const COMMAND = /^(?:commands?|cmd|script)$/;
const FILE = /(?:path|file(?:name)?)$/i;
const NUMBERED = /^\s*(?:\d+\s|[+-])/;
const BETWEEN_NAMES = /[^\p{L}\p{N}._-]+/u;

/**
 * `argumentsText` are the arguments of the call, as JSON.
 * `isAboutCall({ isComplete: true, command: "npm test", change: null }, '{"command":"npm test"}'); // true`
 */
export function isAboutCall(
  { isComplete, command, change }: Pick<Approval, "isComplete" | "command" | "change">,
  argumentsText: string,
): boolean {
  if (!isComplete) return false;
  const texts = textsIn(argumentsText);
  if (command !== null) return texts.some(({ name, text }) => COMMAND.test(name) && squash(text) === squash(command));
  const files = texts.filter(({ name }) => FILE.test(name)).map(({ text }) => text.split("/").at(-1) ?? text);
  const lines = (change ?? "").split("\n").filter((line) => line.trim() !== "");
  const isHead = (line: string): boolean =>
    !NUMBERED.test(line) && files.some((file) => file !== "" && line.split(BETWEEN_NAMES).includes(file));
  // Only what stands above the change names its file: a line of it that has the name must be of the call, too.
  const heads = lines.findIndex((line) => !isHead(line));
  const rest = heads === -1 ? [] : lines.slice(heads).map((line) => squash(line.replace(GUTTER, "")));
  const all = squash(texts.map(({ text }) => text).join("\n"));
  return heads > 0 && rest.length > 0 && rest.every((line) => all.includes(line));
}

interface Argument {
  readonly name: string;
  readonly text: string;
}

/** Every text in the arguments, with the name that it has there; none if they are not JSON. */
function textsIn(argumentsText: string): Argument[] {
  try {
    return leaves(JSON.parse(argumentsText), "");
  } catch {
    return [];
  }
}

function leaves(value: unknown, name: string): Argument[] {
  if (typeof value === "string") return value === "" ? [] : [{ name, text: value }];
  if (Array.isArray(value)) return value.flatMap((each) => leaves(each, name));
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([own, each]) => leaves(each, own))
    : [];
}
