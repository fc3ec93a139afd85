/** The shapes of the audit log on the wire; the types are those of `core/gate`. */
import * as z from "zod";
import type { AuditRow, ChainedRow, ChainHead } from "../core/gate/audit-chain.ts";
import type { AuditedCall } from "../core/gate/audit-fold.ts";

/** Ids, names and masked texts are short: a row is a line. */
const text = z.string().max(1024);
/** Arguments, with the line that says that they were shortened. */
const longText = z.string().max(8192);
const PARTS_MAX = 64;
const hash = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in lower-case hex");
const subject = { session: text.min(1), call: text.min(1), timeMs: z.int().min(0) };
const effect = z.enum(["allow", "ask", "deny"]);

export const auditRowSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("decision"),
    ...subject,
    requester: text,
    tool: text,
    source: text,
    provenance: z.enum(["wire", "empty", "healed"]),
    argumentsHash: hash,
    effect,
    decidedBy: text,
    line: z.int().min(1).nullable(),
    policyHash: hash.nullable(),
    evidence: text,
    arguments: longText.optional(),
    parts: z
      .array(z.strictObject({ text, effect, decidedBy: text, line: z.int().min(1).nullable() }))
      .max(PARTS_MAX)
      .readonly()
      .optional(),
    partsLeftOut: z.int().min(1).optional(),
    /** False in the mode `log-only`: the call passed, whatever the effect. */
    enforced: z.literal(false).optional(),
  }),
  z.strictObject({ type: z.literal("answer"), ...subject, effect: z.enum(["allow", "deny"]), approver: text }),
  z.strictObject({ type: z.literal("start"), ...subject, executor: text }),
  z.strictObject({
    type: z.literal("outcome"),
    ...subject,
    result: z.enum(["succeeded", "failed", "refused", "unknown", "timed-out", "cancelled"]),
    outcomeHash: hash.nullable(),
    /** What shows the result, for a call that an agent executes. */
    evidence: text.exactOptional(),
  }),
]) satisfies z.ZodType<AuditRow>;

export const chainHeadSchema = z.strictObject({ sequence: z.int().min(0), hash }) satisfies z.ZodType<ChainHead>;

/** Not strict: rows of a later version, and rows that were changed, are shown as they are. */
export const chainedRowSchema = z.strictObject({
  sequence: z.int().min(1),
  row: z.looseObject({ type: z.string(), session: z.string(), call: z.string(), timeMs: z.number() }),
  previous: z.string(),
  hash: z.string(),
});

export const auditedCallSchema = z.strictObject({
  session: z.string(),
  call: z.string(),
  stage: z.enum(["undecided", "approved", "unfinished", "denied", "finished"]),
  argumentsHash: z.string().nullable(),
  tool: z.string().nullable(),
  outcomeHash: z.string().nullable(),
  timeMs: z.number(),
}) satisfies z.ZodType<AuditedCall>;

/** `at`: index of the row that is named, from 0. `keptHeads`: how many heads in the journals of sessions the log was compared with. */
export const verificationSchema = z.discriminatedUnion("intact", [
  z.strictObject({ intact: z.literal(true), rows: z.int(), keptHeads: z.int(), head: chainHeadSchema }),
  z.strictObject({
    intact: z.literal(false),
    rows: z.int(),
    keptHeads: z.int(),
    problem: z.enum(["changed", "removed", "inserted"]),
    at: z.int(),
    sequence: z.int(),
    message: z.string(),
  }),
]);

export type ShownRow = z.output<typeof chainedRowSchema>;
/** Every `ChainedRow` is one that can be shown. */
export const shownRow = ({ sequence, row, previous, hash: own }: ChainedRow): ShownRow => ({
  sequence,
  row: { ...row },
  previous,
  hash: own,
});
