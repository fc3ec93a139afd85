/** Writes Anthropic Messages. @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
import { parseJson } from "../../../src/core/json/parse-json.ts";
import type { SseFields } from "../../../src/core/sse/encode-sse-event.ts";
import type { Finish, Usage } from "../../../src/core/wire/turn.ts";
import type { CallToWrite, StreamPlace, TurnToWrite } from "./write-turn.ts";

const reasons: Readonly<Record<Finish, string | null>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  error: null,
  truncated: null,
};

export function anthropicStream(turn: TurnToWrite, place: StreamPlace): SseFields[] {
  const events: SseFields[] = place.opened ? [] : [event({ type: "message_start", message: openMessage(turn) })];
  let index = place.nextIndex;
  const block = (start: object, delta: object | null): void => {
    events.push(event({ type: "content_block_start", index, content_block: start }));
    if (delta !== null) events.push(event({ type: "content_block_delta", index, delta }));
    events.push(event({ type: "content_block_stop", index }));
    index += 1;
  };
  if (turn.thinking) {
    block({ type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: turn.thinking });
  }
  if (turn.text !== "") block({ type: "text", text: "" }, { type: "text_delta", text: turn.text });
  for (const call of turn.toolCalls) {
    const delta = { type: "input_json_delta", partial_json: call.argumentsText };
    block({ type: "tool_use", id: call.id, name: call.name, input: {} }, call.argumentsText === "" ? null : delta);
  }
  const reason = reasons[turn.finish];
  if (reason === null) return events;
  const usage = usageOf(turn.usage ?? null);
  events.push(event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage }));
  return [...events, event({ type: "message_stop" })];
}

export function anthropicAnswer(turn: TurnToWrite): object {
  const content = [
    ...(turn.thinking ? [{ type: "thinking", thinking: turn.thinking, signature: "" }] : []),
    ...(turn.text === "" ? [] : [{ type: "text", text: turn.text }]),
    ...turn.toolCalls.map(toolUse),
  ];
  const usage = usageOf(turn.usage ?? null);
  return { ...openMessage(turn), content, stop_reason: reasons[turn.finish], stop_sequence: null, usage };
}

function openMessage(turn: TurnToWrite): object {
  return {
    id: turn.id,
    type: "message",
    role: "assistant",
    model: turn.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usageOf(turn.usage ?? null), output_tokens: 0 },
  };
}

const toolUse = (call: CallToWrite): object => ({
  type: "tool_use",
  id: call.id,
  name: call.name,
  input: parseJson(call.argumentsText || "{}"),
});

function usageOf(usage: Usage | null): object {
  if (usage === null) return { input_tokens: 0, output_tokens: 0 };
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
  };
}

function event(payload: { readonly type: string; readonly [field: string]: unknown }): SseFields {
  return { event: payload.type, data: JSON.stringify(payload) };
}
