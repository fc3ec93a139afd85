/** What continuing a session that has ended would do, or why it cannot be continued. Decided before anything is started. */
import type { LearnedConversation } from "../../../core/conversations/conversation-fold.ts";
import { existsSync } from "node:fs";
import { anewCommand, resumeCommand } from "../../../core/agents/resume-command.ts";
import type { Agent, ConversationRule } from "../../../core/agents/agent.ts";
import type { AgentRegistry } from "../../../core/agents/registry.ts";
import { displayCommand } from "../../../core/text/command-line.ts";
import type { ResumePlan } from "../protocol/resume-plan-schema.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { unreadText } from "../../../daemon/store/stored-session.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import { conversationsOfEntry, hasBegunAnew, conversationPlace } from "./conversations.ts";
import { isStillIn, keptFiles } from "../../../daemon/conversations/find-conversation.ts";
import type { AgentVariables } from "../../../daemon/conversations/home-paths.ts";

export interface PlanContext {
  readonly agents: AgentRegistry;
  readonly views: SessionViews;
  /** Of whoever asks: they say where an agent keeps its files, if that was not learned. */
  readonly variables: AgentVariables;
  /** Named by a person. */
  readonly conversation?: string | undefined;
  /** A program without a conversation is started again by its command. */
  readonly restart?: boolean | undefined;
  /** The agent said that it does not know the conversation. */
  readonly isForgotten?: boolean | undefined;
}

/** With the conversation that is continued. */
export interface DecidedPlan extends ResumePlan {
  readonly known: LearnedConversation | null;
}

/** Of a session that has ended. */
export async function planFor(entry: SessionEntry, context: PlanContext): Promise<DecidedPlan> {
  const { stored } = entry;
  const base = {
    session: entry.id,
    name: stored.name,
    agent: stored.agent,
    state: stored.state,
    endedAt: stored.endedAt,
  };
  const none = (reason: string, candidates: readonly string[] = []): DecidedPlan => {
    const isRestarted = context.restart === true && candidates.length === 0 && stored.command.length > 0;
    const command = isRestarted ? [...commandAnew(entry, context.agents)] : null;
    const action = isRestarted ? "restart" : "none";
    return { ...base, action, conversation: null, command, reason, candidates: [...candidates], known: null };
  };
  const unread = unreadText(stored);
  if (unread !== null)
    return { ...base, action: "none", conversation: null, command: null, reason: unread, candidates: [], known: null };
  if (entry.view.isImported) return none("it is a recording that was imported, without a program");
  const agent = context.agents.named(stored.agent);
  if (agent === undefined) return none(programReason(entry, context.agents));
  const found = await conversationOf(entry, agent, context);
  if ("reason" in found) return none(found.reason, found.candidates);
  if (context.isForgotten === true) return none(`${agent.title} has forgotten conversation ${found.id}`);
  const command = resumeCommand(stored.command, agent, found.id);
  if (command === null)
    return none(
      `its command does not show where the arguments of ${agent.title} begin: ${displayCommand(stored.command)}`,
    );
  return {
    ...base,
    action: "resume",
    conversation: found.id,
    command: [...command],
    reason: null,
    candidates: [],
    known: found,
  };
}

type Undecided = { readonly reason: string; readonly candidates?: readonly string[] };

async function conversationOf(
  entry: SessionEntry,
  agent: Agent,
  context: PlanContext,
): Promise<LearnedConversation | Undecided> {
  const rule = agent.conversation;
  if (rule === null || agent.resume.length === 0)
    return { reason: `it is not known how ${agent.title} continues a conversation: see docs/agents.md` };
  const given = context.conversation;
  if (given !== undefined) {
    if (!rule.id.test(given)) return { reason: `"${given}" is not an id of a conversation of ${agent.title}` };
    return withFile({ agent: agent.name, id: given, by: "person", file: null }, agent, context);
  }
  const known = entry.stored.conversation;
  const isKnown = known !== undefined && known.agent === agent.name;
  if (isKnown && (known.by === "process" || (await isCurrent(known, rule, { entry, context })))) {
    if (await hasBegunAnew(entry, context.views))
      return {
        reason: `it had gone to another conversation, in which nothing was said: start anew with --restart, or name one before with --conversation`,
      };
    return withFile(known, agent, context);
  }
  const found = await conversationsOfEntry(agent, entry, context);
  if (isKnown && found.length === 0)
    return {
      reason: `it may have left conversation ${known.id}, in which its last prompt was not found; if that is its own, name it with --conversation`,
      candidates: [known.id],
    };
  const [only] = found;
  if (only === undefined)
    return {
      reason: `its conversation is not known, for example because nothing was said in it; name it with --conversation ID`,
    };
  if (found.length > 1) {
    const candidates = found.map(({ id }) => id);
    return {
      reason: `it is not certain which conversation is its own: name one with --conversation, of ${candidates.join(", ")}`,
      candidates,
    };
  }
  return { agent: agent.name, ...only };
}

/** One that was found by what was said in it must still have what was said last. */
async function isCurrent(
  { by, id }: LearnedConversation,
  rule: ConversationRule,
  { context, entry }: { readonly entry: SessionEntry; readonly context: PlanContext },
): Promise<boolean> {
  return by !== "prompts" || (await isStillIn(id, rule, conversationPlace(entry, context))) !== false;
}

/** Checked on the disk, if the agent's files tell. */
function withFile(
  known: LearnedConversation,
  { conversation, title }: Agent,
  { variables }: PlanContext,
): LearnedConversation | Undecided {
  const forgotten: Undecided = {
    reason: `${title} has forgotten conversation ${known.id}: its file is gone; start anew with --restart`,
  };
  if (known.file !== null && existsSync(known.file)) return known;
  const files = conversation === null ? null : keptFiles(conversation, known.id, { prefix: "", variables });
  const file = files?.at(-1);
  if (file !== undefined) return { ...known, file };
  if (known.by === "process" && known.file === null && files !== null)
    return { reason: `nothing was said in its conversation ${known.id}: start anew with --restart` };
  if (known.file !== null || files !== null) return forgotten;
  return known;
}

/** That of a session that was resumed itself names the conversation. */
function commandAnew({ stored }: SessionEntry, agents: AgentRegistry): readonly string[] {
  const agent = agents.named(stored.agent);
  return stored.continues === undefined || agent === undefined ? stored.command : anewCommand(stored.command, agent);
}

function programReason({ status, stored }: SessionEntry, agents: AgentRegistry): string {
  const { conversation } = stored;
  const agent = agents.named(conversation?.agent ?? null);
  const command =
    agent === undefined || conversation === undefined
      ? null
      : resumeCommand(agent.commands.slice(0, 1), agent, conversation.id);
  if (command !== null)
    return `it is a shell in which ${agent?.title} ran: continue that with "${displayCommand(command)}" in ${stored.workingDirectory}`;
  return status === null && stored.command.length === 0
    ? "its command is not known"
    : "the program has no conversation: --restart starts it again";
}
