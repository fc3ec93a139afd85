/** Requests to model servers for tests, in each dialect. */
import type { Dialect, Turn } from "../../src/core/wire/turn.ts";
import { readAnswer, WireReader } from "../../src/core/wire/wire-reader.ts";
import type { WireRoute } from "../../src/core/agents/agent-file.ts";

export const dialects: readonly Dialect[] = ["anthropic", "openai-chat", "openai-responses", "gemini"];

export const routeOf: Readonly<Record<Dialect, WireRoute>> = {
  anthropic: "anthropic",
  "openai-chat": "openai",
  "openai-responses": "openai",
  gemini: "gemini",
};

const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };

const tools: Readonly<Record<Dialect, object>> = {
  anthropic: [{ name: "shell", input_schema: schema }],
  "openai-chat": [{ type: "function", function: { name: "shell", parameters: schema } }],
  "openai-responses": [{ type: "function", name: "shell", parameters: schema }],
  gemini: [{ functionDeclarations: [{ name: "shell", parametersJsonSchema: schema }] }],
};

/** The path below the base URL of the route. */
export function pathOf(dialect: Dialect, stream = true): string {
  switch (dialect) {
    case "anthropic":
      return "/v1/messages";
    case "openai-chat":
      return "/chat/completions";
    case "openai-responses":
      return "/responses";
    case "gemini":
      return `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  }
}

/** A request with one text of the user and one tool, `shell`. */
export function bodyOf(dialect: Dialect, stream = true, text = "Do it"): Record<string, unknown> {
  const offered = { tools: tools[dialect] };
  if (dialect === "gemini") return { ...offered, contents: [{ role: "user", parts: [{ text }] }] };
  if (dialect === "openai-responses") return { ...offered, model: "m", stream, input: text };
  return { ...offered, model: "m", stream, max_tokens: 100, messages: [{ role: "user", content: text }] };
}

export function post(url: string, body: object, init: RequestInit = {}): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-secret-of-the-user" };
  return fetch(url, { method: "POST", body: JSON.stringify(body), ...init, headers: { ...headers, ...init.headers } });
}

/** The turn in an answer, and its bytes. */
export async function turnIn(dialect: Dialect, response: Response): Promise<{ turn: Turn; text: string }> {
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    return { turn: readAnswer(dialect, text).turn, text };
  }
  const reader = new WireReader(dialect);
  reader.feed(new TextEncoder().encode(text));
  reader.end();
  return { turn: reader.turn, text };
}
