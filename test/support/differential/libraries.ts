/** What the vendors' libraries make of an answer: each call that they give to their users, who would execute it. */
import type { Dialect } from "../../../src/core/wire/turn.ts";
import type { PassedAnswer, SeenCall } from "./answer.ts";
import { aiSdkExecution, aiSdkProviders } from "./read-with-ai-sdk.ts";
import { anthropicReader } from "./read-with-anthropic.ts";
import { genaiReader } from "./read-with-genai.ts";
import { chatReader, responsesReader } from "./read-with-openai.ts";

/** Ways in which a library shows the calls of one answer to its users; each is compared by itself. */
export type SeenViews = Readonly<Record<string, readonly SeenCall[]>>;

/** `fetch` gives the answer. What a library throws ends its reading and counts for nothing. */
export type LibraryReader = (isStream: boolean, fetch: typeof globalThis.fetch) => Promise<SeenViews>;

type Readers = Readonly<Record<string, LibraryReader>>;

const readers: Readonly<Record<Dialect, Readers>> = {
  anthropic: { "@anthropic-ai/sdk": anthropicReader, "@ai-sdk/anthropic": aiSdkProviders.anthropic },
  "openai-chat": {
    openai: chatReader,
    "@ai-sdk/openai": aiSdkProviders.chat,
    "@ai-sdk/openai-compatible": aiSdkProviders.compatible,
  },
  "openai-responses": { openai: responsesReader, "@ai-sdk/openai": aiSdkProviders.responses },
  gemini: { "@google/genai": genaiReader, "@ai-sdk/google": aiSdkProviders.google },
};

/** `ai` costs several times as much as its providers, whose calls it executes. */
const executing: Readonly<Record<Dialect, Readers>> = {
  anthropic: { "ai with @ai-sdk/anthropic": aiSdkExecution.anthropic },
  "openai-chat": {
    "ai with @ai-sdk/openai": aiSdkExecution.chat,
    "ai with @ai-sdk/openai-compatible": aiSdkExecution.compatible,
  },
  "openai-responses": { "ai with @ai-sdk/openai": aiSdkExecution.responses },
  gemini: { "ai with @ai-sdk/google": aiSdkExecution.google },
};

export interface ReadingOptions {
  readonly isStream: boolean;
  /** Whether tools are executed by `ai` too. */
  readonly executes: boolean;
}

/** By the name of the library and of the view. */
export async function seenByLibraries(
  dialect: Dialect,
  answer: PassedAnswer,
  { executes, isStream }: ReadingOptions,
): Promise<SeenViews> {
  const headers = answer.headers.map(([name, value]): [string, string] => [name, value]);
  const fetch = async (): Promise<Response> =>
    new Response(new Uint8Array(answer.body), { status: answer.status === 0 ? 500 : answer.status, headers });
  const views: Record<string, readonly SeenCall[]> = {};
  for (const [library, read] of Object.entries({ ...readers[dialect], ...(executes && executing[dialect]) })) {
    for (const [view, calls] of Object.entries(await read(isStream, fetch))) views[`${library} ${view}`] = calls;
  }
  return views;
}
