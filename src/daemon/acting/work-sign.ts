/**
 * Whether an agent has worked on a prompt that it took: an agent without a processor shows its empty box for seconds before it begins, and
 * is then not done.
 */
import type { ChatMessage } from "../../core/chat/message.ts";
import { isAgentCommand } from "../../core/acting/box-text.ts";
import type { Reader } from "../../core/acting/draft.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { waits } from "../../core/waits.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";
import type { PromptTyping } from "./type-prompt.ts";

const MESSAGES_MAX = 200;
/** Of the status, between Enter and the end of a turn. */
const STATUSES_MAX = 1000;

interface Taken extends Pick<PromptTyping, "entry" | "receipt" | "views" | "until"> {
  /** Where the journal has Enter, and who took it. */
  readonly entered: { readonly end: number; readonly reader: Reader | undefined } | undefined;
  readonly stop: AbortSignal;
  readonly store: Pick<KeptViews, "list">;
  readonly workMs: number;
  readonly onWait: (reason: string) => Promise<void>;
}

/** What is looked for: the work of this agent after this offset. */
type Wanted = Pick<Taken, "entry" | "store"> & { readonly agent: string; readonly enterEnd: number };

/**
 * - `worked`: it works, asks or has answered, or no work is to be seen: a shell, a command of the agent, an agent whose conversation
 *   cannot be read, or one that has left the foreground
 * - `late`: it works now, after it had shown no sign of it
 * - `reason`: it showed none within `workMs`
 */
export async function untilWorked(taken: Taken): Promise<"worked" | "late" | { readonly reason: string }> {
  const { entry, receipt, entered, views, until, stop, store, workMs, onWait } = taken;
  const { text, isLiteral = false, targets = [] } = receipt;
  const enterEnd = entered?.end ?? 0;
  const agent = entered?.reader?.agent ?? targets[0]?.agent ?? null;
  if (agent === null || enterEnd === 0 || isAgentCommand(text, { isLiteral })) return "worked";
  const wanted = { entry, store, agent, enterEnd };
  if ((await hasSign(wanted)) || !(await messagesOf(wanted, 0)).some((message) => message.agent === agent))
    return "worked";
  const unseen = `${agent} took it, and was not seen working`;
  await onWait(unseen);
  const isAway = async (): Promise<boolean> => (await views.view.draft()).reader.agent !== agent;
  const isOver = async (): Promise<boolean> => (await hasSign(wanted)) || (await isAway());
  await until.screen(isOver, { ms: workMs, pollMs: waits.retryMs }, stop);
  if (await hasSign(wanted)) return "late";
  if (!entry.live || (await isAway())) return "worked";
  const next = `see what it does with "lectern screen ${entry.stored.name}" before you send it again`;
  return { reason: `${unseen} within ${workMs / 1000} s; ${next}` };
}

const hasSign = async (wanted: Wanted): Promise<boolean> =>
  (await statusesOf(wanted.entry, wanted.store, wanted.enterEnd)).some(hasWorked) || (await hasAnswered(wanted));

/** What it says or does; the prompt itself is one of its messages too. */
async function hasAnswered(wanted: Wanted): Promise<boolean> {
  const { agent, enterEnd } = wanted;
  return (await messagesOf(wanted, enterEnd)).some(
    (message) =>
      message.agent === agent &&
      message.offset >= enterEnd &&
      !["user", "welcome", "conversation-start"].includes(message.role),
  );
}

async function messagesOf({ entry: { id: session }, store }: Wanted, from: number): Promise<ChatMessage[]> {
  const query = { session, from, kinds: ["message" as const], last: MESSAGES_MAX, changesMax: MESSAGES_MAX };
  return (await store.list(query)).flatMap((change) => (change.kind === "message" ? [change.message] : []));
}

/** Changes of the status behind an offset, the newest of them. */
export async function statusesOf(
  { id: session }: Pick<SessionEntry, "id">,
  store: Pick<KeptViews, "list">,
  from: number,
): Promise<ViewChange[]> {
  return await store.list({ session, from, kinds: ["status"], last: STATUSES_MAX, changesMax: STATUSES_MAX });
}

/** That something was entered, and no answer to it was seen, is not the agent's word. */
export function hasWorked(change: ViewChange): boolean {
  if (change.kind !== "status" || !["working", "blocked"].includes(change.status.state)) return false;
  return change.status.evidence.some(({ isDecisive, signal }) => isDecisive && signal !== "input");
}
