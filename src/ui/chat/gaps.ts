/** What is missing in a conversation because its records are, as items that stand where they were. Pure. */
import type { Session } from "../../client.ts";
import type { GapNotice } from "../../protocol/records.ts";
import { byteSize } from "../parts/text.ts";
import type { ConversationItem } from "./conversation.ts";

export interface ConversationGap {
  readonly kind: "gap";
  readonly key: string;
  /** It stands before what began here. */
  readonly offset: number;
  readonly words: string;
}

/** Something of the journal that is not there. `notices` are those at its end, which say what was lost with the host. */
export function gapsOf(
  { start, end, exit, degraded }: Pick<Session, "start" | "end" | "exit" | "degraded">,
  notices: readonly GapNotice[],
): ConversationGap[] {
  const gaps: ConversationGap[] = [];
  if (start > 0) {
    const words = `The recording begins here: the ${byteSize(start)} before were removed to save space`;
    gaps.push({ kind: "gap", key: "gap trimmed", offset: start, words });
  }
  // A recording from elsewhere has no end either, and nothing of it was lost here.
  if (exit?.reason === "lost" && notices.length > 0) {
    const most = notices.reduce((sum, notice) => sum + ("bytesMax" in notice ? notice.bytesMax : 0), 0);
    const bytes = most === 0 ? "" : `; at most ${byteSize(most)} of its output were not recorded`;
    gaps.push({ kind: "gap", key: "gap lost", offset: end, words: `Nobody saw it end: what ran it is gone${bytes}` });
  }
  if (degraded !== null) {
    const words = `The journal cannot be written (${degraded}): its output waits until it can`;
    gaps.push({ kind: "gap", key: "gap degraded", offset: end, words });
  }
  return gaps;
}

/** Each gap before the first thing that began behind it. A program whose end nobody saw has no other words for it. */
export function withGaps(
  items: readonly ConversationItem[],
  gaps: readonly ConversationGap[],
): readonly (ConversationItem | ConversationGap)[] {
  if (gaps.length === 0) return items;
  const isLost = gaps.some(({ key }) => key === "gap lost");
  const told = items.filter((item) => !isLost || item !== items.at(-1) || !isEnd(item));
  return [...told, ...gaps].toSorted((first, second) => first.offset - second.offset || rank(first) - rank(second));
}

const isEnd = (item: ConversationItem): boolean => item.kind === "message" && item.message.role === "exit";

const rank = ({ kind }: { readonly kind: string }): number => (kind === "gap" ? 0 : 1);
