/** `strict-event.ts` for Anthropic Messages. */
import { asList, asObject, fieldsOf, stringOf, type JsonObject } from "./shape.ts";
import { isCallWord, isSomething, KnownFields, misplaced, quoted, speaksOfCall } from "./strict-fields.ts";

const messageFieldsOfAnthropic = new KnownFields(
  "id:text type:text role:text model:text content stop_reason:text stop_sequence:text stop_details usage:object container context_management request_id error",
);
const blockStartFields = new KnownFields("type:text index:index content_block:object");
const blockDeltaFields = new KnownFields("type:text index:index delta:object");
const blockStopFields = new KnownFields("type:text index:index");
const endEventFields = new KnownFields("type:text delta:object usage:object context_management");
const endDeltaFields = new KnownFields("stop_reason:text stop_sequence:text stop_details container");
const errorFields = new KnownFields("type error request_id");
const startFields = new KnownFields("type:text message:object");
const toolUseFields = new KnownFields("type:text id:text name:text input:object caller toolset_name cache_control");
const deltas = /^(?:text|thinking|signature|citations|input_json|compaction)_delta$/;
const deltaFields = new KnownFields(
  "type:text text:text thinking:text signature:text citation partial_json:text content encrypted_content",
);
/** Blocks that no client executes: results of tools that Anthropic's servers run. */
const passiveBlock = /^(?:(?:\w+_)?tool_result|container_upload|compaction)$/;
const serverCall = /^(?:server|mcp)_tool_use$/;
const serverCallFields = new KnownFields("type id name input caller cache_control server_name");
const textBlocks: ReadonlyMap<string, KnownFields> = new Map([
  ["text", new KnownFields("type:text text:text citations cache_control")],
  ["thinking", new KnownFields("type:text thinking:text signature:text")],
  ["redacted_thinking", new KnownFields("type:text data:text")],
]);
/** Fields by which a client that ignores the type would recognise a call. */
const callParts = ["name", "input", "arguments"];

export function foreignInAnthropicEvent(event: JsonObject): string | undefined {
  const type = event["type"];
  switch (type) {
    case "content_block_stop":
      return quoted(misplaced(event, ["content_block", "delta"]) ?? blockStopFields.foreignIn(event));
    case "content_block_delta": {
      const { delta } = event;
      const deltaType = String(fieldsOf(delta)["type"]);
      if (isSomething(delta) && !deltas.test(deltaType) && speaksOfCall(delta)) return `the delta "${deltaType}"`;
      const parts = fieldsOf(delta);
      const odd = deltaFields.foreignIn(parts) ?? (speaksOfCall(parts["content"]) ? "content" : undefined);
      if (odd !== undefined) return quoted(odd);
      return quoted(misplaced(event, ["content_block"]) ?? blockDeltaFields.foreignIn(event));
    }
    case "content_block_start":
      return (
        foreignInBlock(event["content_block"]) ??
        quoted(misplaced(event, ["delta"]) ?? blockStartFields.foreignIn(event))
      );
    case "message_start": {
      const message = fieldsOf(event["message"]);
      if (asList(message["content"]).length > 0 || asObject(message["content"]) !== undefined)
        return "the content of message_start";
      return quoted(messageFieldsOfAnthropic.foreignIn(message) ?? startFields.foreignIn(event));
    }
    case "message_delta":
      return quoted(endDeltaFields.foreignIn(fieldsOf(event["delta"])) ?? endEventFields.foreignIn(event));
    case "error":
      return quoted(errorFields.foreignIn(event));
    default: {
      const { error: _, ...rest } = event;
      return speaksOfCall(rest) ? `an event of the type "${String(type)}"` : undefined;
    }
  }
}

export function foreignInMessage(message: JsonObject): string | undefined {
  const foreign = (message["type"] === "error" ? errorFields : messageFieldsOfAnthropic).foreignIn(message);
  if (foreign !== undefined) return quoted(foreign);
  const content = message["content"] ?? [];
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "the content";
  if (content.length > 0 && isSomething(message["error"])) return "an error beside content";
  return content.map(foreignInBlock).find((found) => found !== undefined);
}

function foreignInBlock(value: unknown): string | undefined {
  const block = asObject(value);
  if (block === undefined) return isSomething(value) ? "a content block" : undefined;
  const type = stringOf(block["type"]);
  if (type === "tool_use") {
    // Clients give null to the tool, or no arguments.
    return quoted(toolUseFields.foreignIn(block) ?? (block["input"] === null ? "input" : undefined));
  }
  const known = textBlocks.get(type);
  if (known !== undefined) return quoted(misplaced(block, callParts) ?? known.foreignIn(block));
  if (serverCall.test(type)) return quoted(serverCallFields.foreignIn(block));
  if (passiveBlock.test(type)) return quoted(misplaced(block, callParts));
  return isCallWord(type) || speaksOfCall(block) ? `the content block "${type}"` : undefined;
}
