/** What a request to a model server asks for, in any of the four dialects. */
import type { IncomingHttpHeaders } from "node:http";
import type { AskedFor } from "./scenario.ts";

export type ModelDialect = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; undefined where there was none. */
  readonly body: JsonBody | undefined;
  /** Undefined for requests that are no turn of a model, such as a list of models. */
  readonly turn: TurnRequest | undefined;
}

export interface TurnRequest extends AskedFor {
  readonly dialect: ModelDialect;
  readonly stream: boolean;
}

export type JsonBody = Readonly<Record<string, unknown>>;

/** Undefined where the path is no endpoint that answers with a turn. */
export function turnRequestOf(path: string, body: JsonBody | undefined): TurnRequest | undefined {
  const dialect = dialectOf(path);
  if (dialect === undefined || body === undefined) return undefined;
  const request = dialect === "gemini" ? geminiBody(body) : body;
  return {
    dialect,
    model: typeof body["model"] === "string" ? body["model"] : (/models\/([^:/]+):/.exec(path)?.[1] ?? "scripted"),
    stream: dialect === "gemini" ? path.includes(":streamGenerateContent") : body["stream"] === true,
    tools: listOf(request["tools"]).length > 0 || listOf(request["input"]).some(isToolList),
    last: textOf(sinceTheModel(messagesOf(dialect, request))),
  };
}

function dialectOf(path: string): ModelDialect | undefined {
  const [name = ""] = path.split("?");
  if (name.endsWith("/messages")) return "anthropic";
  if (name.endsWith("/chat/completions")) return "openai-chat";
  if (name.endsWith("/responses")) return "openai-responses";
  return /:(?:streamG|g)enerateContent$/.test(name) ? "gemini" : undefined;
}

/** Code Assist wraps the request. */
const geminiBody = (body: JsonBody): JsonBody => (isObject(body["request"]) ? body["request"] : body);

/** Codex gives the tools of newer models as an item of the conversation. */
const isToolList = (item: unknown): boolean => isObject(item) && item["type"] === "additional_tools";

function messagesOf(dialect: ModelDialect, body: JsonBody): readonly unknown[] {
  if (dialect === "gemini") return listOf(body["contents"]);
  if (dialect === "openai-responses") {
    return typeof body["input"] === "string" ? [body["input"]] : listOf(body["input"]);
  }
  return listOf(body["messages"]);
}

/** The messages after the last one of the model: some agents put reminders behind what the user said. */
function sinceTheModel(messages: readonly unknown[]): readonly unknown[] {
  return messages.slice(messages.findLastIndex(isOfModel) + 1);
}

const isOfModel = (message: unknown): boolean =>
  isObject(message) &&
  (message["role"] === "assistant" ||
    message["role"] === "model" ||
    message["type"] === "function_call" ||
    message["type"] === "custom_tool_call" ||
    message["type"] === "reasoning");

/** Every text below a message, also those of tools' results. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  return isObject(value) ? Object.values(value).map(textOf).join("\n") : "";
}

const isObject = (value: unknown): value is JsonBody =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
