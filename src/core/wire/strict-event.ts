/**
 * Finds parts of a model's answer that are not understood and could carry a tool call. A reader in front of a gate must not skip them, or
 * a call would pass without a decision. The reference is how vendors' and other client libraries read the same bytes.
 */
import { repeatedKey } from "../json/repeated-key.ts";
import { asList, asName, asObject, type JsonObject } from "./shape.ts";
import { isCallWord, KnownFields, speaksOfCall } from "./strict-fields.ts";
import { foreignInResponse, foreignInResponsesEvent } from "./strict-responses.ts";
import type { Dialect } from "./turn.ts";

/** One event or answer to check. */
export interface StrictPart {
  readonly payload: JsonObject;
  /** Its JSON text, if that was not checked before. */
  readonly text?: string | undefined;
  /** The event's name in the stream; undefined for an answer that is not streamed. */
  readonly event: string | undefined;
}

/** A message that names the first part that is not understood; undefined if there is none. */
export function foreignPart(dialect: Dialect, { event, payload, text }: StrictPart): string | undefined {
  const key = text === undefined ? undefined : repeatedKey(text);
  if (key !== undefined) return `The answer has the field "${short(key)}" twice in one object`;
  const found = foreignIn(dialect, payload, event);
  return found === undefined ? undefined : `The gateway does not understand ${short(found)} of the answer`;
}

function foreignIn(dialect: Dialect, payload: JsonObject, event: string | undefined): string | undefined {
  switch (dialect) {
    case "openai-chat":
      return foreignInChat(payload, event !== undefined);
    case "gemini":
      return foreignInGemini(payload);
    case "anthropic":
      if (event === undefined) return foreignInMessage(payload);
      return otherName(event, payload) ?? foreignInAnthropicEvent(payload);
    case "openai-responses":
      if (event === undefined) return foreignInResponse(payload);
      return otherName(event, payload) ?? foreignInResponsesEvent(payload);
  }
}

/** Some clients use the name of the event and some the type in its data. */
function otherName(event: string, { type }: JsonObject): string | undefined {
  if (type === undefined && event !== "message" && event !== "error") return `the event "${event}" without a type`;
  return event === "message" || type === undefined || type === event
    ? undefined
    : `the event "${event}" with another type`;
}

const chatFields = new KnownFields(
  "id object created model choices usage error system_fingerprint service_tier prompt_filter_results",
);
const choiceFields = new KnownFields(
  "index delta message finish_reason native_finish_reason stop_reason logprobs text content_filter_results content_filter_result",
);
const messageFields = new KnownFields(
  "role content refusal reasoning reasoning_content reasoning_details tool_calls function_call name annotations audio images",
);
/** Texts, or lists of parts of a text. */
const textFields = ["content", "refusal", "reasoning", "reasoning_content"];
/** Fields whose parts must not contain calls. */
const choiceParts = ["logprobs", "content_filter_results", "content_filter_result", "finish_reason", "stop_reason"];
const messageParts = ["annotations", "audio", "images", "reasoning_details", "role", "name"];
const chatFunctionFields = new KnownFields("name arguments");
const chatCallFields = new KnownFields("index id type function custom extra_content provider_specific_fields");

function foreignInChat(chunk: JsonObject, isStream: boolean): string | undefined {
  const foreign = chatFields.foreignIn(chunk);
  if (foreign !== undefined) return `the field "${foreign}"`;
  const choices = chunk["choices"] ?? [];
  if (!Array.isArray(choices)) return "the choices";
  if (choices.length === 0) return undefined;
  const choice = asObject(choices[0]);
  if (choices.length > 1 || choice === undefined || (choice["index"] ?? 0) !== 0) return "choices beside the first one";
  const other = choiceFields.foreignIn(choice);
  if (other !== undefined) return `the field "${other}"`;
  const { delta, message, text } = choice;
  if (typeof text !== "string" && speaksOfCall(text)) return "the text of a choice";
  if (isSomething(delta) && isSomething(message)) return "a delta beside a message";
  // Clients disagree about which of the two counts; a stream has deltas, another answer a message.
  if (isStream && isSomething(message)) return "a message in a stream";
  if (!isStream && isSomething(delta)) return "a delta in an answer that is not streamed";
  const part = choiceParts.find((name) => speaksOfCall(choice[name]));
  if (part !== undefined) return `the field "${part}"`;
  return foreignInChatMessage(delta) ?? foreignInChatMessage(message);
}

function foreignInChatMessage(value: unknown): string | undefined {
  if (!isSomething(value)) return undefined;
  const message = asObject(value);
  if (message === undefined) return "a message that is no object";
  const foreign = messageFields.foreignIn(message);
  if (foreign !== undefined) return `the field "${foreign}"`;
  const odd = textFields.find((name) => typeof message[name] !== "string" && speaksOfCall(message[name]));
  if (odd !== undefined) return `the ${odd}`;
  const part = messageParts.find((name) => speaksOfCall(message[name]));
  if (part !== undefined) return `the field "${part}"`;
  const old = message["function_call"];
  if (isSomething(old) && asObject(old) === undefined) return "the function_call";
  const calls = message["tool_calls"] ?? [];
  if (!Array.isArray(calls)) return "the tool_calls";
  return calls.map(foreignInChatCall).find((found) => found !== undefined);
}

function foreignInChatCall(value: unknown): string | undefined {
  const call = asObject(value);
  if (call === undefined || (isSomething(call["function"]) && isSomething(call["custom"]))) return "a tool call";
  const foreign = chatCallFields.foreignIn(call) ?? chatFunctionFields.foreignIn(asObject(call["function"]) ?? {});
  return foreign === undefined ? undefined : `the field "${foreign}" of a tool call`;
}

const geminiFields = new KnownFields(
  "candidates promptFeedback usageMetadata modelVersion modelStatus responseId createTime error",
);
const wrappedFields = new KnownFields("response traceId metadata remainingCredits consumedCredits error");
const candidateFields = new KnownFields(
  "content finishReason finishMessage index safetyRatings citationMetadata groundingMetadata groundingAttributions " +
    "urlContextMetadata avgLogprobs logprobsResult tokenCount",
);
const partFields = new KnownFields(
  "text thought thoughtSignature functionCall functionResponse inlineData fileData executableCode codeExecutionResult " +
    "videoMetadata mediaResolution partMetadata",
);
const geminiCallFields = new KnownFields("name args id partialArgs willContinue");
const contentFields = new KnownFields("parts role");

function foreignInGemini(chunk: JsonObject): string | undefined {
  // Code Assist wraps each chunk, but Google's library also reads candidates beside the wrapper.
  const wrapped = chunk["response"];
  const foreign = (isSomething(wrapped) ? wrappedFields : geminiFields).foreignIn(chunk);
  if (foreign !== undefined || (isSomething(wrapped) && isSomething(chunk["candidates"]))) {
    return `the field "${foreign ?? "candidates"}"`;
  }
  if (isSomething(wrapped)) {
    const inner = asObject(wrapped);
    return inner === undefined || isSomething(inner["response"]) ? 'the field "response"' : foreignInGemini(inner);
  }
  const candidates = chunk["candidates"] ?? [];
  if (!Array.isArray(candidates) || candidates.length > 1) return "candidates beside the first one";
  if (candidates.length === 0) return undefined;
  const candidate = asObject(candidates[0]);
  if (candidate === undefined) return "a candidate";
  const field = candidateFields.foreignIn(candidate);
  return field === undefined ? foreignInContent(candidate["content"]) : `the field "${field}"`;
}

function foreignInContent(value: unknown): string | undefined {
  if (!isSomething(value)) return undefined;
  const content = asObject(value);
  const parts = content?.["parts"] ?? [];
  if (content === undefined || !Array.isArray(parts)) return "the content";
  const other = contentFields.foreignIn(content);
  if (other !== undefined) return `the field "${other}"`;
  for (const part of parts.map(asObject)) {
    const call = part?.["functionCall"];
    if (part === undefined || (isSomething(call) && asObject(call) === undefined)) return "a part of the content";
    const foreign = partFields.foreignIn(part) ?? geminiCallFields.foreignIn(asObject(call) ?? {});
    if (foreign !== undefined) return `the field "${foreign}"`;
  }
  return undefined;
}

const messageFieldsOfAnthropic = new KnownFields(
  "id type role model content stop_reason stop_sequence stop_details usage container context_management request_id error",
);
const blockStartFields = new KnownFields("type index content_block");
const blockDeltaFields = new KnownFields("type index delta");
const blockStopFields = new KnownFields("type index");
const endEventFields = new KnownFields("type delta usage context_management");
const endDeltaFields = new KnownFields("stop_reason stop_sequence stop_details container");
const errorFields = new KnownFields("type error request_id");
const startFields = new KnownFields("type message");
const toolUseFields = new KnownFields("type id name input caller cache_control");
const deltas = /^(?:text|thinking|signature|citations|input_json|compaction)_delta$/;
const deltaFields = new KnownFields("type text thinking signature citation partial_json content encrypted_content");
/** Blocks that no client executes: results of tools that Anthropic's servers run. */
const passiveBlock = /^(?:(?:\w+_)?tool_result|container_upload|compaction)$/;
const serverCall = /^(?:server|mcp)_tool_use$/;
const serverCallFields = new KnownFields("type id name input caller cache_control server_name");
const textBlocks: ReadonlyMap<string, KnownFields> = new Map([
  ["text", new KnownFields("type text citations cache_control")],
  ["thinking", new KnownFields("type thinking signature")],
  ["redacted_thinking", new KnownFields("type data")],
]);
/** Fields by which a client that ignores the type would recognise a call. */
const callParts = ["name", "input", "arguments"];

function foreignInAnthropicEvent(event: JsonObject): string | undefined {
  const type = event["type"];
  switch (type) {
    case "content_block_stop":
      return quoted(misplaced(event, ["content_block", "delta"]) ?? blockStopFields.foreignIn(event));
    case "content_block_delta": {
      const { delta } = event;
      const deltaType = String(asObject(delta)?.["type"]);
      if (isSomething(delta) && !deltas.test(deltaType) && speaksOfCall(delta)) return `the delta "${deltaType}"`;
      const parts = asObject(delta) ?? {};
      const odd = deltaFields.foreignIn(parts) ?? (speaksOfCall(parts["content"]) ? "content" : undefined);
      if (odd !== undefined) return quoted(odd);
      return quoted(misplaced(event, ["content_block"]) ?? blockDeltaFields.foreignIn(event));
    }
    case "content_block_start":
      return (
        foreignInBlock(event["content_block"]) ??
        quoted(misplaced(event, ["delta"]) ?? blockStartFields.foreignIn(event))
      );
    case "message_start": {
      const message = asObject(event["message"]) ?? {};
      if (asList(message["content"]).length > 0 || asObject(message["content"]) !== undefined) {
        return "the content of message_start";
      }
      return quoted(messageFieldsOfAnthropic.foreignIn(message) ?? startFields.foreignIn(event));
    }
    case "message_delta":
      return quoted(endDeltaFields.foreignIn(asObject(event["delta"]) ?? {}) ?? endEventFields.foreignIn(event));
    case "error":
      return quoted(errorFields.foreignIn(event));
    default: {
      const { error: _, ...rest } = event;
      return speaksOfCall(rest) ? `an event of the type "${String(type)}"` : undefined;
    }
  }
}

function foreignInMessage(message: JsonObject): string | undefined {
  const foreign = (message["type"] === "error" ? errorFields : messageFieldsOfAnthropic).foreignIn(message);
  if (foreign !== undefined) return quoted(foreign);
  const content = message["content"] ?? [];
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "the content";
  if (content.length > 0 && isSomething(message["error"])) return "an error beside content";
  return content.map(foreignInBlock).find((found) => found !== undefined);
}

function foreignInBlock(value: unknown): string | undefined {
  const block = asObject(value);
  if (block === undefined) return isSomething(value) ? "a content block" : undefined;
  const type = asName(block["type"]) ?? "";
  if (type === "tool_use") return quoted(toolUseFields.foreignIn(block));
  const known = textBlocks.get(type);
  if (known !== undefined) return quoted(misplaced(block, callParts) ?? known.foreignIn(block));
  if (serverCall.test(type)) return quoted(serverCallFields.foreignIn(block));
  if (passiveBlock.test(type)) return quoted(misplaced(block, callParts));
  return isCallWord(type) || speaksOfCall(block) ? `the content block "${type}"` : undefined;
}

/** The first of these fields in an object that must have none of them. */
const misplaced = (object: JsonObject, names: readonly string[]): string | undefined =>
  names.find((name) => isSomething(object[name]));

const quoted = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `the field "${name}"`;

const isSomething = (value: unknown): boolean => value !== undefined && value !== null;

/** Names come from the server, so they are shortened and cleaned. */
const short = (text: string): string => text.slice(0, 200).replaceAll(/\p{Cc}/gu, " ");
