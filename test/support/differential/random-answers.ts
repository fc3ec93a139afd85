/** Turns made by chance: texts, and calls with arguments of any JSON. */
import { type SseEvent, SseReader } from "../../../src/core/sse/sse-reader.ts";
import type { Dialect } from "../../../src/core/wire/turn.ts";
import { writeAnswer, writeTurn, type TurnToWrite } from "../wire/write-turn.ts";
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import type { Random } from "./random.ts";

export function randomAnswer(dialect: Dialect, random: Random): BaseAnswer {
  const turn: TurnToWrite = {
    id: "turn_1",
    model: "m",
    text: random.chance(0.6) ? randomText(random) : "",
    ...(random.chance(0.3) && { thinking: randomText(random) }),
    toolCalls: Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
      id: `call_${index}`,
      name: random.pick(["shell", "read_file", "f", "g"]),
      argumentsText: random.chance(0.1) ? "" : JSON.stringify(randomObject(random, 2)),
    })),
    finish: random.pick(["tool_calls", "tool_calls", "tool_calls", "stop", "length", "truncated"]),
    usage: { inputTokens: 9, outputTokens: 12, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  };
  const name = "a turn made by chance";
  if (random.chance(0.25))
    return { dialect, name, isStream: false, events: [{ data: JSON.parse(writeAnswer(dialect, turn)) as unknown }] };
  return { dialect, name, isStream: true, events: eventsOf(writeTurn(dialect, turn)) };
}

const eventsOf = (texts: readonly string[]): StreamEvent[] =>
  new SseReader().feed(new TextEncoder().encode(texts.join(""))).map(eventOf);

function eventOf({ data, event }: SseEvent): StreamEvent {
  return { ...(event !== "message" && { event }), data: data.startsWith("{") ? (JSON.parse(data) as unknown) : data };
}

const words = [
  "ls -la",
  "a",
  "",
  "données",
  "日本",
  "\u{1f600}",
  '"',
  "\\",
  "\n",
  "\u2028",
  "\u0000",
  "</x>",
  "data: x",
  "[DONE]",
  "{",
  "event: ping",
];

const randomText = (random: Random): string =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick(words)).join(" ");

function randomValue(random: Random, depth: number): unknown {
  if (depth > 0 && random.chance(0.3)) return randomObject(random, depth - 1);
  if (depth > 0 && random.chance(0.2))
    return Array.from({ length: random.below(3) }, () => randomValue(random, depth - 1));
  return random.pick<unknown>([randomText(random), 0, -1.5, 1e21, true, false, null, "x"]);
}

const randomObject = (random: Random, depth: number): object =>
  Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      random.pick(["command", "path", "a", "name", "type", "é", "arguments"]),
      randomValue(random, depth),
    ]),
  );
