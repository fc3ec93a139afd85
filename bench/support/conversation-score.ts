/** Compares the messages of a conversation with what was said in it. */
import type { ChatMessage } from "../../src/core/chat/message.ts";

export interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What is not right comes once: as lost, or as out of order. */
interface Counts {
  /** The very text. */
  exact: number;
  /** Its letters, as a renderer leaves them. */
  same: number;
  /** Missing, and no message in its place is marked. */
  silentlyLost: number;
  /** Missing, and a message in its place says that it is incomplete. */
  lost: number;
  outOfOrder: number;
  /** Said once, and there twice. */
  doubled: number;
  /** Never said. */
  more: number;
  fromRecord: number;
}

const ink = (text: string): string => text.replaceAll(/^\s*```\w*$/gm, "").replaceAll(/[^\p{L}\p{N}]+/gu, "");

const noCounts = (): Counts => ({
  exact: 0,
  same: 0,
  silentlyLost: 0,
  lost: 0,
  outOfOrder: 0,
  doubled: 0,
  more: 0,
  fromRecord: 0,
});

export function scoreOf(
  said: readonly Said[],
  messages: readonly ChatMessage[],
): { readonly roles: Readonly<Record<Said["role"], Counts>>; readonly faults: readonly string[] } {
  const shown = messages.filter(
    ({ role, subAgent, text }) => subAgent === undefined && text !== "" && (role === "user" || role === "assistant"),
  );
  const pairs = longestPairs(said, shown);
  const roles = { user: noCounts(), assistant: noCounts() };
  const faults: string[] = [];
  const extra = shown.filter((message) => ![...pairs.values()].includes(message));
  for (const [index, one] of said.entries()) {
    const counts = roles[one.role];
    const message = pairs.get(index);
    if (message !== undefined) {
      counts.same += 1;
      if (message.text.trim() === one.text.trim()) counts.exact += 1;
      if (message.source === "record") counts.fromRecord += 1;
      continue;
    }
    const [before, after] = [pairs.get(index - 1), pairs.get(index + 1)];
    const moved = extra.findIndex((other) => isSame(one, other));
    const from = before === undefined ? 0 : messages.indexOf(before);
    const to = after === undefined ? messages.length : messages.indexOf(after) + 1;
    const isMarked = messages.slice(from, to).some(({ isIncomplete }) => isIncomplete) || hasDoubts(messages);
    const fault = moved >= 0 ? "outOfOrder" : isMarked ? "lost" : "silentlyLost";
    if (moved >= 0) extra.splice(moved, 1);
    counts[fault] += 1;
    faults.push(`${fault} ${one.role} ${index}: ${JSON.stringify(one.text.slice(0, 80))}`);
  }
  for (const message of extra) {
    const fault = said.some((one) => isSame(one, message)) ? "doubled" : "more";
    roles[message.role as Said["role"]][fault] += 1;
    const { id, isIncomplete, role, source, text } = message;
    faults.push(
      `${fault} ${role} ${id}${isIncomplete ? " incomplete" : ""} of the ${source}: ${JSON.stringify(text.slice(0, 200))}`,
    );
  }
  return { roles, faults };
}

const hasDoubts = (messages: readonly ChatMessage[]): boolean =>
  messages.some(({ doubts, isIncomplete }) => doubts !== undefined && isIncomplete);

const isSame = (one: Said, other: ChatMessage): boolean => one.role === other.role && ink(one.text) === ink(other.text);

/** By the index of what was said; in both orders, as many as there can be. */
function longestPairs(said: readonly Said[], shown: readonly ChatMessage[]): Map<number, ChatMessage> {
  const counts = Array.from({ length: said.length + 1 }, () => Array.from({ length: shown.length + 1 }, () => 0));
  const at = (i: number, j: number): number => counts[i]?.[j] ?? 0;
  const isPair = (i: number, j: number): boolean => {
    const [one, other] = [said[i], shown[j]];
    return one !== undefined && other !== undefined && isSame(one, other);
  };
  for (let i = said.length - 1; i >= 0; i -= 1)
    for (let j = shown.length - 1; j >= 0; j -= 1) {
      const row = counts[i] ?? [];
      row[j] = isPair(i, j) ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const pairs = new Map<number, ChatMessage>();
  for (let i = 0, j = 0; i < said.length && j < shown.length;) {
    const message = shown[j];
    if (message !== undefined && isPair(i, j)) {
      pairs.set(i, message);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
