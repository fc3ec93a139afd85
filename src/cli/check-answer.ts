/** What another machine answers is read once more, as what a request has is read there: one that answers anything must not end a list of all. */
import type * as z from "zod";
import { LecternError } from "../core/errors.ts";
import type { JsonOperation } from "../protocol/operations.ts";

/** Throws `MALFORMED` for less or else than the operation promises; a later version with the same protocol may say more. */
export async function checkAnswer(name: JsonOperation, answer: unknown): Promise<void> {
  // Loaded only with hosts: it takes as long as a short command.
  const { operations } = await import("../protocol/operations.ts");
  const { error } = operations[name].output.safeParse(answer);
  const issue = error?.issues.find((each) => !isMore(each));
  if (issue === undefined) return;
  const where = ["answer", ...issue.path].join(".");
  throw new LecternError(
    "MALFORMED",
    `Cannot read what the daemon there answers to "${name}": ${where}: ${issue.message}`,
  );
}

function isMore(issue: z.core.$ZodIssue): boolean {
  if (issue.code === "invalid_union") return issue.errors.some((issues) => issues.every(isMore));
  return issue.code === "unrecognized_keys";
}
