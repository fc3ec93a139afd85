/** Anthropic Messages: each refused `tool_use` block is replaced by a text block with its index. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { callsLeft, denialText, type DeniedTurn, type ParsedEvent, unchanged, withData } from "./denied-turn.ts";
import { asList, fieldsOf, stringOf, type JsonObject } from "./shape.ts";

export function denyAnthropicEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  /** Indexes of open refused blocks; an index may be used again. */
  const refused = new Set<unknown>();
  let slot = -1;
  /** Index of the latest block: events without an index belong to it. */
  let latest: unknown;
  return events.flatMap((parsed): SseFields[] => {
    const payload = parsed.payload ?? {};
    const { index = latest } = payload;
    switch (payload["type"]) {
      case "content_block_start": {
        const block = fieldsOf(payload["content_block"]);
        refused.delete(index);
        latest = index;
        if (block["type"] !== "tool_use") return [unchanged(parsed)];
        slot += 1;
        const text = textOf(slot, block, denied);
        if (text === undefined) return [unchanged(parsed)];
        refused.add(index);
        return textBlock(index, text);
      }
      case "content_block_delta":
      case "content_block_stop":
        return refused.has(index) ? [] : [unchanged(parsed)];
      case "message_delta":
        return [withData(parsed.event, { ...payload, delta: endOf(fieldsOf(payload["delta"]), denied) })];
      default:
        return [unchanged(parsed)];
    }
  });
}

export function denyAnthropicAnswer(body: JsonObject, denied: DeniedTurn): JsonObject {
  let slot = -1;
  const content = asList(body["content"]).map((value) => {
    const block = fieldsOf(value);
    if (block["type"] !== "tool_use") return value;
    slot += 1;
    const text = textOf(slot, block, denied);
    return text === undefined ? value : { type: "text", text };
  });
  return { ...endOf(body, denied), content };
}

/** Undefined if the call is allowed. The reader gives each `tool_use` block the next slot. */
function textOf(slot: number, block: JsonObject, { denials, turn }: DeniedTurn): string | undefined {
  const call = turn.toolCalls[slot];
  const reason = call === undefined ? "it was not read" : denials.get(slot);
  return reason === undefined ? undefined : denialText(call ?? { name: stringOf(block["name"]) }, reason);
}

function endOf(ending: JsonObject, denied: DeniedTurn): JsonObject {
  const endsForTools = ending["stop_reason"] === "tool_use" && callsLeft(denied) === 0;
  return endsForTools ? { ...ending, stop_reason: "end_turn" } : ending;
}

function textBlock(index: unknown, text: string): SseFields[] {
  const event = (type: string, rest: object): SseFields => ({
    event: type,
    data: JSON.stringify({ type, index, ...rest }),
  });
  return [
    event("content_block_start", { content_block: { type: "text", text: "" } }),
    event("content_block_delta", { delta: { type: "text_delta", text } }),
    event("content_block_stop", {}),
  ];
}
