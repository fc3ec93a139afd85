/** The providers of the AI SDK: what they give out, and what `streamText` and `generateText` of `ai` execute of it. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, streamText, tool, type ToolSet } from "ai";
import type { SeenCall } from "./answer.ts";
import type { LibraryReader, SeenViews } from "./libraries.ts";
import { callOf } from "./seen-call.ts";

type Fetch = typeof globalThis.fetch;
type Model = ReturnType<ReturnType<typeof createAnthropic>>;

/** A provider by itself, which is quick. */
const providerReader =
  (modelOf: (fetch: Fetch) => Model): LibraryReader =>
  async (isStream, fetch): Promise<SeenViews> => {
    const calls: SeenCall[] = [];
    const model = modelOf(fetch);
    const add = (part: {
      type: string;
      toolName?: string;
      input?: unknown;
      providerExecuted?: boolean | undefined;
    }): void => {
      if (part.type === "tool-call" && part.providerExecuted !== true) calls.push(seenCall(part.toolName, part.input));
    };
    const options = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "Do it" }] }] };
    try {
      if (isStream) for await (const part of (await model.doStream(options)).stream) add(part);
      else for (const part of (await model.doGenerate(options)).content) add(part);
    } catch {
      // What it gave out before counts.
    }
    return { calls };
  };

/** With the tools that are executed. */
const executingReader =
  (modelOf: (fetch: Fetch) => Model): LibraryReader =>
  async (isStream, fetch): Promise<SeenViews> => {
    const executed: SeenCall[] = [];
    const options = { model: modelOf(fetch), prompt: "Do it", tools: toolsFor(executed), maxRetries: 0 };
    try {
      if (isStream) await streamText({ ...options, onError: () => undefined }).consumeStream();
      else await generateText(options);
    } catch {
      // What it executed before counts.
    }
    return { executed };
  };

/** The provider wraps the arguments of the tools that the Responses API defines. */
function seenCall(name: unknown, text: unknown): SeenCall {
  const call = callOf(name, text);
  const field = nativeFields[call.name];
  const isWrapped = field !== undefined && typeof call.input === "object" && call.input !== null;
  const inner = isWrapped ? (call.input as Record<string, unknown>)[field] : undefined;
  return inner === undefined ? call : { name: call.name, input: inner, isPart: true };
}

const nativeFields: Readonly<Record<string, string>> = {
  local_shell: "action",
  shell: "action",
  apply_patch: "operation",
};

const anyInput = jsonSchema({});

const toolsFor = (executed: SeenCall[]): ToolSet =>
  Object.fromEntries(
    ["shell", "read_file", "planted", "patch", "f", "g", "x", "local_shell", "apply_patch"].map((name) => [
      name,
      tool({
        inputSchema: anyInput,
        execute: async (input: unknown) => {
          executed.push(seenCall(name, input));
          return "done";
        },
      }),
    ]),
  );

const settings = (fetch: Fetch): { apiKey: string; baseURL: string; fetch: Fetch } => ({
  apiKey: "k",
  baseURL: "http://localhost/v1",
  fetch,
});

const models = {
  anthropic: (fetch: Fetch) => createAnthropic(settings(fetch))("m"),
  chat: (fetch: Fetch) => createOpenAI(settings(fetch)).chat("m"),
  responses: (fetch: Fetch) => createOpenAI(settings(fetch)).responses("m"),
  compatible: (fetch: Fetch) => createOpenAICompatible({ ...settings(fetch), name: "compatible" }).chatModel("m"),
  google: (fetch: Fetch) => createGoogleGenerativeAI(settings(fetch))("m"),
} satisfies Record<string, (fetch: Fetch) => Model>;

const readersOf = (
  make: (modelOf: (fetch: Fetch) => Model) => LibraryReader,
): Record<keyof typeof models, LibraryReader> => ({
  anthropic: make(models.anthropic),
  chat: make(models.chat),
  responses: make(models.responses),
  compatible: make(models.compatible),
  google: make(models.google),
});

export const aiSdkProviders = readersOf(providerReader);
export const aiSdkExecution = readersOf(executingReader);
