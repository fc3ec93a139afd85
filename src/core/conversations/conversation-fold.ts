/** Which conversation the agent is in, from the facts that were learned from its process and its files. */
import type { Observation, Reducer } from "../observe/observation.ts";

/** The source of these facts. */
const AGENT_FILES = "agent-files";

/**
 * How it is known.
 * - `process`: the agent keeps a file for its process that names it
 * - `open-file`: the process has the conversation's file open
 * - `prompts`: it is the only one of the directory in which the prompts of the session were said at these times
 * - `person`: a person named it
 */
export const CONVERSATION_EVIDENCE = ["process", "open-file", "prompts", "person"] as const;
type ConversationEvidence = (typeof CONVERSATION_EVIDENCE)[number];

export interface LearnedConversation {
  readonly agent: string;
  /** As the agent writes it. */
  readonly id: string;
  readonly by: ConversationEvidence;
  /** Where the agent keeps it; null if there was no file when it was learned. */
  readonly file: string | null;
}

export interface AgentConversation extends LearnedConversation {
  /** How many were learned in the session until then, with this one. */
  readonly number: number;
}

/** The next fact after `count` conversations: the same one as long as none of them was folded, so it is appended once. */
export const conversationFact = (
  conversation: LearnedConversation,
  count: number,
): { readonly source: string; readonly id: string; readonly payload: unknown } => ({
  source: AGENT_FILES,
  id: `conversation-${count + 1}`,
  payload: conversation,
});

export class ConversationFold implements Reducer<AgentConversation, AgentConversation | null> {
  #last: AgentConversation | null;

  constructor(state: AgentConversation | null = null) {
    this.#last = state;
  }

  step({ cause }: Observation): readonly AgentConversation[] {
    if (cause.type !== "fact" || cause.source !== AGENT_FILES) return [];
    const read = readConversation(cause.payload, (this.#last?.number ?? 0) + 1);
    if (read === null) return [];
    this.#last = read;
    return [read];
  }

  save(): AgentConversation | null {
    return this.#last;
  }
}

/** Null for what a later version has learned in another form. */
function readConversation(payload: unknown, number: number): AgentConversation | null {
  const { agent, id, by, file = null } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  const evidence = CONVERSATION_EVIDENCE.find((one) => one === by);
  if (typeof agent !== "string" || typeof id !== "string" || evidence === undefined) return null;
  return { agent, id, by: evidence, file: typeof file === "string" ? file : null, number };
}
