/** The `@anthropic-ai/sdk` library. */
import Anthropic from "@anthropic-ai/sdk";
import type { SeenCall } from "./answer.ts";
import type { LibraryReader, SeenViews } from "./libraries.ts";

type Json = Readonly<Record<string, unknown>>;

const parameters = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "Do it" }] };

export const anthropicReader: LibraryReader = async (isStream, fetch): Promise<SeenViews> => {
  const client = new Anthropic({ apiKey: "k", baseURL: "http://localhost", maxRetries: 0, fetch, logLevel: "off" });
  if (!isStream) {
    try {
      return { answer: callsIn((await client.messages.create(parameters)).content) };
    } catch {
      return {};
    }
  }
  const blocks: SeenCall[] = [];
  const stream = client.messages.stream(parameters);
  stream.on("contentBlock", (block) => void blocks.push(...callsIn([block])));
  let final: readonly SeenCall[] = [];
  try {
    final = callsIn((await stream.finalMessage()).content);
  } catch {
    // What it gave out before counts.
  }
  return { blocks, final };
};

function callsIn(content: unknown): SeenCall[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((value: unknown): SeenCall[] => {
    const block = (typeof value === "object" && value !== null ? value : {}) as Json;
    return block["type"] === "tool_use" ? [{ name: String(block["name"]), input: block["input"] ?? {} }] : [];
  });
}
