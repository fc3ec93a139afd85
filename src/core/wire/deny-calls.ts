/**
 * Replaces each refused tool call of a turn by a text, in the dialect of the turn. Everything else stays as it came.
 *
 * Parts of calls that do not belong to an allowed call are dropped, so that no call passes that was not judged.
 */
import { parseJson } from "../json/parse-json.ts";
import { encodeSseEvent, type SseFields } from "../sse/encode-sse-event.ts";
import type { SseEvent } from "../sse/sse-reader.ts";
import { denyAnthropicAnswer, denyAnthropicEvents } from "./deny-anthropic.ts";
import { denyChatAnswer, denyChatEvents } from "./deny-chat.ts";
import { denyGeminiAnswer, denyGeminiEvents } from "./deny-gemini.ts";
import { type Agreement, agreementOf, denyResponsesAnswer, denyResponsesEvents } from "./deny-responses.ts";
import type { DeniedTurn, ParsedEvent } from "./denied-turn.ts";
import { asObject, fieldsOf, type JsonObject } from "./shape.ts";
import type { Dialect, Turn } from "./turn.ts";

/** The events of a stream with their parsed data, if that is an object. */
export const parsedEvents = (events: readonly SseEvent[]): ParsedEvent[] =>
  events.map((event) => ({ event, payload: parsedObject(event.data) }));

/** Edits the events of a stream, from the first one that concerns a call. */
export const denyInStream = (dialect: Dialect, events: readonly ParsedEvent[], denied: DeniedTurn): string =>
  editors[dialect].events(events, denied).map(encodeSseEvent).join("");

/** Whether the raw events of a turn give its calls the arguments that were judged, wherever they give any. */
export const agreement = (dialect: Dialect, events: () => readonly ParsedEvent[], turn: Turn): Agreement =>
  dialect === "openai-responses" ? agreementOf(events(), turn) : "agree";

/** Edits the JSON body of an answer that was not streamed, which may be Gemini's list of chunks. */
export function denyInAnswer(dialect: Dialect, body: string, denied: DeniedTurn): string {
  const value = parseJson(body, { textCharsMax: Infinity });
  if (Array.isArray(value)) {
    const events = value.map((item) => ({ event: emptyEvent, payload: asObject(item) }));
    return `[${denyGeminiEvents(events, denied)
      .map(({ data }) => data)
      .join(",")}]`;
  }
  return JSON.stringify(editors[dialect].answer(fieldsOf(value), denied));
}

const emptyEvent: SseEvent = { event: "message", data: "", id: "" };

function parsedObject(data: string): JsonObject | undefined {
  // The reader has parsed the same data before: what is not JSON here is a marker such as [DONE].
  return data.trimStart().startsWith("{") ? asObject(parseJson(data, { textCharsMax: Infinity })) : undefined;
}

interface Editor {
  readonly events: (events: readonly ParsedEvent[], denied: DeniedTurn) => SseFields[];
  readonly answer: (body: JsonObject, denied: DeniedTurn) => JsonObject;
}

const editors: Readonly<Record<Dialect, Editor>> = {
  anthropic: { events: denyAnthropicEvents, answer: denyAnthropicAnswer },
  "openai-chat": { events: denyChatEvents, answer: denyChatAnswer },
  "openai-responses": { events: denyResponsesEvents, answer: denyResponsesAnswer },
  gemini: { events: denyGeminiEvents, answer: denyGeminiAnswer },
};
