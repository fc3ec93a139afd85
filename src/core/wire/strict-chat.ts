/** `strict-event.ts` for OpenAI Chat Completions. */
import { asIndex, asList, asName, asObject, fieldsOf, objectsIn, type JsonObject } from "./shape.ts";
import { isSomething, KnownFields, speaksOfCall } from "./strict-fields.ts";

const chatFields = new KnownFields(
  "id object created model choices usage error system_fingerprint service_tier prompt_filter_results",
);
const choiceFields = new KnownFields(
  "index:index delta:object message:object finish_reason:text native_finish_reason stop_reason logprobs text content_filter_results content_filter_result",
);
const messageFields = new KnownFields(
  "role:text content refusal reasoning reasoning_content reasoning_details tool_calls:list function_call:object name annotations audio images",
);
/** Clients make lists with a place for each index. */
const CALLS_MAX = 10_000;
/** Texts, or lists of parts of a text. */
const textFields = ["content", "refusal", "reasoning", "reasoning_content"];
/** Fields whose parts must not contain calls. */
const choiceParts = ["logprobs", "content_filter_results", "content_filter_result", "finish_reason", "stop_reason"];
const messageParts = ["annotations", "audio", "images", "reasoning_details", "role", "name"];
const chatFunctionFields = new KnownFields("name:text arguments");
const customFields = new KnownFields("name:text input:text");
const chatCallFields = new KnownFields(
  "index:number id:text type:text function:object custom:object extra_content provider_specific_fields",
);

export function foreignInChat(chunk: JsonObject, isStream: boolean): string | undefined {
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
  return (
    foreignInChatMessage(delta) ?? foreignInChatMessage(message) ?? indistinctCall(fieldsOf(message)["tool_calls"])
  );
}

/** Without pieces each call of the list stands for itself, though another has its id. */
function indistinctCall(calls: unknown): string | undefined {
  const ids = new Set<unknown>();
  for (const call of objectsIn(calls)) {
    const body = asObject(call["function"]) ?? asObject(call["custom"]);
    if (asName(body?.["name"]) === undefined) return "a tool call without a name";
    const { id } = call;
    if (asName(id) !== undefined && ids.has(id)) return "two tool calls with one id";
    ids.add(id);
  }
  return undefined;
}

function foreignInChatMessage(value: unknown): string | undefined {
  const message = asObject(value);
  if (message === undefined) return undefined;
  const foreign = messageFields.foreignIn(message);
  if (foreign !== undefined) return `the field "${foreign}"`;
  const odd = textFields.find((name) => typeof message[name] !== "string" && speaksOfCall(message[name]));
  if (odd !== undefined) return `the ${odd}`;
  const part = messageParts.find((name) => speaksOfCall(message[name]));
  if (part !== undefined) return `the field "${part}"`;
  const old = asObject(message["function_call"]);
  return (old === undefined ? undefined : foreignInFunction(old)) ?? firstForeign(message["tool_calls"]);
}

function foreignInChatCall(value: unknown): string | undefined {
  const call = asObject(value);
  if (call === undefined || (isSomething(call["function"]) && isSomething(call["custom"]))) return "a tool call";
  const foreign = chatCallFields.foreignIn(call);
  if (foreign !== undefined) return `the field "${foreign}" of a tool call`;
  const custom = customFields.foreignIn(fieldsOf(call["custom"]));
  return custom === undefined ? foreignInFunction(fieldsOf(call["function"])) : `the field "${custom}" of a tool call`;
}

/** Some servers send the arguments as an object. */
function foreignInFunction(body: JsonObject): string | undefined {
  const { arguments: given } = body;
  const isOdd = isSomething(given) && typeof given !== "string" && asObject(given) === undefined;
  const foreign = isOdd ? "arguments" : chatFunctionFields.foreignIn(body);
  return foreign === undefined ? undefined : `the field "${foreign}" of a tool call`;
}

function firstForeign(calls: unknown): string | undefined {
  for (const call of asList(calls)) {
    const found = foreignInChatCall(call);
    if (found !== undefined) return found;
  }
  return undefined;
}

const plainChunkFields = new Map([
  ["created", "number"],
  ["object", "string"],
  ["id", "string"],
  ["model", "string"],
]);

/**
 * True for a chunk with pieces of calls that all clients read alike. Some check the types of all fields that they know and drop a chunk
 * where one is of another type, and with it a piece of the arguments.
 */
export function isPlainChunk(chunk: JsonObject): boolean {
  for (const [name, type] of plainChunkFields)
    if (isSomething(chunk[name]) && typeof chunk[name] !== type) return false;
  if (isSomething(chunk["error"]) || !isCounts(chunk["usage"])) return false;
  const choice = fieldsOf(asList(chunk["choices"])[0]);
  if (choice["index"] !== 0 || isSomething(choice["logprobs"])) return false;
  const delta = fieldsOf(choice["delta"]);
  const isText = textFields.every((name) => !isSomething(delta[name]) || typeof delta[name] === "string");
  const isOfAssistant = !isSomething(delta["role"]) || delta["role"] === "assistant";
  if (!isText || !isOfAssistant || isSomething(delta["annotations"]) || isSomething(delta["function_call"]))
    return false;
  return objectsIn(delta["tool_calls"]).every(isPlainPiece);
}

function isPlainPiece(call: JsonObject): boolean {
  const body = asObject(call["function"]);
  const isFunction = !isSomething(call["type"]) || call["type"] === "function";
  const index = asIndex(call["index"]) ?? -1;
  if (body === undefined || !isFunction || index < 0 || index >= CALLS_MAX) return false;
  const extra = asObject(call["extra_content"]);
  if (isSomething(call["extra_content"]) && !isPlainExtra(extra)) return false;
  return !isSomething(body["arguments"]) || typeof body["arguments"] === "string";
}

/** Gemini's signature. */
function isPlainExtra(extra: JsonObject | undefined): boolean {
  if (extra === undefined || !isSomething(extra["google"])) return extra !== undefined;
  const google = asObject(extra["google"]);
  return (
    google !== undefined &&
    (!isSomething(google["thought_signature"]) || typeof google["thought_signature"] === "string")
  );
}

/** Numbers, and objects of them: those fields are read that all servers call alike. */
function isCounts(value: unknown): boolean {
  if (!isSomething(value)) return true;
  const counts = asObject(value);
  if (counts === undefined) return false;
  return Object.entries(counts).every(([name, count]) => {
    if (!name.includes("tokens")) return true;
    return name.endsWith("_details") ? isCounts(count) : !isSomething(count) || typeof count === "number";
  });
}
