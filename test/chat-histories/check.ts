/**
 * Plays a history through the reader of conversations, and compares with its truth.
 *
 * The law: a message that a later prompt has acknowledged stays, in its place and role, and loses no word; the same window twice changes
 * nothing; and what is missing, doubled, cut or out of order at the end is marked.
 */
import { builtInAgents } from "../../src/core/agents/built-in-agents.ts";
import { Conversation } from "../../src/core/chat/conversation.ts";
import { orderOf, type ChatMessage } from "../../src/core/chat/message.ts";
import { MessageLog } from "../../src/core/chat/message-log.ts";
import type { Said } from "./drawing.ts";
import type { History } from "./history.ts";

const rules = builtInAgents.chatOf("claude", "");

export class Violation extends Error {}

export interface Played {
  readonly messages: readonly ChatMessage[];
  /** What differs from the truth at the end without a mark; null if nothing does. */
  readonly fault: string | null;
  readonly isMarked: boolean;
}

interface PlayOptions {
  /** A new reader goes on from what was saved, before each third window. */
  readonly restores?: boolean;
  /** Compares with the truth after each whole window, and fails at the first that differs. */
  readonly isEach?: boolean;
  readonly trace?: (line: string) => void;
}

/** Throws a `Violation` if the law is broken. */
export function play(history: History, { restores = false, isEach = false, trace }: PlayOptions = {}): Played {
  let log = new MessageLog();
  let conversation = new Conversation(rules, log, 0);
  const known = new Map<string, ChatMessage>();
  let before: readonly ChatMessage[] = [];
  let last: readonly ChatMessage[] = [];
  let sorted: readonly ChatMessage[] = [];
  for (const [index, { frame, isWhole, name, said, typed }] of history.shots.entries()) {
    if (restores && index % 3 === 0) {
      const [first, second] = JSON.parse(JSON.stringify([log.save(), conversation.save()])) as never[];
      log = new MessageLog(first);
      conversation = new Conversation(rules, log, second as never);
    }
    if (typed !== undefined) conversation.typed(typed, { offset: frame.offset, timeUs: frame.timeUs });
    conversation.frame(frame, []);
    const changes = log.take();
    trace?.([`#${index} ${name}`, ...frame.lines.map(({ text }) => `   |${text}`), ...changes.map(lineOf)].join("\n"));
    conversation.frame({ ...frame, lines: [...frame.lines], scrolled: [], isResized: false }, []);
    if (log.take().length > 0) throw new Violation(`window ${index}: the same window twice changed something`);
    if (changes.length > 0) {
      for (const message of changes) known.set(message.id, message);
      sorted = [...known.values()].toSorted((one, other) => orderOf(one) - orderOf(other));
      keeps(before, sorted, { said, window: index });
      const now = acknowledged(sorted);
      // What stood on one screen only may have been an accident of drawing.
      before = now.filter(({ id }) => last.some((message) => message.id === id));
      last = now;
    }
    const fault = isEach && isWhole ? silentFault(said, sorted) : null;
    if (fault !== null) throw new Violation(`window ${index} (${name}): ${fault}`);
  }
  const isMarked = sorted.some(({ isIncomplete }) => isIncomplete);
  return { messages: sorted, fault: silentFault(history.said, sorted), isMarked };
}

const lineOf = ({ id, role, text, isIncomplete }: ChatMessage): string =>
  `   ${id} ${role}${isIncomplete ? " (incomplete)" : ""}: ${JSON.stringify(text)}`;

/** A message that was right, and of which there are not enough now, has lost words. */
function keeps(
  before: readonly ChatMessage[],
  now: readonly ChatMessage[],
  { said, window }: { readonly said: readonly Said[]; readonly window: number },
): void {
  let at = -1;
  for (const { id, role, text } of before) {
    const place = now.findIndex((message) => message.id === id);
    const found = now[place];
    if (found === undefined || found.role !== role) throw new Violation(`window ${window}: ${id} has another role`);
    if (found.text !== text && !squash(found.text).includes(squash(text))) {
      const key = role + squash(text);
      const wanted = said.filter((message) => keyOf(message) === key).length;
      if (now.filter((message) => message.role + squash(message.text) === key).length < wanted)
        throw new Violation(`window ${window}: ${id} lost words: ${JSON.stringify([text, found.text])}`);
    }
    if (place < at) throw new Violation(`window ${window}: ${id} moved`);
    at = place;
  }
}

/** The messages in front of the last prompt that has an answer. */
function acknowledged(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const said = messages.filter(({ text }) => text !== "");
  const answer = said.findLastIndex(({ role }) => role === "assistant");
  const prompt = said.slice(0, Math.max(0, answer)).findLastIndex(({ role }) => role === "user");
  return said.slice(0, Math.max(0, prompt));
}

/**
 * Tells the messages from the truth at the lowest cost, and returns null if that is nothing: a difference counts unless a message in that
 * place is marked.
 */
function silentFault(said: readonly Said[], all: readonly ChatMessage[]): string | null {
  const messages = all.filter(({ role, text }) => text !== "" && ROLES.has(role));
  const wanted = said.map(keyOf);
  const found = messages.map(({ role, text }) => role + squash(text));
  const isMarked = (index: number): boolean => messages[index]?.isIncomplete === true;
  const isNear = (index: number): boolean => isMarked(index) || isMarked(index - 1);
  // Most conversations are right: only what is between their equal ends is compared.
  let from = 0;
  while (from < wanted.length && wanted[from] === found[from]) from += 1;
  if (from === wanted.length && from === found.length) return null;
  const width = found.length + 1;
  const costs = new Float64Array((wanted.length + 1) * width).fill(Infinity);
  costs[from * width + from] = 0;
  for (let row = from; row <= wanted.length; row += 1)
    for (let index = from; index <= found.length; index += 1) {
      const cost = costs[row * width + index] ?? Infinity;
      const put = (place: number, more: number): void => {
        costs[place] = Math.min(costs[place] ?? Infinity, cost + more);
      };
      if (row < wanted.length && index < found.length && wanted[row] === found[index])
        put((row + 1) * width + index + 1, 0);
      if (row < wanted.length) put((row + 1) * width + index, isNear(index) ? 0 : 1);
      if (index < found.length) put(row * width + index + 1, isNear(index) || isMarked(index + 1) ? 0 : 1);
    }
  const cost = costs.at(-1) ?? 0;
  if (cost === 0) return null;
  const missing = wanted.filter((key) => !found.includes(key));
  const extra = found.filter((key) => !wanted.includes(key));
  const counts = `${wanted.length} said, ${found.length} read`;
  return `${cost} messages differ silently (${counts}): ${JSON.stringify({ missing, extra })}`;
}

const ROLES: ReadonlySet<string> = new Set<Said["role"]>(["user", "assistant", "tool-call", "tool-result"]);

const squash = (text: string): string => text.replaceAll(/\s+/g, "");

const keys = new WeakMap<Said, string>();

function keyOf(said: Said): string {
  let key = keys.get(said);
  if (key === undefined) keys.set(said, (key = said.role + squash(said.words.join(" "))));
  return key;
}
