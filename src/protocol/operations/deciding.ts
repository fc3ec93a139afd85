/** Operations on decisions: questions to people, the audit log, policies, truncated outputs. */
import * as z from "zod";
import { auditRowSchema, auditedCallSchema, chainHeadSchema, chainedRowSchema, verificationSchema } from "../audit.ts";
import { policyTextSchema } from "../names.ts";
import { effectSchema, policyProblemSchema, replayedCallSchema } from "../policy.ts";
import { offsetSchema } from "../session.ts";
import { sessionApprovalSchema } from "../views.ts";
import { define, queryInt, session } from "./define.ts";

export const decidingOperations = {
  "approvals.list": define({
    summary: "List open questions, of all sessions or of one",
    endpoint: "GET /v1/approvals",
    scope: "read",
    cli: ["approvals"],
    input: z.strictObject({
      session: session.optional(),
      /** With `waitMs`: responds when the version has changed, or on timeout. */
      version: queryInt(z.int().min(0)).optional(),
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    output: z.strictObject({
      version: z.int(),
      approvals: z.array(sessionApprovalSchema),
      /** Questions that nobody is known to read: they cannot be answered and hold back no prompt. */
      hints: z.array(sessionApprovalSchema),
    }),
  }),
  "approvals.answer": define({
    summary:
      "Answer a question with the id of an option, or with allow or deny; refused if the question has changed since it was read",
    endpoint: "POST /v1/sessions/{session}/approvals/{approval}",
    scope: "write",
    person: true,
    cli: ["approve"],
    mcp: ["approve"],
    input: z.strictObject({
      session,
      approval: z.string().min(1).max(64),
      option: z.string().min(1).max(64),
      /** Of the question as the caller read it, from `approvals.list`. */
      digest: z.string().min(1).max(64),
      /** A note for the audit log, in addition to the identity of the caller. */
      by: z.string().min(1).max(64).optional(),
    }),
    output: sessionApprovalSchema,
  }),
  "audit.list": define({
    summary: "Read rows of the audit log from a position, or the last ones",
    endpoint: "GET /v1/audit",
    scope: "read",
    cli: ["audit"],
    input: z.strictObject({
      /** A removed session is named by its id. */
      session: z.string().min(1).max(256).optional(),
      /** Rows of one call only. */
      call: z.string().min(1).max(1024).optional(),
      from: queryInt(offsetSchema).optional(),
      limit: queryInt(z.int().min(1).max(1000)).default(200),
      /** How long to wait for a row if there is none from `from` on. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    output: z.strictObject({ rows: z.array(chainedRowSchema), next: offsetSchema, end: offsetSchema }),
  }),
  "audit.open": define({
    summary: "List calls without a final row: undecided, allowed but not started, or started without an outcome",
    endpoint: "GET /v1/audit/open",
    scope: "read",
    cli: ["audit"],
    input: z.strictObject({ limit: queryInt(z.int().min(1).max(1000)).default(200) }),
    output: z.strictObject({ calls: z.array(auditedCallSchema) }),
  }),
  "audit.find": define({
    summary: "Show what the audit log contains about one call",
    endpoint: "GET /v1/audit/call",
    scope: "read",
    input: z.strictObject({ session: z.string().min(1).max(256), call: z.string().min(1).max(1024) }),
    output: z.strictObject({ call: auditedCallSchema.nullable() }),
  }),
  "audit.verify": define({
    summary: "Verify the hash chain of the audit log and report the first row that was changed, removed or inserted",
    endpoint: "POST /v1/audit/verify",
    scope: "read",
    cli: ["audit"],
    input: z.strictObject({ head: chainHeadSchema.optional() }),
    output: verificationSchema,
  }),
  "audit.append": define({
    summary: "Append rows of an executor outside the daemon; responds when they are on disk",
    endpoint: "POST /v1/audit",
    scope: "admin",
    input: z.strictObject({ rows: z.array(auditRowSchema).min(1).max(100) }),
    output: z.strictObject({}),
  }),
  "policy.get": define({
    summary: "Show the policy that decides about the calls of a session",
    endpoint: "GET /v1/sessions/{session}/policy",
    scope: "read",
    input: z.strictObject({ session }),
    output: z.strictObject({
      /** Null if its agent does not use the gateway. */
      policy: z.string().nullable(),
    }),
  }),
  "policy.check": define({
    summary: "Check the text of a policy and list its problems by line; an invalid policy is a result, not an error",
    endpoint: "POST /v1/policy/check",
    scope: "read",
    cli: ["policy"],
    input: z.strictObject({ policy: policyTextSchema }),
    output: z.strictObject({
      /** False if there is an error; a policy with warnings is usable. */
      ok: z.boolean(),
      problems: z.array(policyProblemSchema),
      rules: z.int(),
      limits: z.int(),
      default: effectSchema.nullable(),
    }),
  }),
  "policy.replay": define({
    summary: "Apply a policy to the tool calls in a session's journal; nothing is executed",
    endpoint: "POST /v1/sessions/{session}/policy/replay",
    scope: "read",
    cli: ["policy"],
    input: z.strictObject({ session, policy: policyTextSchema }),
    output: z.strictObject({
      ok: z.boolean(),
      problems: z.array(policyProblemSchema),
      calls: z.array(replayedCallSchema),
      counts: z.strictObject({ allow: z.int(), ask: z.int(), deny: z.int() }),
      /** Calls with another decision then. */
      changed: z.int(),
      /** By rule id, or by the default that decided. */
      decidedBy: z.record(z.string(), z.int()),
      /** Calls whose arguments were too long to be recorded, and those after the first 5,000. */
      leftOut: z.int(),
    }),
  }),
  "blobs.get": define({
    summary: "Read the full bytes of truncated output by SHA-256, or by its first 8 or more characters",
    endpoint: "GET /v1/blobs/{hash}",
    scope: "read",
    cli: ["blob"],
    input: z.strictObject({
      hash: z.string().regex(/^[0-9a-f]{8,64}$/, "8 to 64 characters of a SHA-256 in lower-case hex"),
    }),
    stream: { item: "bytes", resume: "none", transports: ["bytes"] },
  }),
} as const;
