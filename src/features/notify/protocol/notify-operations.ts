/** Notices outside of this machine. */
import * as z from "zod";
import { define, queryInt, session } from "../../../protocol/operations/define.ts";

const noticeSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(["blocked", "done", "failed", "limit", "away", "test"]),
  channel: z.string(),
  /** Id of the session; null for a machine. */
  session: z.string().nullable(),
  title: z.string(),
  state: z.enum(["pending", "sent", "dead", "withdrawn"]),
  /** The result of the last attempt; empty before the first. */
  reason: z.string(),
  attempts: z.int(),
  createdAt: z.iso.datetime(),
  /** Of the next attempt; null if there is none. */
  nextAt: z.iso.datetime().nullable(),
});

export const notifyOperations = {
  "notify.list": define({
    summary: "List notices, newest first, and the channels, without secrets",
    endpoint: "GET /v1/notices",
    scope: "read",
    cli: ["notify"],
    input: z.strictObject({
      state: noticeSchema.shape.state.optional(),
      limit: queryInt(z.int().min(1).max(1000)).default(50),
    }),
    output: z.strictObject({
      notices: z.array(noticeSchema),
      channels: z.array(
        z.strictObject({
          name: z.string(),
          kind: z.string(),
          /** Where notices go, such as a host; never an address that may be a secret. */
          target: z.string(),
          /** Why nothing is sent to it; null if it is used. */
          disabled: z.string().nullable(),
        }),
      ),
      /** Where a phone reaches this daemon; null without one, and then there are no answer links. */
      publicUrl: z.string().nullable(),
    }),
  }),
  "notify.test": define({
    summary: "Send a test notice to a channel now, and return its answer",
    endpoint: "POST /v1/notices/test",
    scope: "admin",
    person: true,
    cli: ["notify"],
    input: z.strictObject({ channel: z.string().min(1).max(128) }),
    output: z.strictObject({
      channel: z.string(),
      sent: z.boolean(),
      /** The answer of the target, or why it was not sent, with the next step. */
      detail: z.string(),
      /** A public address is configured, so notices have answer links. */
      hasLinks: z.boolean(),
    }),
  }),
  "notify.retry": define({
    summary: "Send notices again now; without ids, all dead ones",
    endpoint: "POST /v1/notices/retry",
    scope: "admin",
    person: true,
    cli: ["notify"],
    input: z.strictObject({ ids: z.array(z.string().min(1).max(64)).max(1000).optional() }),
    output: z.strictObject({ ids: z.array(z.string()) }),
  }),
  "notify.remove": define({
    summary: "Remove a notice; one that is pending is not sent",
    endpoint: "DELETE /v1/notices/{notice}",
    scope: "admin",
    person: true,
    cli: ["notify"],
    input: z.strictObject({ notice: z.string().min(1).max(64) }),
    output: z.strictObject({ id: z.string() }),
  }),
  "sessions.seen": define({
    summary: "Report that a person has a session in front, so that notices about it are not needed",
    endpoint: "POST /v1/sessions/{session}/seen",
    scope: "write",
    person: true,
    input: z.strictObject({ session }),
    output: z.strictObject({ id: z.string() }),
  }),
} as const;
