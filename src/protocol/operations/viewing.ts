/** Operations on the views of sessions: screen, status, messages, search. */
import * as z from "zod";
import { offsetSchema } from "../session.ts";
import {
  approvalSchema,
  changeKindSchema,
  changeSchema,
  digestSchema,
  digestTurnSchema,
  messageSchema,
  roleSchema,
  sessionUpdateSchema,
  daemonUpdateSchema,
  statusSchema,
  updateKindSchema,
} from "../views.ts";
import { define, queryFlag, queryInt, queryList, session } from "./define.ts";

export const viewingOperations = {
  "daemon.updates": define({
    summary: "Stream changes of all sessions from now on: status, approvals, sessions that start or end",
    endpoint: "GET /v1/updates",
    scope: "read",
    narrows: true,
    input: z.strictObject({
      kinds: queryList(changeKindSchema).optional(),
      /** Starts with all sessions and open questions; their changes follow, at most once a second for activity. */
      list: queryFlag.default(false),
      /** With the states of other machines and the updates of their sessions. */
      machines: queryFlag.default(false),
    }),
    stream: { item: daemonUpdateSchema, resume: "none", transports: ["sse", "websocket"] },
  }),
  "sessions.search": define({
    summary: "Search messages, events and commands of all sessions, newest first",
    endpoint: "GET /v1/search",
    scope: "read",
    cli: ["search"],
    mcp: ["search"],
    input: z.strictObject({
      /** All words must match; "several words" is a phrase, word* a prefix, OR and NOT combine words. */
      words: z.string().min(1).max(1024),
      session: session.optional(),
      role: z.string().max(32).optional(),
      /** Microseconds since the Unix epoch. */
      sinceUs: queryInt(z.int().nonnegative()).optional(),
      hitsMax: queryInt(z.int().min(1).max(1000)).default(20),
    }),
    output: z.strictObject({
      hits: z.array(
        z.strictObject({
          session: z.string(),
          name: z.string(),
          kind: changeKindSchema,
          /** Id of the message, event or approval. */
          id: z.string(),
          role: z.string(),
          offset: offsetSchema,
          timeUs: z.int(),
          /** Matches are between U+0002 and U+0003. */
          snippet: z.string(),
        }),
      ),
    }),
  }),
  "sessions.screen": define({
    summary: "Show the current screen of the terminal",
    endpoint: "GET /v1/sessions/{session}/screen",
    scope: "read",
    cli: ["screen"],
    mcp: ["screen"],
    input: z.strictObject({
      session,
      /** With the lines that left the top of the normal screen. */
      scrollback: queryFlag.default(false),
      /** With the screen as escape sequences, for a terminal of the same size that was just reset. */
      ansi: queryFlag.default(false),
    }),
    output: z.strictObject({
      /** The output before this offset is on the screen. */
      offset: offsetSchema,
      columns: z.int(),
      rows: z.int(),
      title: z.string(),
      cursor: z.strictObject({
        column: z.int(),
        row: z.int(),
        isVisible: z.boolean(),
        shape: z.enum(["block", "underline", "bar"]).nullable(),
      }),
      isAlternate: z.boolean(),
      /** Rows that the terminal wrapped are joined; lines are separated by line feeds. */
      text: z.string(),
      ansi: z.string().nullable(),
      /** Bytes of output that were not drawn, because they broke the emulator or the view was far behind. */
      bytesSkipped: z.int(),
    }),
  }),
  "sessions.status": define({
    summary: "Show a session's status and the evidence for it",
    endpoint: "GET /v1/sessions/{session}/status",
    scope: "read",
    cli: ["status"],
    mcp: ["status"],
    input: z.strictObject({ session }),
    output: z.strictObject({
      session: z.string(),
      status: statusSchema.nullable(),
      approvals: z.array(approvalSchema),
      /** Questions that nobody is known to read. */
      hints: z.array(approvalSchema),
    }),
  }),
  "sessions.messages": define({
    summary: "Show the conversation as messages, oldest first",
    endpoint: "GET /v1/sessions/{session}/messages",
    scope: "read",
    cli: ["chat"],
    input: z.strictObject({
      session,
      /** Only messages that changed at this offset or later. */
      after: queryInt(offsetSchema).default(0),
      /** At most so many of the last ones. */
      last: queryInt(z.int().min(1).max(10_000)).optional(),
      roles: queryList(roleSchema).optional(),
    }),
    output: z.strictObject({ messages: z.array(messageSchema), next: offsetSchema }),
  }),
  "sessions.digest": define({
    summary: "Summarize a session or its last turn: answer, commands, tools, files, times, tokens, open question",
    endpoint: "GET /v1/sessions/{session}/digest",
    scope: "read",
    cli: ["digest"],
    mcp: ["digest", "prompt"],
    input: z.strictObject({ session, turn: digestTurnSchema.default("all") }),
    output: digestSchema.extend({ session: z.string() }),
  }),
  "sessions.changes": define({
    summary: "List the changes of a session's views in order; continue from `next`",
    endpoint: "GET /v1/sessions/{session}/changes",
    scope: "read",
    input: z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      kinds: queryList(changeKindSchema).optional(),
      changesMax: queryInt(z.int().min(1).max(10_000)).default(1000),
    }),
    output: z.strictObject({ changes: z.array(changeSchema), next: offsetSchema }),
  }),
  "sessions.updates": define({
    summary:
      "Stream the changes of a session's views and prompts, by default from the beginning; changes at the resume offset are sent again",
    endpoint: "GET /v1/sessions/{session}/updates",
    scope: "read",
    input: z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      kinds: queryList(updateKindSchema).optional(),
    }),
    stream: { item: sessionUpdateSchema, resume: "offset", transports: ["sse", "websocket"] },
  }),
  "sessions.reindex": define({
    summary: "Rebuild status, messages, events and search from the journal",
    endpoint: "POST /v1/sessions/{session}/reindex",
    scope: "write",
    cli: ["reindex"],
    input: z.strictObject({ session }),
    output: z.strictObject({ session: z.string(), offset: offsetSchema }),
  }),
} as const;
