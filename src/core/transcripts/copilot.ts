/** Copilot CLI: `session-state/ID/events.jsonl`. A rewind replaces the file by a shorter one. Read up to 1.0.102. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import {
  callEntry,
  compacted,
  ConversationId,
  messageBase,
  messageIds,
  resultEntry,
  rewound,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

const OTHERS =
  /^(?:abort|assistant\.(?:intent|reasoning|turn_end|turn_start|usage)|hook\.(?:end|start)|permission\.(?:completed|requested)|session\.(?:compaction_start|context_changed|handoff|idle|import_legacy|info|mode_changed|model_change|permissions_changed|plan_changed|resume|shutdown|task_complete|title_changed|tools_updated|truncation|usage_info|usage_record|warning|workspace_file_changed)|skill\.invoked|subagent\.(?:completed|deselected|failed|selected|started)|system\.(?:message|notification)|tool\.(?:execution_partial_result|execution_progress|user_requested))$/;

export class CopilotRows implements RowReader {
  readonly #conversation = new ConversationId();
  /** All messages, and those since the beginning of the file. */
  #known = new Set<string>();
  #read = new Set<string>();

  read(row: JsonObject): readonly RecordEntry[] {
    const type = asName(row["type"]) ?? "?";
    const data = asObject(row["data"]) ?? {};
    if (type === "session.start") {
      if (data["sessionId"] !== this.#conversation.value) this.#known = new Set();
      this.#read = new Set();
      return this.#conversation.enter(data["sessionId"]);
    }
    if (type === "session.info" && data["infoType"] === "rewind") {
      const left = [...this.#known].filter((id) => !this.#read.has(id));
      this.#known = new Set(this.#read);
      return rewound(left);
    }
    const agent = asName(data["parentToolCallId"]);
    const entries = entriesOf(type, data, { ...messageBase(row["timestamp"], agent), id: asName(row["id"]) ?? "?" });
    for (const id of messageIds(entries)) {
      this.#known.add(id);
      this.#read.add(id);
    }
    return entries;
  }
}

function entriesOf(
  type: string,
  data: JsonObject,
  { id, ...base }: MessageBase & { readonly id: string },
): readonly RecordEntry[] {
  const text = asText(data["content"]) ?? "";
  switch (type) {
    case "user.message":
      return [{ ...base, id, role: "user", text }];
    case "assistant.message":
      return [
        ...(text === "" ? [] : [{ ...base, id, role: "assistant", text } as const]),
        ...asList(data["toolRequests"]).flatMap((request) => callEntries(asObject(request) ?? {}, base)),
      ];
    case "tool.execution_start":
      return callEntries({ ...data, name: data["toolName"] }, base);
    case "tool.execution_complete": {
      const { error, result, toolCallId } = data;
      const output = asText(asObject(result)?.["content"]) ?? asText(asObject(error)?.["message"]) ?? "";
      return [resultEntry(base, { call: asName(toolCallId) ?? id, text: output })];
    }
    case "session.error":
      return [{ kind: "failed", timeMs: base.timeMs, text: asName(data["message"]) ?? "error" }];
    case "session.compaction_complete":
      return [compacted];
    default:
      return OTHERS.test(type) ? [] : [unknownEntry(type)];
  }
}

/** Both of the request and of its start: a denied call has no start. */
function callEntries({ arguments: input, name, toolCallId }: JsonObject, base: MessageBase): RecordEntry[] {
  const id = asName(toolCallId);
  return id === undefined ? [] : [callEntry(base, id, { input, name })];
}
