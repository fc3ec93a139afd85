/** What the views of a session tell: each change replaces what was told before under the same id. */
import type { Approval } from "../dialogs/approval.ts";
import type { ChatMessage } from "../chat/message.ts";
import type { AgentConversation } from "../conversations/conversation-fold.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import type { SessionStatus } from "../status/status.ts";
import type { Intent } from "../intents/intent-fold.ts";
import type { SessionUsage } from "../usage/usage-fold.ts";
import type { UsageHour } from "../usage/usage-hours.ts";

export const CHANGE_KINDS = ["status", "message", "approval", "event", "usage", "intents", "conversation"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * A change of one view: it replaces the earlier one with the same id. `offset` is the end of the journal part that caused it. Changes are
 * in the order of offsets; several may have the same one.
 */
export type ViewChange = { readonly offset: number; readonly timeUs: number } & (
  | { readonly kind: "status"; readonly status: SessionStatus }
  | { readonly kind: "message"; readonly message: ChatMessage }
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "event"; readonly event: TaggedEvent }
  /** `hour` is the one that has changed; each has a sum of its own. Missing in what an older version reported. */
  | { readonly kind: "usage"; readonly usage: SessionUsage; readonly hour?: UsageHour | undefined }
  | { readonly kind: "intents"; readonly intents: readonly Intent[] }
  | { readonly kind: "conversation"; readonly conversation: AgentConversation }
);

/** Unique among the things of its kind in a session. */
export function keyOfChange(change: ViewChange): string {
  switch (change.kind) {
    case "status":
      return String(change.status.sinceUs);
    case "message":
      return change.message.id;
    case "approval":
      return change.approval.id;
    case "event":
      return change.event.id;
    case "usage":
    case "intents":
    case "conversation":
      return "all";
  }
}
