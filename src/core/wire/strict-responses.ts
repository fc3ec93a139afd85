/** `strict-event.ts` for the Responses API. */
import { asList, asName, asObject, type JsonObject } from "./shape.ts";
import { isCallWord, KnownFields, speaksOfCall } from "./strict-fields.ts";

const responseFields = new KnownFields(
  "id object created_at completed_at status background billing conversation error incomplete_details instructions " +
    "max_output_tokens max_tool_calls metadata model moderation output output_text parallel_tool_calls previous_response_id " +
    "prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store temperature text " +
    "tool_choice tool_usage tools top_logprobs top_p truncation usage user frequency_penalty presence_penalty",
);
const eventFields = new KnownFields(
  "type sequence_number output_index content_index summary_index annotation_index item_id delta text refusal arguments input " +
    "name part item response annotation logprobs obfuscation code message param error",
);
const messageFields = new KnownFields("type id role status content phase created_by");
const reasoningFields = new KnownFields("type id summary content encrypted_content status created_by");
const callFields = new KnownFields("type id call_id name namespace arguments input status caller created_by");
/** Calls that the client executes; all their fields are read. */
const clientCall = /^(?:local_shell|shell|computer|apply_patch)_call$/;
/** Calls that OpenAI's servers run, and items that are not calls. */
const passiveItem =
  /^(?:(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search)_call|mcp_list_tools|mcp_approval_request|tool_search_output|\w+_call_output|compaction|compaction_summary|context_compaction)$/;
const passiveFields = new KnownFields(
  "type id call_id status action actions queries results code container_id outputs output result name arguments server_label error " +
    "tools approval_request_id execution encrypted_content created_by background output_format quality revised_prompt size",
);
/** Fields by which a client that ignores the type would recognise a call, and the types that have them. */
const callParts = ["name", "arguments", "input"];
const hasCallParts = /^(?:mcp_|tool_search_)|_call_output$/;
/** Events about an item that was added before. */
const knownEvent =
  /^response\.(?:(?:function|custom_tool|mcp)_call_(?:arguments|input)|shell_call_command|apply_patch_call_operation_diff|(?:web_search|file_search|code_interpreter|image_generation|mcp)_call|code_interpreter_call_code|mcp_list_tools)\.\w+$/;
/** Fields of an event that are texts or must not contain calls. */
const textFields = "delta text refusal arguments input name annotation logprobs code message param".split(" ");
const itemEvent = /^response\.output_item\.(?:added|done)$/;
const openEvent = /^response\.(?:created|in_progress|queued)$/;
const endEvent = /^response\.(?:completed|incomplete|failed|cancelled)$/;

export function foreignInResponsesEvent(event: JsonObject): string | undefined {
  const type = asName(event["type"]) ?? "";
  const foreign = eventFields.foreignIn(event);
  if (foreign !== undefined) return `the field "${foreign}"`;
  const { item, part, response } = event;
  const odd = textFields.find((name) => speaksOfCall(event[name]));
  if (odd !== undefined) return `the field "${odd}"`;
  if (item !== undefined && !itemEvent.test(type)) return `an item in the event "${type}"`;
  if (isPresent(response)) {
    if (!openEvent.test(type) && !endEvent.test(type)) return `a response in the event "${type}"`;
    if (openEvent.test(type) && asList(asObject(response)?.["output"]).length > 0) return `the output in "${type}"`;
    return foreignInResponse(asObject(response) ?? {});
  }
  if (itemEvent.test(type)) return foreignInItem(item);
  if (speaksOfCall(part)) return "a part of the content";
  return isCallWord(type) && !knownEvent.test(type) ? `an event of the type "${type}"` : undefined;
}

export function foreignInResponse(response: JsonObject): string | undefined {
  const foreign = responseFields.foreignIn(response);
  if (foreign !== undefined) return `the field "${foreign}"`;
  const output = response["output"] ?? [];
  if (!Array.isArray(output)) return "the output";
  return output.map(foreignInItem).find((found) => found !== undefined);
}

function foreignInItem(value: unknown): string | undefined {
  const item = asObject(value);
  if (item === undefined) return "an item";
  const type = asName(item["type"]) ?? "";
  if (type === "message" || type === "reasoning") {
    const foreign = (type === "message" ? messageFields : reasoningFields).foreignIn(item);
    if (foreign !== undefined) return `the field "${foreign}" of an item of the type "${type}"`;
    return speaksOfCall(item["content"]) ? `the content of an item of the type "${type}"` : undefined;
  }
  if (type === "function_call" || type === "custom_tool_call") {
    const foreign = callFields.foreignIn(item);
    return foreign === undefined ? undefined : `the field "${foreign}" of a tool call`;
  }
  // An unknown call with an id for the client's answer is read with all its fields.
  const misplaced = hasCallParts.test(type) ? undefined : callParts.find((name) => isPresent(item[name]));
  const isRead = clientCall.test(type) || (/._call$/.test(type) && asName(item["call_id"]) !== undefined);
  if (clientCall.test(type) || passiveItem.test(type)) {
    const foreign = misplaced ?? (isRead ? undefined : passiveFields.foreignIn(item));
    return foreign === undefined ? undefined : `the field "${foreign}" of an item of the type "${type}"`;
  }
  if (isRead) return undefined;
  return isCallWord(type) || speaksOfCall(item) ? `an item of the type "${type}"` : undefined;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
