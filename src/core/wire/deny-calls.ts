/**
 * A turn without the tool calls that were refused: each is replaced by a text at its place that says so, in the dialect
 * of the turn. Everything else stays as it came.
 *
 * What cannot be matched to an allowed call is left out: a call that this file does not understand is never let through.
 */
import { parseJson } from "../json/parse-json.ts";
import { encodeSseEvent, type SseFields } from "../sse/encode-sse-event.ts";
import type { SseEvent } from "../sse/sse-reader.ts";
import { denyAnthropicAnswer, denyAnthropicEvents } from "./deny-anthropic.ts";
import { denyChatAnswer, denyChatEvents } from "./deny-chat.ts";
import { denyGeminiAnswer, denyGeminiEvents } from "./deny-gemini.ts";
import { contradictsCalls, denyResponsesAnswer, denyResponsesEvents } from "./deny-responses.ts";
import type { DeniedTurn, ParsedEvent } from "./denied-turn.ts";
import { asObject, type JsonObject } from "./shape.ts";
import type { Dialect, Turn } from "./turn.ts";

/** The events of a stream with what their data says, where that is an object. */
export const parsedEvents = (events: readonly SseEvent[]): ParsedEvent[] =>
  events.map((event) => ({ event, payload: parsedObject(event.data) }));

/**
 * The events of a stream, from the first that speaks of a call on.
 *
 * @example
 * ```ts
 * denyInStream("gemini", parsedEvents(events), { turn, denials: new Map([[0, "The rule no-network denies it"]]) });
 * ```
 */
export function denyInStream(dialect: Dialect, events: readonly ParsedEvent[], denied: DeniedTurn): string {
  return streamEditor(dialect)(events, denied).map(encodeSseEvent).join("");
}

/** True where the raw events of a turn give a call other arguments than those that were read, and so judged. */
export function contradicts(dialect: Dialect, events: () => readonly ParsedEvent[], turn: Turn): boolean {
  return dialect === "openai-responses" && contradictsCalls(events(), turn);
}

/** The JSON body of an answer that was not streamed. Gemini's list of chunks is taken too. */
export function denyInAnswer(dialect: Dialect, body: string, denied: DeniedTurn): string {
  const value = parseJson(body, { textCharsMax: Infinity });
  if (Array.isArray(value)) {
    const events = value.map((item) => ({ event: emptyEvent, payload: asObject(item) }));
    return `[${denyGeminiEvents(events, denied)
      .map(({ data }) => data)
      .join(",")}]`;
  }
  return JSON.stringify(answerEditor(dialect)(asObject(value) ?? {}, denied));
}

const emptyEvent: SseEvent = { event: "message", data: "", id: "" };

function parsedObject(data: string): JsonObject | undefined {
  // The reader has read the same data before: what is no JSON here is a mark such as [DONE].
  return data.trimStart().startsWith("{") ? asObject(parseJson(data, { textCharsMax: Infinity })) : undefined;
}

function streamEditor(dialect: Dialect): (events: readonly ParsedEvent[], denied: DeniedTurn) => SseFields[] {
  switch (dialect) {
    case "anthropic":
      return denyAnthropicEvents;
    case "openai-chat":
      return denyChatEvents;
    case "openai-responses":
      return denyResponsesEvents;
    case "gemini":
      return denyGeminiEvents;
  }
}

function answerEditor(dialect: Dialect): (body: JsonObject, denied: DeniedTurn) => JsonObject {
  switch (dialect) {
    case "anthropic":
      return denyAnthropicAnswer;
    case "openai-chat":
      return denyChatAnswer;
    case "openai-responses":
      return denyResponsesAnswer;
    case "gemini":
      return denyGeminiAnswer;
  }
}
