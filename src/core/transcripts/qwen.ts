/** Qwen Code: `projects/DIRECTORY/chats/ID.jsonl`. Read from 0.15, which has no `provenance`, up to 0.24. */
import { asName, asText, fieldsOf, objectsIn, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { RowEntries, type RowReader } from "./row-reader.ts";
import { hasPrompt, SaidRows } from "./said-rows.ts";

export class QwenRows implements RowReader {
  readonly #said = new SaidRows();

  read(row: JsonObject): readonly RecordEntry[] {
    const { parentUuid, sessionId, timestamp, uuid } = row;
    const id = asName(uuid) ?? "?";
    const { all } = entriesOf(row, new RowEntries(timestamp), id);
    const left = this.#said.branch(id, asName(parentUuid) ?? null, all, hasPrompt(all));
    return [...this.#said.enter(sessionId), ...left, ...all];
  }
}

function entriesOf(
  { message, provenance, subtype, systemPayload, type }: JsonObject,
  entries: RowEntries,
  id: string,
): RowEntries {
  const parts = objectsIn(fieldsOf(message)["parts"]);
  const system = fieldsOf(systemPayload);
  switch (type) {
    case "user": {
      entries.parts("user", id, parts);
      const isSaid = provenance === undefined || provenance === "real_user";
      return isSaid ? entries.say("user", id, asText(system["displayText"]) ?? texts(parts, "\n")) : entries;
    }
    case "assistant":
      return entries.say("assistant", id, texts(parts, "")).parts("assistant", id, parts);
    case "tool_result":
      return entries.parts("user", id, parts);
    case "system":
      return systemEntries(subtype, system, { entries, id });
    default:
      return entries.unknown(type);
  }
}

const texts = (parts: readonly JsonObject[], between: string): string =>
  parts.flatMap(({ text, thought }) => (thought === true ? [] : (asText(text) ?? []))).join(between);

function systemEntries(
  subtype: unknown,
  { phase, rawCommand, uiEvent }: JsonObject,
  { entries, id }: { readonly entries: RowEntries; readonly id: string },
): RowEntries {
  if (subtype === "chat_compression") return entries.compacted();
  if (subtype === "slash_command") return phase === "invocation" ? entries.say("command", id, rawCommand) : entries;
  const { error, error_message: message = error, "event.name": name } = fieldsOf(uiEvent);
  return name === "qwen-code.api_error" ? entries.failed(asName(message) ?? "error of the API") : entries;
}
