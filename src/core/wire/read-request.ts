/**
 * Reads a request to a model: the model, whether it streams, and the new parts of the conversation. Agents send the whole conversation
 * each time; new is what follows the model's last turn.
 */
import { asCount, asName, asObject, asText, fieldsOf, objectsIn, stringOf, type JsonObject } from "./shape.ts";
import type { Dialect } from "./turn.ts";

/** One new part of a conversation. */
export type RequestPart =
  | { readonly type: "user"; readonly text: string }
  | {
      readonly type: "tool-result";
      /** Null if the dialect has no id (Gemini). */
      readonly call: string | null;
      /** Null if the dialect names only the call. */
      readonly tool: string | null;
      readonly text: string;
      readonly isError: boolean;
    };

export interface WireRequest {
  /** Null if it is missing, or in the path (Gemini). */
  readonly model: string | null;
  /** From the body; Gemini has it in the path. */
  readonly stream: boolean;
  /** Number of requested answers. */
  readonly choices: number;
  readonly parts: readonly RequestPart[];
  /** How often each tool call id occurs in the conversation so far. */
  readonly pastCalls: ReadonlyMap<string, number>;
}

/** Never throws: fields of a body that is not understood are empty. */
export function readRequest(dialect: Dialect, request: unknown): WireRequest {
  const outer = fieldsOf(request);
  // Code Assist wraps the request.
  const body = dialect === "gemini" ? (asObject(outer["request"]) ?? outer) : outer;
  const messages = messagesOf(dialect, body);
  const lastOfModel = messages.findLastIndex((message) => isOfModel(dialect, message));
  const pastCalls = new Map<string, number>();
  for (const id of messages.flatMap((message) => callIds(dialect, message))) {
    pastCalls.set(id, (pastCalls.get(id) ?? 0) + 1);
  }
  return {
    model: asName(outer["model"]) ?? null,
    stream: body["stream"] === true,
    choices: asCount(body["n"]) ?? asCount(fieldsOf(body["generationConfig"])["candidateCount"]) ?? 1,
    parts: messages.slice(lastOfModel + 1).flatMap((message) => partsOf(dialect, message)),
    pastCalls,
  };
}

function messagesOf(dialect: Dialect, body: JsonObject): readonly JsonObject[] {
  if (dialect === "openai-responses" && typeof body["input"] === "string")
    return [{ role: "user", content: body["input"] }];
  const field = { anthropic: "messages", "openai-chat": "messages", "openai-responses": "input", gemini: "contents" };
  return objectsIn(body[field[dialect]]);
}

function isOfModel(dialect: Dialect, message: JsonObject): boolean {
  if (dialect === "gemini") return message["role"] === "model";
  if (message["role"] !== undefined) return message["role"] === "assistant";
  const type = stringOf(message["type"]);
  return type === "reasoning" || type.endsWith("_call");
}

function callIds(dialect: Dialect, message: JsonObject): string[] {
  const ids = (values: unknown, field = "id"): string[] =>
    objectsIn(values).flatMap((value) => asName(value[field]) ?? []);
  switch (dialect) {
    case "anthropic":
      return ids(objectsIn(message["content"]).filter((block) => block["type"] === "tool_use"));
    case "openai-chat":
      return ids(message["tool_calls"]);
    case "openai-responses":
      return asName(message["type"])?.endsWith("_call") === true ? ids([message], "call_id") : [];
    case "gemini":
      return ids(objectsIn(message["parts"]).map((part) => part["functionCall"]));
  }
}

function partsOf(dialect: Dialect, message: JsonObject): RequestPart[] {
  switch (dialect) {
    case "anthropic":
      return contentOf(message["content"]).flatMap(anthropicPart);
    case "openai-chat":
      return chatParts(message);
    case "openai-responses":
      return responsesParts(message);
    case "gemini":
      return objectsIn(message["parts"]).flatMap(geminiPart);
  }
}

/** Content is a text or a list of parts. */
const contentOf = (content: unknown): readonly JsonObject[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);

function userText(value: unknown): RequestPart[] {
  const text = asName(value);
  return text === undefined ? [] : [{ type: "user", text }];
}

/** The texts below a value, such as those of a tool's result. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const texts = objectsIn(value).map((part) => asText(part["text"]) ?? asText(part["output"]));
  return texts.filter((text) => text !== undefined).join("\n");
}

function anthropicPart(block: JsonObject): RequestPart[] {
  if (block["type"] === "text") return userText(block["text"]);
  if (block["type"] !== "tool_result") return [];
  const call = asName(block["tool_use_id"]) ?? null;
  return [
    { type: "tool-result", call, tool: null, text: textOf(block["content"]), isError: block["is_error"] === true },
  ];
}

function chatParts(message: JsonObject): RequestPart[] {
  if (message["role"] === "user") return contentOf(message["content"]).flatMap((part) => userText(part["text"]));
  if (message["role"] !== "tool") return [];
  const call = asName(message["tool_call_id"]) ?? null;
  return [{ type: "tool-result", call, tool: null, text: textOf(message["content"]), isError: false }];
}

function responsesParts(item: JsonObject): RequestPart[] {
  if (item["role"] === "user") return contentOf(item["content"]).flatMap((part) => userText(part["text"]));
  if (asName(item["type"])?.endsWith("_call_output") !== true) return [];
  const call = asName(item["call_id"]) ?? null;
  return [
    { type: "tool-result", call, tool: null, text: textOf(item["output"]), isError: item["status"] === "failed" },
  ];
}

function geminiPart(part: JsonObject): RequestPart[] {
  const answer = asObject(part["functionResponse"]);
  if (answer === undefined) return part["thought"] === true ? [] : userText(part["text"]);
  const response = fieldsOf(answer["response"]);
  const text = asText(response["output"]) ?? asText(response["error"]) ?? JSON.stringify(response);
  const isError = response["error"] !== undefined;
  return [
    { type: "tool-result", call: asName(answer["id"]) ?? null, tool: asName(answer["name"]) ?? null, text, isError },
  ];
}
