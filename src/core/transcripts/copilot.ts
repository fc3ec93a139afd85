/** Copilot CLI: `session-state/ID/events.jsonl`. A rewind replaces the file by a shorter one. Read up to 1.0.102. */
import { asName, asText, fieldsOf, objectsIn, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { RowEntries, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

const OTHERS =
  /^(?:abort|assistant\.(?:intent|reasoning|turn_end|turn_start|usage)|hook\.(?:end|start)|permission\.(?:completed|requested)|session\.(?:compaction_start|context_changed|handoff|idle|import_legacy|info|mode_changed|model_change|permissions_changed|plan_changed|resume|shutdown|task_complete|title_changed|tools_updated|truncation|usage_info|usage_record|warning|workspace_file_changed)|skill\.invoked|subagent\.(?:completed|deselected|failed|selected|started)|system\.(?:message|notification)|tool\.(?:execution_partial_result|execution_progress|user_requested))$/;

export class CopilotRows implements RowReader {
  readonly #said = new SaidRows();
  /** The rows since the beginning of the file. */
  #read = new Set<string>();

  read({ data: value, id: own, timestamp, type: name }: JsonObject): readonly RecordEntry[] {
    const [type, id] = [asName(name) ?? "?", asName(own) ?? "?"];
    const data = fieldsOf(value);
    if (type === "session.start") {
      if (data["sessionId"] !== this.#said.conversation) this.#said.forget();
      this.#read = new Set();
      return this.#said.enter(data["sessionId"]);
    }
    if (type === "session.info" && data["infoType"] === "rewind")
      return this.#said.leave((row) => !this.#read.has(row.id));
    const entries = entriesOf(type, data, { id, entries: new RowEntries(timestamp, asName(data["parentToolCallId"])) });
    this.#said.add(id, entries.all);
    this.#read.add(id);
    return entries.all;
  }
}

function entriesOf(
  type: string,
  data: JsonObject,
  row: { readonly id: string; readonly entries: RowEntries },
): RowEntries {
  const { content, error, result, toolCallId } = data;
  const { entries, id } = row;
  switch (type) {
    case "user.message":
      return entries.say("user", id, content);
    case "assistant.message":
      entries.say("assistant", id, content);
      // Both of the request and of its start: a denied call has no start.
      for (const { arguments: input, name, toolCallId: call } of objectsIn(data["toolRequests"]))
        entries.call(call, { input, name });
      return entries;
    case "tool.execution_start":
      return entries.call(toolCallId, { input: data["arguments"], name: data["toolName"] });
    case "tool.execution_complete":
      return entries.result(
        asName(toolCallId) ?? id,
        asText(fieldsOf(result)["content"]) ?? fieldsOf(error)["message"],
      );
    case "session.error":
      return entries.failed(data["message"]);
    case "session.compaction_complete":
      return entries.compacted();
    default:
      return OTHERS.test(type) ? entries : entries.unknown(type);
  }
}
