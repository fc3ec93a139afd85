/** What may run: questions to people, the audit log, outputs that were cut. */
import * as z from "zod";
import { auditRowSchema, auditedCallSchema, chainHeadSchema, chainedRowSchema, verificationSchema } from "../audit.ts";
import { effectSchema, policyProblemSchema, policyTextSchema, replayedCallSchema } from "../policy.ts";
import { offsetSchema } from "../session.ts";
import { approvalSchema } from "../views.ts";
import { define, queryInt, session } from "./define.ts";

const sessionApprovalSchema = approvalSchema.extend({ session: z.string(), digest: z.string() });

export const decidingOperations = {
  "approvals.list": define(
    "Questions that wait for a person, of all sessions or of one",
    z.strictObject({
      session: session.optional(),
      /** With `waitMs`: answers when the version is another, or when the time is over. */
      version: queryInt(z.int().min(0)).optional(),
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({
      version: z.int(),
      approvals: z.array(sessionApprovalSchema),
    }),
  ),
  "approvals.answer": define(
    "Answers a question with the id of an option, or with allow or deny. Refused if the question is not the one that was read",
    z.strictObject({
      session,
      approval: z.string().min(1).max(64),
      option: z.string().min(1).max(64),
      /** Of the question as the caller read it, from `approvals.list`. */
      digest: z.string().min(1).max(64),
      /** A note for the audit log, beside what is known of the caller. */
      by: z.string().min(1).max(64).optional(),
    }),
    sessionApprovalSchema,
  ),
  "audit.list": define(
    "Rows of the audit log from a place on, or the last ones",
    z.strictObject({
      /** Also one that is removed, by its id. */
      session: z.string().min(1).max(256).optional(),
      from: queryInt(offsetSchema).optional(),
      limit: queryInt(z.int().min(1).max(1000)).default(200),
      /** Where there is no row from `from` on, wait so long for one. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({ rows: z.array(chainedRowSchema), next: offsetSchema, end: offsetSchema }),
  ),
  "audit.open": define(
    "Calls that nobody has decided, that may begin, or that began and have no outcome",
    z.strictObject({ limit: queryInt(z.int().min(1).max(1000)).default(200) }),
    z.strictObject({ calls: z.array(auditedCallSchema) }),
  ),
  "audit.find": define(
    "What the audit log knows of one call",
    z.strictObject({ session: z.string().min(1).max(256), call: z.string().min(1).max(1024) }),
    z.strictObject({ call: auditedCallSchema.nullable() }),
  ),
  "audit.verify": define(
    "Checks the chain of the audit log and names the first row that was changed, removed or inserted",
    z.strictObject({ head: chainHeadSchema.optional() }),
    verificationSchema,
  ),
  "audit.append": define(
    "Appends rows of an executor that is no part of the daemon; answers when they are on disk",
    z.strictObject({ rows: z.array(auditRowSchema).min(1).max(100) }),
    z.strictObject({}),
  ),
  "policy.get": define(
    "The policy by which the calls of a session are decided",
    z.strictObject({ session }),
    z.strictObject({
      /** Null where its agent does not run through the gateway. */
      policy: z.string().nullable(),
    }),
  ),
  "policy.check": define(
    "What is wrong with the text of a policy, each problem with its line; a wrong one is an answer, not an error",
    z.strictObject({ policy: policyTextSchema }),
    z.strictObject({
      /** False where there is an error; warnings alone leave it usable. */
      ok: z.boolean(),
      problems: z.array(policyProblemSchema),
      rules: z.int(),
      limits: z.int(),
      default: effectSchema.nullable(),
    }),
  ),
  "policy.replay": define(
    "What a policy would have done with the tool calls that a session's journal holds; nothing is executed",
    z.strictObject({ session, policy: policyTextSchema }),
    z.strictObject({
      ok: z.boolean(),
      problems: z.array(policyProblemSchema),
      calls: z.array(replayedCallSchema),
      counts: z.strictObject({ allow: z.int(), ask: z.int(), deny: z.int() }),
      /** Calls that were decided otherwise then. */
      changed: z.int(),
      /** By rule id, or by what holds where no rule does. */
      decidedBy: z.record(z.string(), z.int()),
      /** Calls whose arguments were too long to be recorded, and those after the first 5,000. */
      leftOut: z.int(),
    }),
  ),
  "blobs.get": define(
    "The whole of an output that was cut, by its SHA-256 or the first 8 or more characters of it",
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{8,64}$/, "8 to 64 characters of a SHA-256 in lower-case hex") }),
    null,
  ),
} as const;
