/** Writes Gemini generateContent. @see https://ai.google.dev/api/generate-content */
import { parseJson } from "../../../src/core/json/parse-json.ts";
import type { SseFields } from "../../../src/core/sse/encode-sse-event.ts";
import type { Finish, Usage } from "../../../src/core/wire/turn.ts";
import type { CallToWrite, TurnToWrite } from "./write-turn.ts";

const reasons: Readonly<Record<Finish, string | null>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  error: null,
  truncated: null,
};

/** One chunk for each part, and a last one with the reason and the usage. */
export function geminiStream(turn: TurnToWrite): SseFields[] {
  const chunks = partsOf(turn).map((part) => chunkOf(turn, [part], null));
  if (reasons[turn.finish] !== null) chunks.push(chunkOf(turn, [], reasons[turn.finish]));
  return chunks.map((chunk) => ({ data: JSON.stringify(chunk) }));
}

export function geminiAnswer(turn: TurnToWrite): object {
  return chunkOf(turn, partsOf(turn), reasons[turn.finish]);
}

function partsOf(turn: TurnToWrite): object[] {
  return [
    ...(turn.thinking ? [{ text: turn.thinking, thought: true }] : []),
    ...(turn.text === "" ? [] : [{ text: turn.text }]),
    ...turn.toolCalls.map(functionCall),
  ];
}

function functionCall(call: CallToWrite): object {
  const id = call.idSynthetic === true ? {} : { id: call.id };
  return { functionCall: { ...id, name: call.name, args: parseJson(call.argumentsText || "{}") } };
}

function chunkOf(turn: TurnToWrite, parts: readonly object[], reason: string | null): object {
  return {
    candidates: [{ content: { role: "model", parts }, ...(reason !== null && { finishReason: reason }), index: 0 }],
    ...(turn.usage && { usageMetadata: usageOf(turn.usage) }),
    modelVersion: turn.model,
    responseId: turn.id,
  };
}

const usageOf = (usage: Usage): object => ({
  promptTokenCount: usage.inputTokens,
  candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
  thoughtsTokenCount: usage.reasoningTokens,
  cachedContentTokenCount: usage.cachedInputTokens,
  totalTokenCount: usage.inputTokens + usage.outputTokens,
});
