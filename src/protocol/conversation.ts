/** The conversation of an agent, as clients see it: schema and type. */
import * as z from "zod";

/**
 * How it is known.
 * - `process`: the agent keeps a file for its process that names it
 * - `open-file`: the process has the conversation's file open
 * - `prompts`: it is the only one of the directory in which the prompts of the session were said at these times
 * - `person`: a person named it
 */
export const CONVERSATION_EVIDENCE = ["process", "open-file", "prompts", "person"] as const;
export type ConversationEvidence = (typeof CONVERSATION_EVIDENCE)[number];

export const conversationSchema = z.strictObject({
  /** Name of the agent. */
  agent: z.string(),
  /** As the agent writes it. */
  id: z.string(),
  by: z.enum(CONVERSATION_EVIDENCE),
});
