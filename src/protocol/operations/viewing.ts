/** What is read off sessions: screen, status, messages, search. */
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
  statusSchema,
  updateKindSchema,
} from "../views.ts";
import { define, queryFlag, queryInt, queryList, session } from "./define.ts";

export const viewingOperations = {
  "daemon.updates": define(
    "Changes of all sessions as events or in frames: status, approvals, sessions that start or end. From now on only",
    z.strictObject({
      kinds: queryList(changeKindSchema).optional(),
      /** Begins with all sessions and open questions as they are, and goes on with what changes in both, once a second for what grows. */
      list: queryFlag.default(false),
    }),
    null,
  ),
  "sessions.search": define(
    "Words in messages, events and commands of all sessions, newest first",
    z.strictObject({
      /** Words that must all be there; "several words" as a phrase, word* as a beginning, OR and NOT between them. */
      words: z.string().min(1).max(1024),
      session: session.optional(),
      role: z.string().max(32).optional(),
      /** Microseconds since the Unix epoch. */
      sinceUs: queryInt(z.int().nonnegative()).optional(),
      hitsMax: queryInt(z.int().min(1).max(1000)).default(20),
    }),
    z.strictObject({
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
          /** What was looked for stands between U+0002 and U+0003. */
          snippet: z.string(),
        }),
      ),
    }),
  ),
  "sessions.screen": define(
    "What the terminal shows now",
    z.strictObject({
      session,
      /** With the lines that left the top of the normal screen. */
      scrollback: queryFlag.default(false),
      /** With the screen as escape sequences, for a terminal of the same size that was just reset. */
      ansi: queryFlag.default(false),
    }),
    z.strictObject({
      /** The output before it is on the screen. */
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
      /** Output that is not on the screen, because it broke the emulator or was far too much. */
      bytesSkipped: z.int(),
    }),
  ),
  "sessions.status": define(
    "What the program does, since when, and what says so",
    z.strictObject({ session }),
    z.strictObject({ session: z.string(), status: statusSchema.nullable(), approvals: z.array(approvalSchema) }),
  ),
  "sessions.messages": define(
    "The conversation as messages, oldest first",
    z.strictObject({
      session,
      /** Only messages that changed at this offset or later. */
      after: queryInt(offsetSchema).default(0),
      /** Only the last so many. */
      last: queryInt(z.int().min(1).max(10_000)).optional(),
      roles: queryList(roleSchema).optional(),
    }),
    z.strictObject({ messages: z.array(messageSchema), next: offsetSchema }),
  ),
  "sessions.digest": define(
    "What happened in a session or in its last turn, in short: answer, commands, tools, files, times, tokens, open question",
    z.strictObject({ session, turn: digestTurnSchema.default("all") }),
    digestSchema.extend({ session: z.string() }),
  ),
  "sessions.changes": define(
    "What the views of a session told, in the order of the last change; read on from `next`",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      kinds: queryList(changeKindSchema).optional(),
      changesMax: queryInt(z.int().min(1).max(10_000)).default(1000),
    }),
    z.strictObject({ changes: z.array(changeSchema), next: offsetSchema }),
  ),
  "sessions.updates": define(
    "The same as events or in frames, and on as they come; `id:` is where to resume, and what changed just there comes again",
    z.strictObject({ session, from: queryInt(offsetSchema).optional(), kinds: queryList(updateKindSchema).optional() }),
    null,
  ),
  "sessions.reindex": define(
    "Reads the journal again from its start with the rules of now",
    z.strictObject({ session }),
    z.strictObject({ session: z.string(), offset: offsetSchema }),
  ),
} as const;
