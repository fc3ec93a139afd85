/**
 * The conversation that a prompt is for. Evidence is what the process of the agent shows by itself: the file that it keeps for this process, and the
 * files that it has open. What the screen shows is none: it is read a moment later, and a cleared screen begins no conversation.
 */
import type { ConversationRule } from "../../core/agents/agent.ts";
import { isAgentCommand } from "../../core/acting/box-text.ts";
import { isFinal, type Receipt } from "../../core/acting/receipt.ts";
import { waits } from "../../core/waits.ts";
import { shownConversations } from "../conversations/find-conversation.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

export type ConversationRules = (agent: string | null) => ConversationRule | null;

type Wanted = Pick<Receipt, "conversation" | "targets">;

const shownIn = ({ leaderPid }: SessionEntry, { targets: [target] = [] }: Wanted, rules: ConversationRules) => {
  const rule = rules(target?.agent ?? null);
  return rule === null || leaderPid === null ? [] : shownConversations(rule, leaderPid);
};

/**
 * Its id; undefined if it is not certain. `earlier`: prompts of the session. A command such as `/clear` among them may lead to another one, which the
 * agent shows up to a second later: then it is not certain, and the prompt may be meant for that one.
 */
export function boundConversation(
  entry: SessionEntry,
  { targets, earlier, rules }: Wanted & { readonly earlier: readonly Receipt[]; readonly rules: ConversationRules },
): string | undefined {
  const sinceUs = (Date.now() - waits.partMs) * 1000;
  const mayLead = ({ steps, text, ...receipt }: Receipt): boolean =>
    isAgentCommand(text, { isLiteral: receipt.isLiteral === true }) &&
    (!isFinal(receipt) || (steps.at(-1)?.timeUs ?? 0) >= sinceUs);
  if (earlier.some(mayLead)) return undefined;
  const [only, ...others] = shownIn(entry, targets === undefined ? {} : { targets }, rules);
  return others.length === 0 ? only?.id : undefined;
}

/** Why a prompt is not typed: its agent has left the conversation. Null if it has not, or if that is not certain: Codex keeps the one before open. */
export function whyLeft(entry: SessionEntry, wanted: Wanted, rules: ConversationRules): string | null {
  const { conversation, targets: [target] = [] } = wanted;
  if (conversation === undefined) return null;
  const shown = shownIn(entry, wanted, rules);
  const [now] = shown;
  if (now === undefined || shown.some(({ id }) => id === conversation)) return null;
  const agent = target?.agent ?? "the agent";
  return `it was meant for the conversation ${conversation} of ${agent}, which is in another one now (${now.id}); send it again if it is meant for that one`;
}
