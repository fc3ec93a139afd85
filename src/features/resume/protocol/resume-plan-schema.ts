/** What continuing a session would do, as clients see it: schema and type. */
import * as z from "zod";
import { stateSchema } from "../../../protocol/session.ts";

export const resumePlanSchema = z.strictObject({
  /** Id of the session that has ended. */
  session: z.string(),
  name: z.string(),
  agent: z.string().nullable(),
  state: stateSchema,
  endedAt: z.iso.datetime().nullable(),
  /** `resume`: its agent continues its conversation; `restart`: its command is run again; `none`: neither, for the `reason`. */
  action: z.enum(["resume", "restart", "none"]),
  /** Id of the conversation that is continued. */
  conversation: z.string().nullable(),
  /** What would be run. */
  command: z.array(z.string()).nullable(),
  /** Why it is not continued. */
  reason: z.string().nullable(),
  /** Ids of conversations of which one may be its own, if none is certain. */
  candidates: z.array(z.string()),
});
export type ResumePlan = z.infer<typeof resumePlanSchema>;
