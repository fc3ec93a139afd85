/** Operations that continue sessions that have ended. */
import * as z from "zod";
import { nameSchema, sideSchema } from "../../../protocol/names.ts";
import { define, queryFlag, session } from "../../../protocol/operations/define.ts";
import { environmentSchema } from "../../../protocol/session-options.ts";
import { sessionSchema } from "../../../protocol/session.ts";
import { resumePlanSchema } from "./resume-plan-schema.ts";

export const resumeOperations = {
  "sessions.resume": define({
    summary: "Start the agent of an ended session again with its own conversation, in a new session",
    endpoint: "POST /v1/sessions/{session}/resume",
    scope: "write",
    person: true,
    cli: ["resume"],
    input: z.strictObject({
      session,
      /** Id of the conversation, as the agent writes it; default: the one that is known. */
      conversation: z.string().min(1).max(200).optional(),
      /** Default: that of the session, with a number if a running session has it. */
      name: nameSchema.optional(),
      /** As for `sessions.create`; default: that of the daemon. */
      environment: environmentSchema.optional(),
      columns: sideSchema.optional(),
      rows: sideSchema.optional(),
      /** A program without a conversation, or one that has forgotten, is started again by its command. */
      restart: z.boolean().default(false),
    }),
    output: sessionSchema,
  }),
  "sessions.resumable": define({
    summary: "List ended sessions with what resuming each would do, newest first, at most 500",
    endpoint: "GET /v1/resumable",
    scope: "read",
    cli: ["resume"],
    input: z.strictObject({
      /** Only those whose end was not observed, for example because the machine was restarted. */
      lost: queryFlag.default(false),
      restart: queryFlag.default(false),
      /** The home directory of agents; default: that of the daemon. */
      home: z.string().max(4096).optional(),
    }),
    output: z.strictObject({ sessions: z.array(resumePlanSchema) }),
  }),
};
