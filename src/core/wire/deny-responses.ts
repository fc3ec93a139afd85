/**
 * OpenAI Responses: each refused call is replaced by a message item, at its output index and in the whole response. An allowed call is
 * written in one piece where it began, because servers number the deltas of calls in too many ways to tell them apart.
 */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { denialText, type DeniedTurn, type ParsedEvent, unchanged } from "./denied-turn.ts";
import { isClientSearch } from "./read-responses.ts";
import { asList, asName, asObject, fieldsOf, objectsIn, stringOf, type JsonObject } from "./shape.ts";
import type { ToolCall, Turn } from "./turn.ts";

const callEvents =
  /^response\.(?:function_call_arguments|custom_tool_call_input|shell_call_command|apply_patch_call_operation_diff|.+_call_arguments)\./;

const wholeArguments: ReadonlySet<unknown> = new Set([
  "response.function_call_arguments.done",
  "response.custom_tool_call_input.done",
]);

export function denyResponsesEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  const items = lastItems(events);
  /** Ids of the calls that were written, whole or as a message. */
  const written = new Set<string | undefined>();
  const edited = events.flatMap((parsed): ParsedEvent[] => {
    const payload = parsed.payload ?? {};
    const item = asObject(payload["item"]);
    if (item !== undefined && isClientCall(item)) {
      const id = idOf(item);
      const call = callOf(item, denied);
      const text = textOf(item, denied);
      if (text === undefined && call?.kind === "native") return [parsed];
      if (written.has(id)) return [];
      written.add(id);
      const outputIndex = payload["output_index"];
      if (text !== undefined || call === undefined) return messageEvents(messageOf(item, text ?? ""), outputIndex);
      return wholeCallEvents(call, items.get(id) ?? item, outputIndex);
    }
    if (callEvents.test(stringOf(payload["type"]))) return [];
    const response = asObject(payload["response"]);
    if (response?.["output"] === undefined) return [parsed];
    return [{ event: parsed.event, payload: { ...payload, response: denyResponsesAnswer(response, denied) } }];
  });
  return renumbered(edited, events).map(unchanged);
}

/** The last event about each call has the most fields. */
function lastItems(events: readonly ParsedEvent[]): Map<string | undefined, JsonObject> {
  const items = new Map<string | undefined, JsonObject>();
  for (const { payload } of events) {
    const item = asObject(payload?.["item"]);
    if (item !== undefined) items.set(idOf(item), item);
  }
  return items;
}

export function denyResponsesAnswer(body: JsonObject, denied: DeniedTurn): JsonObject {
  const output = asList(body["output"]).map((value) => {
    const item = fieldsOf(value);
    if (!isClientCall(item)) return value;
    const text = textOf(item, denied);
    return text === undefined ? wholeItem(item, callOf(item, denied)) : messageOf(item, text);
  });
  return { ...body, output };
}

/**
 * - `agree`: each event that gives a call's complete arguments gives those that were read; up to four events do, and a client may use any
 * - `lack`: in some of them they are missing, so that a client would execute the call without arguments
 * - `contradict`: one of them has others
 */
export type Agreement = "agree" | "lack" | "contradict";

export function agreementOf(events: readonly ParsedEvent[], turn: Turn): Agreement {
  const texts = new Set(turn.toolCalls.map((call) => call.argumentsText));
  const known = new Map(turn.toolCalls.map((call) => [call.id, call.argumentsText]));
  let agreement: Agreement = "agree";
  const compare = (text: string | undefined, isRead: (text: string) => boolean): void => {
    if (isRead(text ?? "")) return;
    if (text !== undefined && text !== "") agreement = "contradict";
    else if (agreement === "agree") agreement = "lack";
  };
  for (const { payload = {} } of events) {
    const isWhole = wholeArguments.has(payload["type"]);
    if (isWhole) compare(asName(payload["arguments"]) ?? asName(payload["input"]), (text) => texts.has(text));
    const isDone = payload["type"] === "response.output_item.done";
    for (const value of [...asList(fieldsOf(payload["response"])["output"]), ...(isDone ? [payload["item"]] : [])]) {
      const item = fieldsOf(value);
      const field = argumentsField.get(item["type"]);
      if (field === undefined) continue;
      const id = asName(item["call_id"]) ?? stringOf(item["id"]);
      compare(asName(item[field]), (text) => known.get(id) === text);
    }
  }
  return agreement;
}

const argumentsField: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
]);

/** An allowed call with the arguments that were judged. */
function wholeItem(item: JsonObject, call: ToolCall | undefined): JsonObject {
  const field = argumentsField.get(item["type"]);
  return field === undefined || call === undefined ? item : { ...item, name: call.name, [field]: call.argumentsText };
}

/** Calls that only the client executes; calls of other types are the client's if they have a `call_id`. */
const clientCalls = /^(?:function|custom_tool|local_shell|shell|computer|apply_patch)_call$/;

const isClientCall = (item: JsonObject): boolean =>
  stringOf(item["type"]).endsWith("_call") &&
  (asName(item["call_id"]) !== undefined || isClientSearch(item) || clientCalls.test(stringOf(item["type"])));

const idOf = (item: JsonObject): string | undefined => asName(item["call_id"]) ?? asName(item["id"]);

const callOf = (item: JsonObject, { turn }: DeniedTurn): ToolCall | undefined =>
  turn.toolCalls.find((each) => each.id === idOf(item));

/** Undefined if the call is allowed. */
function textOf(item: JsonObject, denied: DeniedTurn): string | undefined {
  const call = callOf(item, denied);
  const reason = call === undefined ? "it has no id" : denied.denials.get(call.slot);
  return reason === undefined ? undefined : denialText(call ?? { name: stringOf(item["name"]) }, reason);
}

function messageOf(item: JsonObject, text: string): JsonObject {
  const id = idOf(item) ?? "call";
  const content = [{ type: "output_text", text, annotations: [] }];
  return { id: `msg_denied_${id}`, type: "message", role: "assistant", status: "completed", content };
}

function messageEvents(item: JsonObject, outputIndex: unknown): ParsedEvent[] {
  const [part] = objectsIn(item["content"]);
  const text = stringOf(part?.["text"]);
  const at = { item_id: item["id"], output_index: outputIndex, content_index: 0 };
  return [
    itemEvent("added", { ...item, status: "in_progress", content: [] }, outputIndex),
    eventOf({ type: "response.content_part.added", ...at, part: { ...part, text: "" } }),
    eventOf({ type: "response.output_text.delta", ...at, delta: text }),
    eventOf({ type: "response.output_text.done", ...at, text }),
    eventOf({ type: "response.content_part.done", ...at, part }),
    itemEvent("done", item, outputIndex),
  ];
}

function wholeCallEvents(call: ToolCall, item: JsonObject, outputIndex: unknown): ParsedEvent[] {
  const isCustom = call.kind === "custom";
  const field = isCustom ? "input" : "arguments";
  const type = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const at = { item_id: item["id"], output_index: outputIndex };
  const whole = { ...item, name: call.name, call_id: call.id, [field]: call.argumentsText };
  return [
    itemEvent("added", { ...whole, status: "in_progress", [field]: "" }, outputIndex),
    eventOf({ type: `${type}.delta`, ...at, delta: call.argumentsText }),
    eventOf({ type: `${type}.done`, ...at, [field]: call.argumentsText }),
    itemEvent("done", { ...whole, status: "completed" }, outputIndex),
  ];
}

const itemEvent = (name: "added" | "done", item: JsonObject, outputIndex: unknown): ParsedEvent =>
  eventOf({ type: `response.output_item.${name}`, output_index: outputIndex, item });

const eventOf = (payload: JsonObject & { readonly type: string }): ParsedEvent => ({
  event: { event: payload.type, data: "", id: "" },
  payload: { ...payload, sequence_number: 0 },
});

/** Numbers the events without gaps, from the first held one. */
function renumbered(written: readonly ParsedEvent[], events: readonly ParsedEvent[]): ParsedEvent[] {
  const first = events.find(({ payload }) => typeof payload?.["sequence_number"] === "number")?.payload;
  let next = first?.["sequence_number"];
  return written.map(({ event, payload }) => {
    if (typeof next !== "number" || payload === undefined) return { event, payload };
    return { event, payload: { ...payload, sequence_number: next++ } };
  });
}
