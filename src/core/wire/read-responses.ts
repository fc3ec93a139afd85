/**
 * OpenAI Responses. A call occurs in several events: item added, deltas, arguments done, item done, and in the whole response at the
 * end. Any of them may be the only one with the arguments, and a later one corrects an earlier one.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { asCount, asIndex, asName, asObject, asText, fieldsOf, objectsIn, stringOf, type JsonObject } from "./shape.ts";
import { nameIn } from "./tool-schemas.ts";
import type { ToolSlot } from "./turn.ts";
import type { TurnBuilder } from "./turn-builder.ts";

/** Tools that the API defines and the client executes, and the fields with their arguments. */
export const nativeTools: ReadonlyMap<string, string> = new Map([
  ["local_shell_call", "action"],
  ["shell_call", "action"],
  ["computer_call", "action"],
  ["apply_patch_call", "operation"],
]);

/** What a computer does in one call: one action, or several. */
const actionsField = "actions";

/** An item of another call type with a `call_id` waits for an answer of the client. */
const unknownCall = /^(?!function_call$|custom_tool_call$).+_call$/;

export class ResponsesReader {
  /** The text of the open part came in deltas, so the event that ends it is redundant. */
  #hasTextDeltas = false;

  read(event: JsonObject, turn: TurnBuilder): void {
    switch (event["type"]) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#hasTextDeltas = true;
        return turn.addText(stringOf(event["delta"]));
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return addArguments(slotOf(event, turn), stringOf(event["delta"]), turn);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return turn.addThinking(stringOf(event["delta"]));
      case "response.content_part.added":
        this.#hasTextDeltas = false;
        return;
      case "response.output_text.done":
        if (!this.#hasTextDeltas) turn.addText(stringOf(event["text"]));
        this.#hasTextDeltas = false;
        return;
      case "response.function_call_arguments.done":
      case "response.custom_tool_call_input.done":
        return setArguments(slotOf(event, turn), event, turn);
      default:
        return readOther(event, turn);
    }
  }
}

function addArguments(slot: ToolSlot, text: string, turn: TurnBuilder): void {
  if (!slot.isWhole) turn.appendArguments(slot, text);
}

function setArguments(slot: ToolSlot, event: JsonObject, turn: TurnBuilder): void {
  const name = asName(event["name"]);
  // This event has the name without the namespace.
  turn.nameCall(slot, name === undefined ? undefined : nameIn(slot.namespace, name));
  turn.correctArguments(slot, asText(event["arguments"]) ?? stringOf(event["input"]));
  slot.isWhole = true;
}

function readOther(event: JsonObject, turn: TurnBuilder): void {
  const response = fieldsOf(event["response"]);
  switch (event["type"]) {
    case "response.output_item.added":
      readItem(keyOf(event), fieldsOf(event["item"]), turn);
      return;
    case "response.output_item.done": {
      const slot = readItem(keyOf(event), fieldsOf(event["item"]), turn);
      // A client executes a call as often as it is done.
      if (slot?.ended === true && turn.strict) turn.fail("MALFORMED", `The tool call "${slot.name}" is done twice`);
      if (slot !== undefined) turn.endCall(slot);
      return;
    }
    case "response.created":
    case "response.in_progress":
      return turn.identify(response["id"], response["model"]);
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
    case "response.cancelled":
      return endResponse(response, turn, asText(event["type"])?.slice("response.".length));
    case "error":
      return readError(asObject(event["error"]) ?? event, turn);
    default: // Many other events are redundant, and unknown ones are no error.
  }
}

export function readResponse(response: JsonObject, turn: TurnBuilder): void {
  turn.identify(response["id"], response["model"]);
  for (const item of objectsIn(response["output"])) {
    for (const part of objectsIn(item["summary"])) turn.addThinking(stringOf(part["text"]));
  }
  endResponse(response, turn);
}

function readMessage(item: JsonObject, turn: TurnBuilder): void {
  if (item["type"] !== "message") return;
  for (const part of objectsIn(item["content"])) turn.addText(asText(part["text"]) ?? stringOf(part["refusal"]));
}

/**
 * The last event has the whole response: adds text and calls that no other event had. Its name is the status if the response has none,
 * and a failure in any case.
 */
function endResponse(response: JsonObject, turn: TurnBuilder, named?: string): void {
  turn.identify(response["id"], response["model"]);
  if (!turn.hasText) for (const item of objectsIn(response["output"])) readMessage(item, turn);
  const slots = new Set<ToolSlot>();
  for (const [index, item] of objectsIn(response["output"]).entries()) {
    const slot = readItem(index, item, turn);
    if (slot === undefined) continue;
    if (turn.strict && slots.has(slot)) turn.fail("MALFORMED", `The tool call "${slot.name}" is there twice`);
    slots.add(slot);
    turn.endCall(slot);
  }
  readUsage(response["usage"], turn);
  const status = named === "failed" ? named : (asName(response["status"]) ?? named);
  const error = asObject(response["error"]);
  if (error !== undefined || status === "failed" || status === "cancelled") turn.setFinish("error", status ?? null);
  if (error !== undefined) return readError(error, turn);
  const reason = asName(fieldsOf(response["incomplete_details"])["reason"]);
  if (status === "incomplete") {
    turn.setFinish(reason === "content_filter" ? "content_filter" : "length", reason ?? status);
  } else if (status === "completed" || status === undefined) turn.setFinish("stop", status ?? null);
  else return turn.fail(status, null);
  turn.close();
}

/** Undefined if the item is not a call for the client. */
function readItem(key: number | string | undefined, item: JsonObject, turn: TurnBuilder): ToolSlot | undefined {
  const type = stringOf(item["type"]);
  const isUnknown = unknownCall.test(type) && (asName(item["call_id"]) !== undefined || isClientSearch(item));
  const nativeField = nativeTools.get(type) ?? (isUnknown ? "" : undefined);
  if (type !== "function_call" && type !== "custom_tool_call" && nativeField === undefined) {
    // `mcp_call` has the name of the server's tool, the others are named by their type.
    if (type.endsWith("_call")) turn.addServerTool(asName(item["name"]) ?? type.slice(0, -"_call".length));
    return undefined;
  }
  const id = asName(item["call_id"]) ?? asName(item["id"]);
  const namespace = nativeField === undefined ? asName(item["namespace"]) : undefined;
  const ownName = nativeField === undefined ? asName(item["name"]) : type.slice(0, -"_call".length);
  const name = ownName === undefined ? undefined : nameIn(namespace, ownName);
  const itemId = asName(item["id"]);
  const known = turn.slots.withId(id) ?? matching(turn.slots.at(itemId) ?? turn.slots.at(key), id);
  const kind = nativeField === undefined ? (type === "custom_tool_call" ? "custom" : "function") : "native";
  const slot = known ?? turn.openCall(key ?? itemId, { ...(id && { id }), ...(name && { name }), kind });
  turn.slots.bind(itemId, slot);
  turn.slots.adoptId(slot, id);
  if (namespace !== undefined) slot.namespace ??= namespace;
  turn.nameCall(slot, name);
  if (turn.strict && slot.kind !== kind) turn.fail("MALFORMED", `The tool call "${slot.name}" is of two kinds`);
  const native =
    nativeField === undefined ? undefined : (nativeInput(item, nativeField) ?? (isUnknown ? item : undefined));
  const text = native === undefined ? asText(item[kind === "custom" ? "input" : "arguments"]) : JSON.stringify(native);
  turn.correctArguments(slot, text ?? "");
  return slot;
}

function nativeInput(item: JsonObject, field: string): JsonObject | undefined {
  const given = asObject(item[field]);
  const actions = field === "action" && Array.isArray(item[actionsField]) ? { actions: item[actionsField] } : undefined;
  return actions === undefined ? given : { ...given, ...actions };
}

/** Only the server's own search for tools is not the client's; clients need no id for theirs. */
export const isClientSearch = ({ execution, type }: JsonObject): boolean =>
  type === "tool_search_call" && execution !== "server";

/** A call with another id at the same place is another call. */
const matching = (slot: ToolSlot | undefined, id: string | undefined): ToolSlot | undefined =>
  slot === undefined || id === undefined || slot.idSynthetic ? slot : undefined;

/** A known item id is reliable; some servers give each event a new id, some give all calls one index. */
function slotOf(event: JsonObject, turn: TurnBuilder): ToolSlot {
  const key = keyOf(event);
  const known = turn.callAt(asName(event["item_id"])) ?? turn.callAt(key);
  if (known !== undefined) return known;
  // Deltas may come before the item is added.
  const isCustom = asText(event["type"])?.startsWith("response.custom_tool_call") === true;
  return turn.openCall(key, { kind: isCustom ? "custom" : "function" });
}

const keyOf = (event: JsonObject): number | string | undefined =>
  asIndex(event["output_index"]) ?? asName(event["item_id"]);

function readUsage(value: unknown, turn: TurnBuilder): void {
  const usage = asObject(value);
  if (usage === undefined) return;
  turn.setUsage({
    inputTokens: asCount(usage["input_tokens"]),
    outputTokens: asCount(usage["output_tokens"]),
    cachedInputTokens: asCount(fieldsOf(usage["input_tokens_details"])["cached_tokens"]),
    reasoningTokens: asCount(fieldsOf(usage["output_tokens_details"])["reasoning_tokens"]),
  });
}

function readError(error: JsonObject, turn: TurnBuilder): void {
  const type = asName(error["code"]) ?? asName(error["type"]) ?? "error";
  turn.fail(type, asText(error["message"]) ?? null);
}
