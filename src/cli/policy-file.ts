import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LecternError } from "../core/errors.ts";
import { checkPolicyText } from "../core/gate/policy-text.ts";
import type { Policy } from "../core/gate/policy.ts";
import { didYouMean } from "../core/text/nearest.ts";
import type { CliContext } from "./context.ts";
import { shippedPolicies, shippedPolicyOf, shippedPolicyText } from "./shipped-policies.ts";

export interface LoadedPolicy {
  readonly policy: Policy;
  /** Hashed for the audit log. */
  readonly text: string;
}

/** Throws `NOT_FOUND` or `INVALID_INPUT` with the name of the file. */
export async function readTextFile(file: string, context: Pick<CliContext, "workingDirectory">): Promise<string> {
  try {
    return await readFile(resolve(context.workingDirectory, file), "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new LecternError("NOT_FOUND", `Cannot find the file "${file}"`, { cause });
    throw new LecternError("INVALID_INPUT", `Cannot read the file "${file}": ${message}`, { cause });
  }
}

/** Of a shipped policy or of a file. Throws `NOT_FOUND` with the nearest name of a shipped one, or `INVALID_INPUT`. */
export async function readPolicyText(word: string, context: Pick<CliContext, "workingDirectory">): Promise<string> {
  const shipped = shippedPolicyOf(word);
  if (shipped !== undefined) return shippedPolicyText(shipped);
  try {
    return await readTextFile(word, context);
  } catch (error) {
    if (!(error instanceof LecternError) || error.code !== "NOT_FOUND" || !/^[\w-]+$/.test(word)) throw error;
    const hint = didYouMean(word, shippedPolicies) ?? `the policies with a name are ${shippedPolicies.join(", ")}`;
    throw new LecternError("NOT_FOUND", `Cannot find the policy "${word}": ${hint}`, { cause: error });
  }
}

/** Of a name or a file. Throws `NOT_FOUND`, or `INVALID_INPUT` with the first error; warnings are ignored. */
export async function readPolicyFile(
  file: string,
  context: Pick<CliContext, "workingDirectory">,
): Promise<LoadedPolicy> {
  const text = await readPolicyText(file, context);
  const checked = checkPolicyText(text);
  if (checked.ok) return { policy: checked.policy, text };
  const { problems } = checked;
  const first = problems.find(({ severity }) => severity === "error");
  const more = problems.length > 1 ? `; see all ${problems.length} with "lectern policy check ${file}"` : "";
  const where = first === undefined ? file : `${file}:${first.line}:${first.column}: ${first.message}`;
  throw new LecternError("INVALID_INPUT", `Cannot use the policy: ${where}${more}`);
}
