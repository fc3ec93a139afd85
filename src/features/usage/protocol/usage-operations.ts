/** What sessions used. */
import * as z from "zod";
import { USAGE_BY } from "../core/usage-report.ts";
import { usageSumSchema } from "../../../protocol/views.ts";
import { define } from "../../../protocol/operations/define.ts";

export const usageOperations = {
  "usage.list": define({
    summary: "Add up tokens and cost of all sessions with the gateway, by session, agent, model, day or label",
    endpoint: "GET /v1/usage",
    scope: "read",
    cli: ["usage"],
    input: z.strictObject({
      by: z.enum(USAGE_BY).default("day"),
      /** The key of the label, for `by=label`. */
      label: z.string().min(1).max(64).optional(),
      /** From this time on, in whole hours. Default: from the first session on. */
      since: z.iso.datetime({ offset: true }).optional(),
      /** In which days begin, by its name such as `Europe/Berlin`. */
      timeZone: z.string().min(1).max(64).default("UTC"),
    }),
    output: z.strictObject({
      /** The keys are ids of sessions, dates or names; null for what has no such property. */
      rows: z.array(usageSumSchema.extend({ key: z.string().nullable(), name: z.string().nullable() })).readonly(),
      total: usageSumSchema,
      /** Older hours are missing, because there are too many for one answer. */
      isCut: z.boolean(),
    }),
  }),
} as const;
