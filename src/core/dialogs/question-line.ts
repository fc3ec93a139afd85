/** A question on one line. What is to be done comes first: the end of a line is what is cut. */
import { oneLine } from "../text/one-line.ts";
import type { Approval } from "./approval.ts";

/** Agents that mark the command with a dollar, and those that show it in a paragraph of its own, below a title, a tip and a description. */
const COMMAND_LINE = /^\s*\$ /m;
const COMMAND_TITLE = /^\s*(?:Bash|Shell) command\b|^\s*\? Shell\b/;

/**
 * @example
 * ```ts
 * questionLine({ source: "screen", question: "Proceed?", details: "Environment: local\n\n$ rm -rf ./a\nrm -rf ./b" });
 * // "$ rm -rf ./a ⏎ rm -rf ./b · Proceed?"
 * ```
 */
export function questionLine({ source, question, details }: Pick<Approval, "source" | "question" | "details">): string {
  const asked = oneLine(question);
  const subject = source === "wire" ? details : commandOf(details);
  if (subject !== undefined) return [oneLine(subject), asked].filter((part) => part !== "").join(" · ");
  return oneLine(`${question}\n${details}`);
}

/** Undefined where nothing says which part of the details is the command. */
function commandOf(details: string): string | undefined {
  const marked = COMMAND_LINE.exec(details);
  if (marked !== null) return details.slice(marked.index);
  if (!COMMAND_TITLE.test(details)) return undefined;
  const [, ...others] = details.split(/\n\s*\n/);
  return others.length === 0 ? undefined : others.join("\n");
}
