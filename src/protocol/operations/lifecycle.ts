/** Operations that start, change and end sessions. */
import * as z from "zod";
import { nameSchema, sideSchema } from "../names.ts";
import { sessionSchema, stateSchema } from "../session.ts";
import { sessionOptionsSchema } from "../session-options.ts";
import { define, queryFlag, session } from "./define.ts";

const signalName = z.string().regex(/^(SIG)?[A-Z]{2,8}[0-9]{0,2}$/, 'a signal name such as "INT" or "SIGTERM"');

export const lifecycleOperations = {
  "sessions.list": define({
    summary: "List sessions, newest first",
    endpoint: "GET /v1/sessions",
    scope: "read",
    cli: ["ls"],
    mcp: ["list"],
    input: z.strictObject({
      state: stateSchema.optional(),
      /** `key=value`, or `key` for any value. */
      label: z.string().max(321).optional(),
    }),
    output: z.strictObject({ sessions: z.array(sessionSchema) }),
  }),
  "sessions.create": define({
    summary: "Start a program in a new session",
    endpoint: "POST /v1/sessions",
    scope: "write",
    cli: ["run"],
    mcp: ["open"],
    input: sessionOptionsSchema,
    output: sessionSchema,
  }),
  "sessions.import": define({
    summary: "Create an ended session from the asciicast v2 or v3 recording in the body",
    endpoint: "POST /v1/sessions/import",
    scope: "write",
    cli: ["import"],
    upload: "asciicast",
    input: z.strictObject({ name: nameSchema.optional() }),
    output: sessionSchema,
  }),
  "sessions.get": define({
    summary: "Show one session",
    endpoint: "GET /v1/sessions/{session}",
    scope: "read",
    cli: ["info"],
    mcp: ["read", "list", "close"],
    input: z.strictObject({ session }),
    output: sessionSchema,
  }),
  "sessions.update": define({
    summary: "Rename a session or change its labels; a label set to null is removed",
    endpoint: "PATCH /v1/sessions/{session}",
    scope: "write",
    cli: ["rename", "label"],
    input: z.strictObject({
      session,
      name: nameSchema.optional(),
      labels: z.record(nameSchema, z.string().max(256).nullable()).optional(),
    }),
    output: sessionSchema,
  }),
  "sessions.remove": define({
    summary: "Remove an ended session and its journal; a running session only with `force`",
    endpoint: "DELETE /v1/sessions/{session}",
    scope: "write",
    cli: ["rm"],
    input: z.strictObject({ session, force: queryFlag.default(false) }),
    output: z.strictObject({ id: z.string() }),
  }),
  "sessions.resize": define({
    summary: "Resize the terminal of a session",
    endpoint: "POST /v1/sessions/{session}/resize",
    scope: "write",
    cli: ["resize"],
    input: z.strictObject({ session, columns: sideSchema, rows: sideSchema }),
    output: sessionSchema,
  }),
  "sessions.signal": define({
    summary: "Send a signal to the foreground job of a session",
    endpoint: "POST /v1/sessions/{session}/signal",
    scope: "write",
    cli: ["signal"],
    input: z.strictObject({ session, signal: signalName }),
    output: sessionSchema,
  }),
  "sessions.kill": define({
    summary: "End a session and all its processes; responds when it has ended",
    endpoint: "POST /v1/sessions/{session}/kill",
    scope: "write",
    cli: ["kill"],
    mcp: ["close"],
    input: z.strictObject({ session, graceMs: z.int().min(0).max(60_000).default(2000) }),
    output: sessionSchema,
  }),
} as const;
