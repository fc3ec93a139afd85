/**
 * OpenAI Chat Completions: the calls are removed from every chunk; the texts and the remaining calls, each in one piece, are inserted
 * before the chunk with the finish reason. Servers number the pieces of calls in too many ways to edit them.
 */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { callsLeft, denialTexts, type DeniedTurn, type ParsedEvent, unchanged, withData } from "./denied-turn.ts";
import { asList, asName, fieldsOf, objectsIn, type JsonObject } from "./shape.ts";
import type { ToolCall } from "./turn.ts";

export function denyChatEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  const extras = extrasOf(events.flatMap(({ payload }) => rawCalls(payload)));
  let isInserted = false;
  return events.flatMap((parsed): SseFields[] => {
    const { event, payload } = parsed;
    const [choice] = objectsIn(payload?.["choices"]);
    if (payload === undefined || choice === undefined) return [unchanged(parsed)];
    const delta = withoutCalls(fieldsOf(choice["delta"]));
    const finish = asName(choice["finish_reason"]);
    // Chunks have no message, but a client that reads one would find the calls in it.
    const { message: _, ...rest } = choice;
    const chunk = (changed: JsonObject): SseFields =>
      withData(event, { ...payload, choices: [{ ...rest, ...changed }] });
    if (finish === undefined) return Object.keys(delta).length === 0 ? [] : [chunk({ delta })];
    const end = chunk({ delta, finish_reason: endOf(finish, denied) });
    if (isInserted) return [end];
    isInserted = true;
    const inserted = replacementDeltas(denied, extras).map((piece) => chunk({ delta: piece, finish_reason: null }));
    return [...inserted, end];
  });
}

export function denyChatAnswer(body: JsonObject, denied: DeniedTurn): JsonObject {
  const choices = asList(body["choices"]).map((value, position) => {
    const { delta: _, ...choice } = fieldsOf(value);
    const message = fieldsOf(choice["message"]);
    if (position > 0) return { ...choice, message: withoutCalls(message) };
    const extras = extrasOf(objectsIn(message["tool_calls"]));
    const content = [asName(message["content"]), ...denialTexts(denied)].filter((text) => text !== undefined);
    const calls = allowedCalls(denied, extras);
    return {
      ...choice,
      message: {
        ...withoutCalls(message),
        content: content.join("\n\n"),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
      finish_reason: endOf(asName(choice["finish_reason"]) ?? "stop", denied),
    };
  });
  return { ...body, choices };
}

/** Deltas with the texts for the refused calls, then with the allowed calls. */
function replacementDeltas(denied: DeniedTurn, extras: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const lead = denied.turn.text === "" ? "" : "\n\n";
  const texts = denialTexts(denied);
  const content = texts.length === 0 ? [] : [{ content: lead + texts.join("\n\n") }];
  const calls = allowedCalls(denied, extras).map((call, index) => ({ tool_calls: [{ index, ...call }] }));
  return [...content, ...calls];
}

const allowedCalls = ({ denials, turn }: DeniedTurn, extras: ReadonlyMap<string, JsonObject>): JsonObject[] =>
  turn.toolCalls.filter(({ slot }) => !denials.has(slot)).map((call) => ({ ...extras.get(call.id), ...bodyOf(call) }));

function bodyOf({ argumentsText, id, kind, name }: ToolCall): JsonObject {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: argumentsText } };
  return { id, type: "function", function: { name, arguments: argumentsText } };
}

const rawCalls = (payload: JsonObject | undefined): JsonObject[] =>
  asList(payload?.["choices"]).flatMap((choice) => objectsIn(fieldsOf(fieldsOf(choice)["delta"])["tool_calls"]));

/** Fields that servers add to calls, by id: Gemini wants its thought signature back. */
function extrasOf(calls: readonly JsonObject[]): Map<string, JsonObject> {
  const extras = new Map<string, JsonObject>();
  for (const { index: _, id, type: _type, function: _function, custom: _custom, ...extra } of calls) {
    const name = asName(id);
    if (name !== undefined) extras.set(name, { ...extras.get(name), ...extra });
  }
  return extras;
}

const withoutCalls = ({ tool_calls: _, function_call: _function, ...rest }: JsonObject): JsonObject => rest;

const endOf = (finish: string, denied: DeniedTurn): string =>
  callsLeft(denied) === 0 && (finish === "tool_calls" || finish === "function_call") ? "stop" : finish;
