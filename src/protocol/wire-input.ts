/** The settings of a session whose agent uses the gateway. */
import * as z from "zod";
import { policyTextSchema } from "./policy.ts";

const url = z.string().max(2048).optional();

export const wireInputSchema = z.strictObject({
  /** The text of a policy file; default: every call is allowed and audited. */
  policy: policyTextSchema.optional(),
  /** Base URLs of the upstream servers, by route. */
  upstreams: z.strictObject({ anthropic: url, openai: url, gemini: url, "code-assist": url }).optional(),
  /** How long a question waits for an answer before it is denied. */
  approvalMs: z.int().min(1000).max(86_400_000).default(600_000),
  /** The agent's own question about a call that a person has allowed is answered from that. */
  askOnce: z.boolean().default(true),
  /** End the session if its agent shows a turn without a request at the gateway. Only for agents whose screen is known. */
  mustGate: z.boolean().default(false),
});
