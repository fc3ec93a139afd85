/** Entries for the parts of a conversation whose records are missing. Pure. */
import type { Session } from "../../client.ts";
import type { GapNotice } from "../../protocol/records.ts";
import { byteSize } from "../parts/text.ts";
import type { ConversationItem } from "./conversation.ts";

export interface ConversationGap {
  readonly kind: "gap";
  readonly key: string;
  /** The gap is shown before the item that begins here. */
  readonly offset: number;
  readonly words: string;
}

/** The gaps of a journal. `notices` are the records at its end that describe what was lost with the host. */
export function gapsOf(
  { start, end, exit, degraded }: Pick<Session, "start" | "end" | "exit" | "degraded">,
  notices: readonly GapNotice[],
): ConversationGap[] {
  const gaps: ConversationGap[] = [];
  if (start > 0) {
    const words = `The recording begins here: the ${byteSize(start)} before were removed to save space`;
    gaps.push({ kind: "gap", key: "gap trimmed", offset: start, words });
  }
  // An imported recording has no exit either, but nothing was lost here.
  if (exit?.reason === "lost" && notices.length > 0) {
    const most = notices.reduce((sum, notice) => sum + ("bytesMax" in notice ? notice.bytesMax : 0), 0);
    const bytes = most === 0 ? "" : `; at most ${byteSize(most)} of its output were not recorded`;
    gaps.push({
      kind: "gap",
      key: "gap lost",
      offset: end,
      words: `Its end was not observed: its pty host has ended${bytes}`,
    });
  }
  if (degraded !== null) {
    const words = `The journal cannot be written (${degraded}): output is held back until it can`;
    gaps.push({ kind: "gap", key: "gap degraded", offset: end, words });
  }
  return gaps;
}

/** Inserts each gap before the first item after it. A gap for a lost host replaces the exit message. */
export function withGaps(
  items: readonly ConversationItem[],
  gaps: readonly ConversationGap[],
): readonly (ConversationItem | ConversationGap)[] {
  if (gaps.length === 0) return items;
  const isLost = gaps.some(({ key }) => key === "gap lost");
  const shown = items.filter((item) => !isLost || item !== items.at(-1) || !isEnd(item));
  return [...shown, ...gaps].toSorted((first, second) => first.offset - second.offset || rank(first) - rank(second));
}

const isEnd = (item: ConversationItem): boolean => item.kind === "message" && item.message.role === "exit";

const rank = ({ kind }: { readonly kind: string }): number => (kind === "gap" ? 0 : 1);
