/** OpenAI Responses: a message item takes the place of each refused call, at its output index and in the whole response. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { denialText, type DeniedTurn, type ParsedEvent, unchanged } from "./denied-turn.ts";
import { asList, asName, asObject, type JsonObject } from "./shape.ts";
import type { Turn } from "./turn.ts";

const callEvents = /^response\.(?:function_call_arguments|custom_tool_call_input|.+_call_arguments)\./;

export function denyResponsesEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  /** The output indexes of refused calls, or their item ids, and whether the message that replaces each was written. */
  const refused = new Map<unknown, boolean>();
  const allowed = new Set<unknown>();
  const written = events.flatMap((parsed): ParsedEvent[] => {
    const payload = parsed.payload ?? {};
    const item = asObject(payload["item"]);
    const key = payload["output_index"] ?? payload["item_id"] ?? item?.["id"];
    const type = asName(payload["type"]) ?? "";
    if (item !== undefined && isClientCall(item)) {
      const text = textOf(item, denied);
      if (text === undefined) {
        allowed.add(key);
        return [parsed];
      }
      const isWritten = refused.has(key);
      refused.set(key, true);
      return isWritten ? [] : messageEvents(messageOf(item, text), payload["output_index"]);
    }
    if (callEvents.test(type) && !allowed.has(key)) return [];
    const response = asObject(payload["response"]);
    if (response?.["output"] === undefined) return [parsed];
    return [{ event: parsed.event, payload: { ...payload, response: denyResponsesAnswer(response, denied) } }];
  });
  return renumbered(written, events).map(unchanged);
}

export function denyResponsesAnswer(body: JsonObject, denied: DeniedTurn): JsonObject {
  const output = asList(body["output"]).map((value) => {
    const item = asObject(value) ?? {};
    const text = isClientCall(item) ? textOf(item, denied) : undefined;
    return text === undefined ? value : messageOf(item, text);
  });
  return { ...body, output };
}

/**
 * True where the events give a call other arguments than those that were read: a call is spoken of up to three times, and a
 * client may take any of them.
 */
export function contradictsCalls(events: readonly ParsedEvent[], turn: Turn): boolean {
  const known = new Map(turn.toolCalls.map((call) => [call.id, call.argumentsText]));
  const items = events.flatMap(({ payload }) => [
    ...asList(asObject(payload?.["response"])?.["output"]),
    ...(payload?.["type"] === "response.output_item.done" ? [payload["item"]] : []),
  ]);
  return items.some((value) => {
    const item = asObject(value) ?? {};
    const text = asName(item["arguments"]) ?? asName(item["input"]);
    return text !== undefined && isClientCall(item) && known.get(asName(item["call_id"]) ?? "") !== text;
  });
}

/** Calls that the client executes; those of the provider's own servers have no `call_id`. */
const isClientCall = (item: JsonObject): boolean =>
  (asName(item["type"]) ?? "").endsWith("_call") &&
  (asName(item["call_id"]) !== undefined || /^(?:function|custom_tool)_call$/.test(asName(item["type"]) ?? ""));

/** Undefined where the call is allowed. */
function textOf(item: JsonObject, { denials, turn }: DeniedTurn): string | undefined {
  const id = asName(item["call_id"]) ?? asName(item["id"]);
  const call = turn.toolCalls.find((each) => each.id === id);
  const reason = call === undefined ? "it has no id" : denials.get(call.slot);
  return reason === undefined ? undefined : denialText(call ?? { name: asName(item["name"]) ?? "" }, reason);
}

function messageOf(item: JsonObject, text: string): JsonObject {
  const id = asName(item["call_id"]) ?? asName(item["id"]) ?? "call";
  const content = [{ type: "output_text", text, annotations: [] }];
  return { id: `msg_denied_${id}`, type: "message", role: "assistant", status: "completed", content };
}

function messageEvents(item: JsonObject, outputIndex: unknown): ParsedEvent[] {
  const [part] = asList(item["content"]).map((value) => asObject(value) ?? {});
  const text = asName(part?.["text"]) ?? "";
  const at = { item_id: item["id"], output_index: outputIndex, content_index: 0 };
  const payloads = [
    {
      type: "response.output_item.added",
      output_index: outputIndex,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: outputIndex, item },
  ];
  return payloads.map((payload) => ({
    event: { event: payload.type, data: "", id: "" },
    payload: { ...payload, sequence_number: 0 },
  }));
}

/** Sequence numbers go on without a hole from where the held events began. */
function renumbered(written: readonly ParsedEvent[], events: readonly ParsedEvent[]): ParsedEvent[] {
  const first = events.find(({ payload }) => typeof payload?.["sequence_number"] === "number")?.payload;
  let next = first?.["sequence_number"];
  return written.map(({ event, payload }) => {
    if (typeof next !== "number" || payload === undefined) return { event, payload };
    return { event, payload: { ...payload, sequence_number: next++ } };
  });
}
