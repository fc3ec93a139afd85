/**
 * Whether an agent has worked on a prompt that it took: an agent without a processor shows its empty box for seconds before it begins, and
 * is then not done.
 */
import type { ChatMessage } from "../../core/chat/message.ts";
import { isAgentCommand } from "../../core/acting/box-text.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { waits } from "../../core/waits.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";
import type { EnteredPrompt } from "./follow-prompt.ts";
import type { PromptTyping } from "./type-prompt.ts";

const MESSAGES_MAX = 200;
/** Of the status, between Enter and the end of a turn. */
const STATUSES_MAX = 1000;

export interface Worked {
  readonly entry: SessionEntry;
  readonly entered: EnteredPrompt | undefined;
  readonly stop: AbortSignal;
  readonly store: Pick<KeptViews, "list">;
  readonly workMs: number;
  readonly onWait: (reason: string) => Promise<void>;
}

/**
 * - `worked`: it works, asks or has answered, or no work is to be seen: a shell, a command of the agent, an agent whose conversation
 *   cannot be read, or one that has left the foreground
 * - `late`: it works now, after it had shown no sign of it
 * - `reason`: it showed none within `workMs`
 */
export async function untilWorked(
  taken: Worked & Pick<PromptTyping, "receipt" | "views" | "until">,
): Promise<"worked" | "late" | { readonly reason: string }> {
  const { entry, receipt, entered, views, until, stop, workMs, onWait } = taken;
  const { text, isLiteral = false, targets = [] } = receipt;
  const enterEnd = entered?.end ?? 0;
  const agent = entered?.target?.agent ?? targets[0]?.agent ?? null;
  if (agent === null || enterEnd === 0 || isAgentCommand(text, { isLiteral })) return "worked";
  const hasSign = async (): Promise<boolean> =>
    (await workAfter(taken)) !== undefined || (await messagesOf(taken, { agent, from: enterEnd })).some(isItsOwn);
  if ((await hasSign()) || (await messagesOf(taken, { agent, from: 0 })).length === 0) return "worked";
  const unseen = `${agent} took it, and was not seen working`;
  await onWait(unseen);
  const isAway = async (): Promise<boolean> => !entry.live || (await views.view.draft()).reader.agent !== agent;
  await until.screen(async () => (await hasSign()) || (await isAway()), { ms: workMs, pollMs: waits.retryMs }, stop);
  if (await hasSign()) return "late";
  if (await isAway()) return "worked";
  const next = `see what it does with "lectern screen ${entry.stored.name}" before you send it again`;
  return { reason: `${unseen} within ${workMs / 1000} s; ${next}` };
}

/** The first change of the status after Enter that shows work. */
export async function workAfter({ entry, store, entered }: Worked): Promise<ViewChange | undefined> {
  const query = { session: entry.id, from: entered?.end ?? 0, kinds: ["status" as const] };
  return (await store.list({ ...query, last: STATUSES_MAX, changesMax: STATUSES_MAX })).find(showsWork);
}

/** What it says or does; the prompt itself is one of its messages too. */
const isItsOwn = ({ role }: ChatMessage): boolean => !["user", "welcome", "conversation-start"].includes(role);

async function messagesOf(
  { entry: { id: session }, store }: Worked,
  { agent, from }: { readonly agent: string; readonly from: number },
): Promise<ChatMessage[]> {
  const query = { session, from, kinds: ["message" as const], last: MESSAGES_MAX, changesMax: MESSAGES_MAX };
  const messages = (await store.list(query)).flatMap((change) => (change.kind === "message" ? [change.message] : []));
  return messages.filter((message) => message.agent === agent && message.offset >= from);
}

/** That something was entered, and no answer to it was seen, is not the agent's word. */
function showsWork(change: ViewChange): boolean {
  if (change.kind !== "status" || !["working", "blocked"].includes(change.status.state)) return false;
  return change.status.evidence.some(({ isDecisive, signal }) => isDecisive && signal !== "input");
}
