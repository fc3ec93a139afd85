/** A question on one line. What is to be done comes first: the end of a line is what is cut. */
import { oneLine } from "../text/one-line.ts";
import type { Approval } from "./approval.ts";

/** A held call has its arguments in the details, whatever its tool is. */
type Asked = Pick<Approval, "source" | "question" | "command" | "change" | "details">;

/**
 * What is to be done, as it is shown: the command, else the change, else the arguments of a held call. Undefined if nothing shows which
 * part of the question that is.
 */
export const matterOf = ({ source, command, change, details }: Asked): string | undefined =>
  command ?? change ?? (source === "wire" && details !== "" ? details : undefined);

/**
 * @example
 * ```ts
 * questionLine({ source: "screen", question: "Proceed?", command: "rm -rf ./a\nrm -rf ./b", change: null, details: "" });
 * // "rm -rf ./a ⏎ rm -rf ./b · Proceed?"
 * ```
 */
export function questionLine(asked: Asked): string {
  const matter = matterOf(asked);
  if (matter === undefined) return oneLine(`${asked.question}\n${asked.details}`);
  return [oneLine(matter), oneLine(asked.question)].filter((part) => part !== "").join(" · ");
}
