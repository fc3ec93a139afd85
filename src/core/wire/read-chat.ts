/**
 * OpenAI Chat Completions, with the variations of compatible servers. Only the first choice is read, because agents request one.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
import {
  asCount,
  asIndex,
  asList,
  asName,
  asObject,
  asText,
  fieldsOf,
  objectsIn,
  stringOf,
  type JsonObject,
} from "./shape.ts";
import { isPlainChunk } from "./strict-chat.ts";
import type { Finish } from "./turn.ts";
import type { TurnBuilder } from "./turn-builder.ts";

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  tool_use: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  error: "error",
};

/** Of the old field for one call: no other call has it. */
const functionCallIndex = -1;

/** The data of the last event of a stream. */
export const chatDone = "[DONE]";

/** Reads one chunk of a stream, or a whole answer, which has `message` instead of `delta`. */
export function readChatChunk(chunk: JsonObject, turn: TurnBuilder): void {
  turn.identify(chunk["id"], chunk["model"]);
  const choice = firstChoice(asList(chunk["choices"]));
  if (choice !== undefined) {
    const delta = asObject(choice["delta"]) ?? asObject(choice["message"]);
    if (delta !== undefined) readDelta(delta, turn);
    const hasCalls =
      turn.strict && delta !== undefined && (asList(delta["tool_calls"]).length > 0 || delta["function_call"]);
    if (hasCalls && (turn.hasFinish || !isPlainChunk(chunk))) turn.slots.ambiguous = true;
    const finish = asName(choice["finish_reason"]);
    if (finish !== undefined) turn.setFinish(finishes[finish] ?? "error", finish);
  }
  const usage = asObject(chunk["usage"]);
  if (usage !== undefined) readUsage(usage, turn);
  // After the choices, because some clients accept a call beside an error.
  const error = asObject(chunk["error"]) ?? (asText(chunk["error"]) === undefined ? undefined : chunk);
  if (error !== undefined) readError(error, turn);
}

function firstChoice(choices: readonly unknown[]): JsonObject | undefined {
  for (const value of choices) {
    const choice = asObject(value);
    if (choice !== undefined && (choice["index"] ?? 0) === 0) return choice;
  }
  return undefined;
}

/** Loops over the fields, because a delta has one or two of many. */
function readDelta(delta: JsonObject, turn: TurnBuilder): void {
  for (const field of Object.keys(delta)) {
    const value = delta[field];
    switch (field) {
      case "content":
        readContent(value, turn);
        break;
      case "refusal":
        turn.addText(stringOf(value));
        break;
      case "reasoning_content":
        turn.addThinking(stringOf(value));
        break;
      case "reasoning": // Another name for the same, which some servers send as well.
        if (asText(delta["reasoning_content"]) === undefined) turn.addThinking(stringOf(value));
        break;
      case "tool_calls":
        readCalls(objectsIn(value), turn);
        break;
      case "function_call":
        if (asObject(value) !== undefined) readCall({ index: functionCallIndex, function: value }, turn);
        break;
      default:
    }
  }
}

function readContent(content: unknown, turn: TurnBuilder): void {
  if (typeof content === "string") turn.addText(content);
  else for (const part of objectsIn(content)) turn.addText(stringOf(part["text"]));
}

function readCalls(calls: readonly JsonObject[], turn: TurnBuilder): void {
  let isFurther = false;
  for (const call of calls) {
    readCall(call, turn, isFurther);
    isFurther = true;
  }
}

function readCall(call: JsonObject, turn: TurnBuilder, isFurther = false): void {
  const custom = asObject(call["custom"]);
  const body = custom ?? fieldsOf(call["function"]);
  const index = asIndex(call["index"]);
  const id = asName(call["id"]);
  const name = asName(body["name"]);
  const text = asText(custom === undefined ? body["arguments"] : body["input"]) ?? argumentsAsText(body["arguments"]);
  const known = turn.slots.find({ index, id, name, text, isFurther });
  const kind = custom === undefined ? "function" : "custom";
  const slot = known ?? turn.openCall(index, { ...(id && { id }), ...(name && { name }), kind });
  turn.slots.adoptId(slot, id);
  // Some clients add arguments that come before the name to another call.
  if (known?.name === "" && known.text !== "" && name !== undefined) turn.slots.ambiguous = true;
  // The name that opened it is not a further piece.
  if (known !== undefined) turn.extendName(slot, name);
  turn.appendArguments(slot, text);
}

/** Some servers send arguments as an object instead of a text. */
const argumentsAsText = (value: unknown): string => (asObject(value) === undefined ? "" : JSON.stringify(value));

function readUsage(usage: JsonObject, turn: TurnBuilder): void {
  turn.setUsage({
    inputTokens: asCount(usage["prompt_tokens"]),
    outputTokens: asCount(usage["completion_tokens"]),
    cachedInputTokens: asCount(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]),
    reasoningTokens: asCount(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
  });
}

function readError(error: JsonObject, turn: TurnBuilder): void {
  const type = asName(error["type"]) ?? asName(error["code"]) ?? "error";
  turn.fail(type, asText(error["message"]) ?? asText(error["error"]) ?? null);
}
