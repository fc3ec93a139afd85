/** Writes OpenAI Responses. @see https://platform.openai.com/docs/api-reference/responses-streaming */
import { parseJson } from "../../../src/core/json/parse-json.ts";
import type { SseFields } from "../../../src/core/sse/encode-sse-event.ts";
import type { Usage } from "../../../src/core/wire/turn.ts";
import type { CallToWrite, StreamPlace, TurnToWrite } from "./write-turn.ts";

type Payload = { readonly type: string; readonly [field: string]: unknown };
type Item = Payload & { readonly id: string };

export function responsesStream(turn: TurnToWrite, place: StreamPlace): SseFields[] {
  const payloads: Payload[] = [];
  if (!place.opened) payloads.push(created("response.created", turn), created("response.in_progress", turn));
  let index = place.nextIndex;
  if (turn.thinking) payloads.push(...reasoningEvents(turn.thinking, index++, turn));
  if (turn.text !== "") payloads.push(...messageEvents(turn.text, index++, turn));
  for (const call of turn.toolCalls) payloads.push(...callEvents(call, index++));
  if (turn.finish !== "error" && turn.finish !== "truncated") {
    const type = isIncomplete(turn) ? "response.incomplete" : "response.completed";
    payloads.push({ type, response: responsesAnswer(turn) });
  }
  return payloads.map((payload, position) => event({ ...payload, sequence_number: place.nextSequence + position }));
}

export function responsesAnswer(turn: TurnToWrite): object {
  const reason = turn.finish === "content_filter" ? "content_filter" : "max_output_tokens";
  return {
    ...head(turn, isIncomplete(turn) ? "incomplete" : "completed"),
    incomplete_details: isIncomplete(turn) ? { reason } : null,
    output: [
      ...(turn.thinking ? [reasoningItem(turn.thinking, turn)] : []),
      ...(turn.text === "" ? [] : [messageItem(turn.text, turn)]),
      ...turn.toolCalls.map((call) => callItem(call)),
    ],
    usage: turn.usage ? usageOf(turn.usage) : null,
  };
}

const isIncomplete = (turn: TurnToWrite): boolean => turn.finish === "length" || turn.finish === "content_filter";

function created(type: string, turn: TurnToWrite): Payload {
  return { type, response: { ...head(turn, "in_progress"), output: [] } };
}

const head = (turn: TurnToWrite, status: string): object => ({
  id: turn.id,
  object: "response",
  created_at: 0,
  model: turn.model,
  status,
  error: null,
});

function reasoningEvents(text: string, index: number, turn: TurnToWrite): Payload[] {
  const item = reasoningItem(text, turn);
  const at = { item_id: item.id, output_index: index, summary_index: 0 };
  return [
    added({ ...item, summary: [] }, index),
    { type: "response.reasoning_summary_text.delta", ...at, delta: text },
    done(item, index),
  ];
}

function messageEvents(text: string, index: number, turn: TurnToWrite): Payload[] {
  const item = messageItem(text, turn);
  const at = { item_id: item.id, output_index: index, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  return [
    added({ ...item, status: "in_progress", content: [] }, index),
    { type: "response.content_part.added", ...at, part },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part: { ...part, text } },
    done(item, index),
  ];
}

function callEvents(call: CallToWrite, index: number): Payload[] {
  const item = callItem(call);
  if (call.kind === "native") return [added(item, index), done(item, index)];
  const at = { item_id: item.id, output_index: index };
  const isCustom = call.kind === "custom";
  const stem = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const whole = isCustom ? { input: call.argumentsText } : { arguments: call.argumentsText };
  return [
    added(callItem({ ...call, argumentsText: "" }), index),
    { type: `${stem}.delta`, ...at, delta: call.argumentsText },
    { type: `${stem}.done`, ...at, ...whole },
    done(item, index),
  ];
}

const added = (item: Item, index: number): Payload => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});

const done = (item: Item, index: number): Payload => ({ type: "response.output_item.done", output_index: index, item });

function reasoningItem(text: string, turn: TurnToWrite): Item {
  return { id: `rs_${turn.id}`, type: "reasoning", summary: [{ type: "summary_text", text }] };
}

function messageItem(text: string, turn: TurnToWrite): Item {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { id: `msg_${turn.id}`, type: "message", role: "assistant", status: "completed", content };
}

function callItem(call: CallToWrite): Item {
  const base = { call_id: call.id, status: "completed" };
  if (call.kind === "custom") {
    return {
      id: `ctc_${call.id}`,
      type: "custom_tool_call",
      ...base,
      name: call.name,
      input: call.argumentsText,
    };
  }
  if (call.kind === "native") {
    const field = call.name === "apply_patch" ? "operation" : "action";
    const action = parseJson(call.argumentsText || "{}");
    return { id: `nc_${call.id}`, type: `${call.name}_call`, ...base, [field]: action };
  }
  return {
    id: `fc_${call.id}`,
    type: "function_call",
    ...base,
    name: call.name,
    arguments: call.argumentsText,
  };
}

const usageOf = (usage: Usage): object => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cachedInputTokens },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});

function event(payload: Payload): SseFields {
  return { event: payload.type, data: JSON.stringify(payload) };
}
