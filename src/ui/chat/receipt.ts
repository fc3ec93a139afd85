/**
 * How far a prompt has come, from what the daemon and the conversation say: nothing is claimed that was not seen. Pure.
 *
 * - `sending`: on its way
 * - `accepted`: written into the journal and given to the program
 * - `echoed`: seen in the conversation
 * - `working`: the program began to work after it
 * - `done`: and wants the next one
 */
import type { SessionStatus } from "../../core/status/status.ts";
import type { ConversationItem } from "./conversation.ts";

export type ReceiptStage = "sending" | "accepted" | "echoed" | "working" | "done" | "failed";

export interface Receipt {
  readonly stage: ReceiptStage;
  readonly text: string;
  /** Where it ends in the journal; undefined until it was accepted. */
  readonly next: number | undefined;
  readonly problem: string | undefined;
}

/** How far a receipt that was accepted has come; any other stays as it is. */
export function stageOf(
  { text, next, stage }: Receipt,
  items: readonly ConversationItem[],
  statuses: readonly SessionStatus[],
): ReceiptStage {
  if (next === undefined || stage !== "accepted") return stage;
  const after = statuses.filter(({ offset }) => offset >= next).map(({ state }) => state);
  const began = after.indexOf("working");
  if (began !== -1) return after.includes("waiting", began) ? "done" : "working";
  return items.some((item) => isEcho(item, text, next)) ? "echoed" : "accepted";
}

/** What was typed before the place where the input ends is not its echo; the input itself takes as many bytes as it has, or more. */
function isEcho(item: ConversationItem, text: string, next: number): boolean {
  if (item.kind !== "message" || item.message.end < next - text.length) return false;
  const { role, shell, text: shown } = item.message;
  return (role === "user" || role === "shell") && squeeze(shell?.command ?? shown).includes(squeeze(text));
}

/** Terminals wrap and indent as they like. */
const squeeze = (text: string): string => text.replaceAll(/\s+/g, "");
