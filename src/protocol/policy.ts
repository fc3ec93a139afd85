/** The schemas of policy checks and replays; the types are those of `core/gate`. */
import * as z from "zod";
import type { Decision, Verdict } from "../core/gate/decide.ts";
import type { FileProblem } from "../core/gate/data-file.ts";
import { offsetSchema } from "./session.ts";

export const effectSchema = z.enum(["allow", "ask", "deny"]);

export const policyProblemSchema = z.strictObject({
  line: z.int(),
  column: z.int(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  /** Of a warning: a fixed word for its kind, such as `never-matches`. */
  code: z.string().optional(),
}) satisfies z.ZodType<FileProblem>;

const verdict = {
  effect: effectSchema,
  source: z.enum(["rule", "default", "opaque", "launcher", "lectern", "unfinished"]),
  rule: z.strictObject({ id: z.string(), line: z.int(), reason: z.string().nullable() }).nullable(),
  evidence: z.string(),
  message: z.string(),
};
const verdictSchema = z.strictObject(verdict) satisfies z.ZodType<Verdict>;

export const decisionSchema = z.strictObject({
  ...verdict,
  verdicts: z.array(verdictSchema).readonly(),
}) satisfies z.ZodType<Decision>;

export const replayedCallSchema = z.strictObject({
  /** As in the audit log. */
  id: z.string(),
  tool: z.string(),
  offset: offsetSchema,
  decision: decisionSchema,
  /** The decision at that time, if known. */
  recorded: effectSchema.nullable(),
  changed: z.boolean(),
});
