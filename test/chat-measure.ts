/** How well messages agree with the ground truth of a recording. */
import type { ChatMessage } from "../src/core/chat/message.ts";
import type { Step } from "../src/core/observe/step.ts";

/** What is used of the file beside a recording. */
export interface GroundTruth {
  readonly timeline: readonly TimelineEntry[];
}

interface TimelineEntry {
  readonly role: string;
  readonly kind?: string;
  readonly text?: string;
  readonly name?: string;
  readonly cut?: unknown;
  readonly interrupted?: boolean;
  /** Of an `agent_start`: it goes on with the conversation before, and may show what was said in it. */
  readonly resumes?: boolean;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly meaning?: string;
  readonly isShownAgain?: boolean;
}

type Timeline = readonly TimelineEntry[];

export interface Score {
  readonly expected: number;
  readonly found: number;
  readonly matched: number;
}

export interface ChatScore {
  readonly user: Score;
  readonly assistant: Score;
  readonly tool: Score;
  /** Commands to the agent itself, such as `/clear`. */
  readonly command: Score;
  /** Words of the matching messages that were ever visible, and how many of them were found in order. */
  readonly words: { readonly visible: number; readonly found: number; readonly said: number; readonly foreign: number };
  /** Prompts and answers, and calls that are missing: missing, said twice, cut, or in another place than theirs. */
  readonly wrong: number;
  /** Those of them without a mark: neither they nor a message in their place is incomplete. */
  readonly silent: number;
  /** What did not match, for people. */
  readonly misses: readonly string[];
}

type IsMatch = (expected: string, text: string) => boolean;

interface Expected {
  readonly text: string;
  /** What was cut and then said again: agents may not show it. */
  readonly isOptional?: boolean;
  readonly isInterrupted?: boolean;
}

/** With what an agent that goes on with a conversation may show of it once more: what was said since the last start or clear. */
function withShownAgain({ timeline }: GroundTruth): Timeline {
  let since: TimelineEntry[] = [];
  return timeline.flatMap((entry) => {
    if (entry.kind === "agent_start" && entry.resumes === true) {
      const again = since.filter(({ role, kind }) => role !== "system" && kind === undefined);
      return [entry, ...again.map((one) => ({ ...one, isShownAgain: true }))];
    }
    since = entry.kind === "agent_start" || entry.meaning === "clear" ? [] : [...since, entry];
    return [entry];
  });
}

export function measureChat(truth: GroundTruth, messages: readonly ChatMessage[], steps: readonly Step[]): ChatScore {
  const said = messages.filter(({ text }) => text !== "");
  const seen = new SeenWords(steps);
  const timeline = withShownAgain(truth);
  const misses: string[] = [];
  let [wrong, silent] = [0, 0];
  const words = { visible: 0, found: 0, said: 0, foreign: 0 };
  const score = (name: string, expected: readonly Expected[], role: string, isMatch: IsMatch): Score => {
    const found = said.filter((message) => message.role === role);
    const pairs = aligned(expected, found, isMatch);
    const isPaired = (index: number): boolean => pairs.some(([from, to]) => index >= from && index < to);
    const missed = [...expected.entries()].filter(([index, { isOptional }]) => isOptional !== true && !isPaired(index));
    for (const [index, one] of missed) {
      const isLost =
        !isNeverDrawn(one, seen) && !inPlaceOf(index, pairs, found).some((message) => message.isIncomplete);
      if (isLost) silent += 1;
      if (isLost || !isNeverDrawn(one, seen)) wrong += 1;
      misses.push(`${isLost ? "!" : "-"} ${name} ${one.text.slice(0, 90)}`);
    }
    for (const [index, { id, text }] of found.entries()) {
      const pair = pairs.find(([, , at]) => at === index);
      if (pair === undefined) {
        const isDoubled = role !== "tool-call" && role !== "command" && expected.some((one) => isMatch(one.text, text));
        const isSilent = isDoubled && found[index]?.isIncomplete !== true;
        if (isDoubled) wrong += 1;
        if (isSilent) silent += 1;
        misses.push(`${isSilent ? "!" : "+"} ${name} ${id} ${text.slice(0, 90)}`);
      }
      if (role === "tool-call") continue;
      const wanted = pair === undefined ? [] : expected.slice(pair[0], pair[1]);
      const all = wordsOf(wanted.map((one) => one.text).join("\n"));
      const own = wordsOf(text);
      const inOrder = common(all, own);
      const isSeen = seen.of(all);
      words.visible += all.filter((_, at) => isSeen[at]).length;
      words.found += all.filter((_, at) => isSeen[at] && inOrder.left.has(at)).length;
      words.said += own.length;
      const source = squash(wordsOf(wanted.map((one) => one.text).join("\n")).join(""));
      const isForeign = (word: string, at: number): boolean => !inOrder.right.has(at) && !source.includes(squash(word));
      words.foreign += own.filter((word, at) => isForeign(word, at)).length;
      const lost = all.filter((_, at) => isSeen[at] && !inOrder.left.has(at));
      // What came just before an interruption may not have been drawn any more.
      const missing = wanted.some(({ isInterrupted }) => isInterrupted) ? 0 : all.length - inOrder.left.size;
      const isCut = missing > Math.max(2, 0.03 * all.length);
      if (isCut) wrong += 1;
      const isSilent = isCut && found[index]?.isIncomplete !== true;
      if (isSilent) silent += 1;
      if (isCut)
        misses.push(
          `${isSilent ? "! silently" : "-"} ${name} ${id} misses ${missing} words, ${lost.length} of them shown`,
        );
      const foreign = own.filter((word, at) => isForeign(word, at));
      if (pair !== undefined && lost.length + foreign.length > 0)
        misses.push(`~ ${name} ${id} lost: ${lost.slice(0, 8).join(" ")} | foreign: ${foreign.slice(0, 8).join(" ")}`);
    }
    const matched = pairs.reduce((sum, [from, to]) => sum + to - from, 0);
    return { expected: matched + missed.length, found: found.length - pairs.length + matched, matched };
  };
  const isSameText = (expected: string, text: string): boolean => isSameWords(wordsOf(expected), { text, seen });
  const user = score("user", expectedUsers(timeline), "user", isSameText);
  const assistant = score("assistant", expectedAnswers(timeline), "assistant", isSameText);
  const tool = score("tool", expectedTools(timeline), "tool-call", isSameTool);
  const command = score("command", expectedCommands(timeline), "command", isSameText);
  return { user, assistant, tool, command, words, wrong, silent, misses };
}

/** The messages that were found between those in front of the expected one at `index` and those behind it. */
function inPlaceOf(index: number, pairs: readonly Pair[], found: readonly ChatMessage[]): readonly ChatMessage[] {
  const before = pairs.findLast(([, to]) => to <= index)?.[2] ?? -1;
  const behind = pairs.find(([from]) => from > index)?.[2] ?? found.length;
  return found.slice(before + 1, behind);
}

/** It was interrupted before the agent drew any of it. */
const isNeverDrawn = ({ text, isInterrupted = false }: Expected, seen: SeenWords): boolean =>
  isInterrupted && !seen.of(wordsOf(text)).includes(true);

const expectedUsers = (timeline: Timeline): Expected[] =>
  timeline
    .filter(({ role, kind }) => role === "user" && kind === undefined)
    .map(({ text = "", isShownAgain: isOptional = false }) => ({ text, isOptional }));

const expectedCommands = (timeline: Timeline): Expected[] =>
  timeline.filter(({ role, kind }) => role === "user" && kind === "slash_command").map(({ text = "" }) => ({ text }));

const expectedAnswers = (timeline: Timeline): Expected[] =>
  timeline
    .filter(({ role, text = "" }) => role === "assistant" && text.trim() !== "")
    .map(({ text = "", cut, interrupted = false, isShownAgain = false }, index, all) => ({
      text,
      isInterrupted: interrupted,
      isOptional:
        isShownAgain || (cut !== undefined && all[index + 1]?.text?.startsWith(text.trim().slice(0, 40)) === true),
    }));

const expectedTools = (timeline: Timeline): Expected[] =>
  timeline
    .filter(({ role }) => role === "tool")
    .map(({ name = "", input = {}, isShownAgain: isOptional = false }) => {
      const value = input["command"] ?? input["cmd"] ?? input["commands"] ?? Object.values(input)[0] ?? "";
      const text = Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : JSON.stringify(value);
      return { text: `${name} ${text}`, isOptional };
    });

/** `[from, to, index]`: expected ones `from` to before `to` are the message at `index`. */
type Pair = readonly [from: number, to: number, index: number];

/** In order, as many as can be; of two that are alike rather the one that has to be there. */
function aligned(expected: readonly Expected[], found: readonly ChatMessage[], isMatch: IsMatch): Pair[] {
  const best: number[][] = Array.from({ length: expected.length + 1 }, () =>
    Array.from({ length: found.length + 1 }, () => 0),
  );
  const length = (from: number, index: number): number => {
    for (let count = 3; count > 0; count -= 1) {
      const part = expected.slice(from, from + count);
      const all = part.map(({ text }) => text);
      // Each of them, and all of them: the same answer three times is not three answers in one.
      const isWhole = count === 1 || [...all, all.join("\n")].every((text) => holds(found[index]!.text, text));
      if (part.length === count && isWhole && isMatch(part.map(({ text }) => text).join("\n"), found[index]!.text))
        return count;
    }
    return 0;
  };
  const weight = (from: number, count: number): number =>
    expected.slice(from, from + count).reduce((sum, { isOptional }) => sum + (isOptional === true ? 0.5 : 1), 0);
  const lengths = expected.map((_, from) => found.map((_message, index) => length(from, index)));
  for (let from = expected.length - 1; from >= 0; from -= 1)
    for (let index = found.length - 1; index >= 0; index -= 1) {
      const count = lengths[from]![index]!;
      const taken = count === 0 ? 0 : weight(from, count) + best[from + count]![index + 1]!;
      best[from]![index] = Math.max(best[from + 1]![index]!, best[from]![index + 1]!, taken);
    }
  const pairs: Pair[] = [];
  let [from, index] = [0, 0];
  while (from < expected.length && index < found.length) {
    const count = lengths[from]![index]!;
    if (count > 0 && best[from]![index] === weight(from, count) + best[from + count]![index + 1]!) {
      pairs.push([from, from + count, index]);
      from += count;
      index += 1;
    } else if (best[from + 1]![index] === best[from]![index]) from += 1;
    else index += 1;
  }
  return pairs;
}

/** Most words of `part` stand in `text`. */
function holds(text: string, part: string): boolean {
  const words = wordsOf(part);
  return common(words, wordsOf(text)).left.size >= 0.8 * words.length;
}

/** Words that were never shown cannot be found; of an answer a part must have been shown. */
function isSameWords(
  one: readonly string[],
  { text, seen }: { readonly text: string; readonly seen: SeenWords },
): boolean {
  const other = wordsOf(text);
  if (one.length === 0 || other.length === 0) return one.length === other.length;
  const isSeen = seen.of(one);
  const shown = one.filter((_, at) => isSeen[at]);
  const length = Math.max(shown.length === 0 ? one.length : shown.length, other.length);
  return common(one, other).left.size / length >= 0.7;
}

function isSameTool(expected: string, text: string): boolean {
  const [name = "", ...rest] = expected.split(" ");
  const input = squash(rest.join(" "));
  const shown = squash(text);
  if (input !== "" && shown.includes(input.slice(0, 24))) return true;
  const file = /[\w.-]+\.\w+$/.exec(rest.join(" "))?.[0];
  if (file !== undefined && shown.includes(file)) return true;
  return new RegExp(`^(${name.split("_")[0]}|${name})`, "i").test(text.trim());
}

const squash = (text: string): string => text.replaceAll(/[\s"']+/g, "");

/** Words without what markdown renderers take away. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/^\s*```.*$/gm, " ")
    .replaceAll(/^\s*>\s/gm, " ")
    .replaceAll(/[*`~_\\[\]]/g, "")
    .replaceAll(/[#|\u2500-\u257F▎▌•◦]/g, " ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .flatMap((word) => word.split(/(?<=[\u3000-\u9FFF\uAC00-\uD7AF])/u))
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((word) => word !== "");
}

/** What was on the screen at some time: runs of words that stood in a row. */
class SeenWords {
  readonly #runs = new Set<string>();

  constructor(steps: readonly Step[]) {
    const lines = new Set<string>();
    for (const step of steps) {
      if (step.type !== "frame") continue;
      for (const { text } of [...step.frame.scrolled, ...step.frame.lines]) lines.add(text);
    }
    for (const line of lines) {
      const words = wordsOf(line);
      for (let from = 0; from < words.length; from += 1)
        for (let length = 1; length <= runLength; length += 1)
          this.#runs.add(words.slice(from, from + length).join(" "));
    }
  }

  /** For each of the words: it was seen with its neighbours, or with one of them at the end of a row. */
  of(words: readonly string[]): boolean[] {
    const length = Math.min(runLength, words.length);
    const isSeen = words.map(() => false);
    for (let from = 0; from + length <= words.length; from += 1)
      if (this.#runs.has(words.slice(from, from + length).join(" "))) isSeen.fill(true, from, from + length);
    return isSeen;
  }
}
const runLength = 4;

/** Places of the longest common subsequence in both. */
function common(one: readonly string[], other: readonly string[]): { left: Set<number>; right: Set<number> } {
  const best: Uint16Array[] = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      best[i]![j] = one[i] === other[j] ? 1 + best[i + 1]![j + 1]! : Math.max(best[i + 1]![j]!, best[i]![j + 1]!);
  const [left, right] = [new Set<number>(), new Set<number>()];
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length)
    if (one[i] === other[j]) {
      left.add(i);
      right.add(j);
      i += 1;
      j += 1;
    } else if (best[i + 1]![j]! >= best[i]![j + 1]!) i += 1;
    else j += 1;
  return { left, right };
}
