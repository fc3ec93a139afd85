/** `strict-event.ts` for the Responses API. */
import { isClientSearch, nativeTools } from "./read-responses.ts";
import { asList, asName, asObject, fieldsOf, stringOf, type JsonObject } from "./shape.ts";
import { isCallWord, isSomething, KnownFields, misplaced, quoted, speaksOfCall } from "./strict-fields.ts";

const responseFields = new KnownFields(
  "id:text object:text created_at completed_at status:text background billing conversation error incomplete_details instructions " +
    "max_output_tokens max_tool_calls metadata model:text moderation output:list output_text parallel_tool_calls previous_response_id " +
    "prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store temperature text " +
    "tool_choice tool_usage tools top_logprobs top_p truncation usage user frequency_penalty presence_penalty",
);
const eventFields = new KnownFields(
  "type:text sequence_number:number output_index:index content_index:index summary_index:index annotation_index:index item_id:text delta text " +
    "refusal arguments input name part:object item:object response:object annotation logprobs obfuscation code message param error",
);
const messageFields = new KnownFields("type:text id:text role:text status:text content:list phase created_by");
const reasoningFields = new KnownFields("type id summary content encrypted_content status created_by");
const callFields = new KnownFields(
  "type:text id:text call_id:text name:text namespace:text arguments:text input:text status:text caller created_by async:flag",
);
/** Of calls that the API defines and the client executes; other fields of theirs change nothing of what is executed. */
const nativeFields = new KnownFields(
  "type:text id:text call_id:text status:text action:object actions:list operation:object environment pending_safety_checks caller created_by " +
    "max_output_length:number timeout_ms:number",
);
/** Calls that OpenAI's servers run, and items that are not calls. */
const passiveItem =
  /^(?:(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search)_call|mcp_list_tools|mcp_approval_request|additional_tools|tool_search_output|\w+_call_output|compaction|compaction_summary|context_compaction)$/;
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
const argumentsEvent = /^response\.(?:function_call_arguments|custom_tool_call_input)\./;
const argumentsFields = new KnownFields(
  "type:text sequence_number:number output_index:index item_id:text call_id:text delta:text arguments:text input:text name:text obfuscation:text",
);
const itemEvent = /^response\.output_item\.(?:added|done)$/;
const openEvent = /^response\.(?:created|in_progress|queued)$/;
const endEvent = /^response\.(?:completed|incomplete|failed|cancelled)$/;

export function foreignInResponsesEvent(event: JsonObject): string | undefined {
  const type = stringOf(event["type"]);
  const fields = argumentsEvent.test(type) ? argumentsFields : eventFields;
  const foreign = fields.foreignIn(event);
  if (foreign !== undefined) return quoted(foreign);
  const { item, part, response } = event;
  const odd = textFields.find((name) => speaksOfCall(event[name]));
  if (odd !== undefined) return quoted(odd);
  if (item !== undefined && !itemEvent.test(type)) return `an item in the event "${type}"`;
  if (isSomething(response)) {
    if (!openEvent.test(type) && !endEvent.test(type)) return `a response in the event "${type}"`;
    if (openEvent.test(type) && asList(fieldsOf(response)["output"]).length > 0) return `the output in "${type}"`;
    return foreignInResponse(fieldsOf(response));
  }
  if (itemEvent.test(type)) return foreignInItem(item, type.endsWith(".done"));
  if (speaksOfCall(part)) return "a part of the content";
  return isCallWord(type) && !knownEvent.test(type) ? `an event of the type "${type}"` : undefined;
}

export function foreignInResponse(response: JsonObject): string | undefined {
  const foreign = responseFields.foreignIn(response);
  if (foreign !== undefined) return quoted(foreign);
  return asList(response["output"])
    .map((item) => foreignInItem(item, true))
    .find((found) => found !== undefined);
}

/** `isWhole`: the item is over, so that a client may execute it. */
function foreignInItem(value: unknown, isWhole: boolean): string | undefined {
  const item = asObject(value);
  if (item === undefined) return "an item";
  const type = stringOf(item["type"]);
  const of = (field: string | undefined, what = `an item of the type "${type}"`): string | undefined =>
    field === undefined ? undefined : `the field "${field}" of ${what}`;
  if (type === "message" || type === "reasoning") {
    const foreign = of((type === "message" ? messageFields : reasoningFields).foreignIn(item));
    return foreign ?? (speaksOfCall(item["content"]) ? `the content of an item of the type "${type}"` : undefined);
  }
  if (type === "function_call" || type === "custom_tool_call") {
    const nameless = isWhole && asName(item["name"]) === undefined ? "name" : undefined;
    return of(callFields.foreignIn(item) ?? nameless, "a tool call");
  }
  // An unknown call with an id for the client's answer is read with all its fields.
  const isUnknownCall = /._call$/.test(type) && (asName(item["call_id"]) !== undefined || isClientSearch(item));
  const wrong = hasCallParts.test(type) ? undefined : misplaced(item, callParts);
  const field = nativeTools.get(type);
  if (field !== undefined) return of(wrong ?? nativeFields.foreignIn(item) ?? wrongInput(item, { field, isWhole }));
  if (passiveItem.test(type)) return of(wrong ?? (isUnknownCall ? undefined : passiveFields.foreignIn(item)));
  if (isUnknownCall) return undefined;
  return isCallWord(type) || speaksOfCall(item) ? `an item of the type "${type}"` : undefined;
}

/** Arguments of a tool that the API defines: an object, or for a computer a list of actions. */
function wrongInput(item: JsonObject, { field, isWhole }: { field: string; isWhole: boolean }): string | undefined {
  const isGiven = isSomething(item[field]) || isSomething(item["actions"]);
  if (isWhole && !isGiven) return field;
  return isSomething(item["actions"]) && item["type"] !== "computer_call" ? "actions" : undefined;
}
