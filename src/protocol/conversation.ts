/** The conversation of an agent, as clients see it: schema and type. */
import * as z from "zod";
import { CONVERSATION_EVIDENCE, type AgentConversation } from "../core/conversations/conversation-fold.ts";

export const conversationSchema = z.strictObject({
  agent: z.string(),
  /** As the agent writes it. */
  id: z.string(),
  by: z.enum(CONVERSATION_EVIDENCE),
});

/** As the views report it. */
export const agentConversationSchema = conversationSchema.extend({
  /** Where the agent keeps it; null if there was no file when it was learned. */
  file: z.string().nullable(),
  /** How many were learned until then, with this one. */
  number: z.int(),
}) satisfies z.ZodType<AgentConversation>;
