/** The request for the next turn of a conversation, in each dialect: where it goes and what stands in it. */
import { parseJson } from "../json/parse-json.ts";
import type { JsonObject } from "./shape.ts";
import type { Dialect, ToolCall } from "./turn.ts";

/** What a tool gave back. */
export interface ToolResultMessage {
  readonly call: string;
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** One step of a conversation. */
export type ConversationMessage =
  | { readonly type: "user"; readonly text: string }
  | {
      readonly type: "assistant";
      readonly text: string;
      /** Only calls whose arguments are whole JSON: an API takes no others back. */
      readonly toolCalls: readonly Pick<ToolCall, "id" | "idSynthetic" | "name" | "argumentsText" | "signature">[];
    }
  /** One for each call of the turn before, in its order. */
  | { readonly type: "tool-results"; readonly results: readonly ToolResultMessage[] };

/** A conversation and the tools that the model may call, independent of a dialect. */
export interface RequestToWrite {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: JsonObject }[];
  /** Tokens of the answer. Not sent to the OpenAI dialects, whose models have their own. */
  readonly outputTokensMax: number;
}

/** A request to send: POST `body` as JSON to the base URL plus `path`. `headers` contains the key: do not log them. */
export interface WrittenRequest {
  /** Behind the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The base URL of the API of each vendor. */
export const vendorBaseUrls: Readonly<Record<Dialect, string>> = {
  anthropic: "https://api.anthropic.com",
  "openai-chat": "https://api.openai.com/v1",
  "openai-responses": "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com",
};

/**
 * Writes the request for a streamed turn. Without a key it has no header for one.
 *
 * @example
 * ```ts
 * const { path, headers, body } = writeRequest("anthropic", request, key);
 * await fetch(`${vendorBaseUrls.anthropic}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
 * ```
 */
export function writeRequest(dialect: Dialect, request: RequestToWrite, key: string | undefined): WrittenRequest {
  const { body, path } = requestOf(dialect, request);
  const headers = { "content-type": "application/json", accept: "text/event-stream", ...keyHeaders(dialect, key) };
  return { path, headers, body };
}

function requestOf(dialect: Dialect, request: RequestToWrite): { readonly path: string; readonly body: JsonObject } {
  switch (dialect) {
    case "anthropic":
      return { path: "/v1/messages", body: anthropicRequest(request) };
    case "openai-chat":
      return { path: "/chat/completions", body: chatRequest(request) };
    case "openai-responses":
      return { path: "/responses", body: responsesRequest(request) };
    case "gemini": {
      const model = encodeURIComponent(request.model);
      return { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: geminiRequest(request) };
    }
  }
}

function keyHeaders(dialect: Dialect, key: string | undefined): Readonly<Record<string, string>> {
  const version: Record<string, string> = dialect === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  if (key === undefined) return version;
  switch (dialect) {
    case "anthropic":
      return { ...version, "x-api-key": key };
    case "gemini":
      return { "x-goog-api-key": key };
    case "openai-chat":
    case "openai-responses":
      return { authorization: `Bearer ${key}` };
  }
}

/** @see https://docs.anthropic.com/en/api/messages */
function anthropicRequest({ messages, model, outputTokensMax, system, tools }: RequestToWrite): JsonObject {
  return {
    model,
    max_tokens: outputTokensMax,
    stream: true,
    system,
    messages: messages.map(anthropicMessage),
    tools: tools.map(({ description, name, schema }) => ({ name, description, input_schema: schema })),
  };
}

function anthropicMessage(message: ConversationMessage): JsonObject {
  switch (message.type) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant": {
      const calls = message.toolCalls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: argumentsOf(call.argumentsText),
      }));
      // An empty text block is refused.
      const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
      return { role: "assistant", content: [...text, ...calls] };
    }
    case "tool-results": {
      const results = message.results.map(({ call, failed, text }) => ({
        type: "tool_result",
        tool_use_id: call,
        content: text,
        ...(failed && { is_error: true }),
      }));
      return { role: "user", content: results };
    }
  }
}

/** @see https://platform.openai.com/docs/api-reference/chat */
function chatRequest({ messages, model, system, tools }: RequestToWrite): JsonObject {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "system", content: system }, ...messages.flatMap(chatMessages)],
    tools: tools.map(({ description, name, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
  };
}

function chatMessages(message: ConversationMessage): JsonObject[] {
  switch (message.type) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant": {
      const calls = message.toolCalls.map(({ argumentsText, id, name }) => ({
        id,
        type: "function",
        function: { name, arguments: argumentsText || "{}" },
      }));
      const content = message.text === "" && calls.length > 0 ? null : message.text;
      return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case "tool-results":
      return message.results.map(({ call, text }) => ({ role: "tool", tool_call_id: call, content: text }));
  }
}

/** @see https://platform.openai.com/docs/api-reference/responses */
function responsesRequest({ messages, model, system, tools }: RequestToWrite): JsonObject {
  return {
    model,
    stream: true,
    store: false,
    instructions: system,
    input: messages.flatMap(responsesItems),
    tools: tools.map(({ description, name, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
      strict: false,
    })),
  };
}

function responsesItems(message: ConversationMessage): JsonObject[] {
  switch (message.type) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant": {
      const calls = message.toolCalls.map(({ argumentsText, id, name }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: argumentsText || "{}",
      }));
      return message.text === "" ? calls : [{ role: "assistant", content: message.text }, ...calls];
    }
    case "tool-results":
      return message.results.map(({ call, text }) => ({ type: "function_call_output", call_id: call, output: text }));
  }
}

/** @see https://ai.google.dev/api/generate-content */
function geminiRequest({ messages, outputTokensMax, system, tools }: RequestToWrite): JsonObject {
  const declarations = tools.map(({ description, name, schema }) => ({
    name,
    description,
    parametersJsonSchema: schema,
  }));
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: messages.map((message, index) => geminiContent(message, messages[index - 1])),
    ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
    generationConfig: { maxOutputTokens: outputTokensMax },
  };
}

function geminiContent(message: ConversationMessage, before: ConversationMessage | undefined): JsonObject {
  switch (message.type) {
    case "user":
      return { role: "user", parts: [{ text: message.text }] };
    case "assistant": {
      const calls = message.toolCalls.map((call) => ({
        functionCall: { ...geminiId(call), name: call.name, args: argumentsOf(call.argumentsText) },
        ...(call.signature !== null && { thoughtSignature: call.signature }),
      }));
      return { role: "model", parts: [...(message.text === "" ? [] : [{ text: message.text }]), ...calls] };
    }
    case "tool-results": {
      const calls = before?.type === "assistant" ? before.toolCalls : [];
      const parts = message.results.map(({ call, failed, text, tool }) => {
        const made = calls.find(({ id }) => id === call);
        const response = failed ? { error: text } : { output: text };
        return { functionResponse: { ...(made && geminiId(made)), name: tool, response } };
      });
      return { role: "user", parts };
    }
  }
}

/** Gemini does not know ids that the reader made up. */
const geminiId = ({ id, idSynthetic }: Pick<ToolCall, "id" | "idSynthetic">): { readonly id?: string } =>
  idSynthetic ? {} : { id };

const argumentsOf = (text: string): unknown => (text.trim() === "" ? {} : parseJson(text));
