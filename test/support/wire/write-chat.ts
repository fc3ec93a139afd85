/** Writes OpenAI Chat Completions. @see https://platform.openai.com/docs/api-reference/chat-streaming */
import type { SseFields } from "../../../src/core/sse/encode-sse-event.ts";
import type { Finish, Usage } from "../../../src/core/wire/turn.ts";
import type { CallToWrite, StreamPlace, TurnToWrite } from "./write-turn.ts";

const reasons: Readonly<Record<Finish, string | null>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  length: "length",
  content_filter: "content_filter",
  error: null,
  truncated: null,
};

export function chatStream(turn: TurnToWrite, place: StreamPlace): SseFields[] {
  const chunk = (delta: object, finish: string | null = null): SseFields => ({
    data: JSON.stringify({ ...chunkHead(turn), choices: [{ index: 0, delta, finish_reason: finish }] }),
  });
  const events: SseFields[] = place.opened ? [] : [chunk({ role: "assistant", content: "" })];
  if (turn.thinking) events.push(chunk({ reasoning_content: turn.thinking }));
  if (turn.text !== "") events.push(chunk({ content: turn.text }));
  for (const [position, call] of turn.toolCalls.entries()) {
    const index = place.nextIndex + position;
    events.push(chunk({ tool_calls: [{ index, ...callOf({ ...call, argumentsText: "" }) }] }));
    if (call.argumentsText !== "") events.push(chunk({ tool_calls: [{ index, ...textOf(call) }] }));
  }
  const reason = reasons[turn.finish];
  if (reason === null) return events;
  events.push(chunk({}, reason));
  if (turn.usage) {
    events.push({ data: JSON.stringify({ ...chunkHead(turn), choices: [], usage: usageOf(turn.usage) }) });
  }
  return [...events, { data: "[DONE]" }];
}

export function chatAnswer(turn: TurnToWrite): object {
  const message = {
    role: "assistant",
    content: turn.text === "" ? null : turn.text,
    ...(turn.thinking && { reasoning_content: turn.thinking }),
    ...(turn.toolCalls.length > 0 && { tool_calls: turn.toolCalls.map(callOf) }),
  };
  return {
    id: turn.id,
    object: "chat.completion",
    created: 0,
    model: turn.model,
    choices: [{ index: 0, message, finish_reason: reasons[turn.finish] }],
    ...(turn.usage && { usage: usageOf(turn.usage) }),
  };
}

const chunkHead = (turn: TurnToWrite): object => ({
  id: turn.id,
  object: "chat.completion.chunk",
  created: 0,
  model: turn.model,
});

function callOf(call: CallToWrite): object {
  const { id, name, argumentsText } = call;
  if (call.kind === "custom") return { id, type: "custom", custom: { name, input: argumentsText } };
  return { id, type: "function", function: { name, arguments: argumentsText } };
}

function textOf(call: CallToWrite): object {
  return call.kind === "custom"
    ? { custom: { input: call.argumentsText } }
    : { function: { arguments: call.argumentsText } };
}

const usageOf = (usage: Usage): object => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
});
