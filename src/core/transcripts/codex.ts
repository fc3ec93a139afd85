/** Codex: `sessions/YEAR/MONTH/DAY/rollout-TIME-THREAD.jsonl`, and `..._SEGMENT.jsonl` after a rewind. Read up to 0.171. */
import { forgetOldest } from "../forget-oldest.ts";
import { jsonValueOf } from "../json/json-value.ts";
import { asCount, asList, asName, asObject, asText, fieldsOf, stringOf, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { partTexts, RowEntries, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

/** Of older calls the shorter output is reported as well. */
const FINISHED_MAX = 100_000;
/** Codex keeps the beginning and the end of a longer output. */
const OUTPUT_CHARS_MAX = 64 * 1024;
const OTHERS = /^(?:turn_context|world_state|token_usage_record|inter_agent_communication|session_state)$/;
const OTHER_EVENTS =
  /^(?:agent_(?:reasoning|reasoning_raw_content)|context_compacted|entered_review_mode|exec_command_(?:begin|end)|exited_review_mode|item_started|mcp_tool_call_end|patch_apply_end|stream_error|task_started|thread_(?:name_updated|settings_applied)|token_count|turn_aborted|turn_diff|user_message|agent_message|warning|web_search_end)$/;
const OTHER_ITEMS =
  /^(?:DynamicToolCall|FileChange|HookPrompt|ImageGeneration|ImageView|McpToolCall|Plan|Reasoning|SubAgentActivity|WebSearch)$/;

/** Two modes: completed items (`paginated`), before 0.148 events of their own (`legacy`). `response_item` repeats both for the model. */
export class CodexRows implements RowReader {
  readonly #said = new SaidRows();
  #isPaginated = false;
  #forkedFrom: unknown;
  /** Calls whose whole output is known: the model is sent less of it. */
  readonly #finished = new Set<string>();
  #rows = 0;

  read({ ordinal, payload: value, timestamp, type: name }: JsonObject): readonly RecordEntry[] {
    const type = asName(name) ?? "?";
    const payload = fieldsOf(value);
    if (type === "session_meta") return this.#begin(payload);
    const entries = new RowEntries(timestamp);
    if (type === "compacted") return this.#isPaginated ? [] : entries.compacted().all;
    if (type === "event_msg" && payload["type"] === "thread_rolled_back") return this.#rollBack(payload["num_turns"]);
    const row = ++this.#rows;
    if (type === "event_msg") this.#event(payload, entries, row);
    else if (type === "response_item") this.#response(payload, entries);
    else if (!OTHERS.test(type)) entries.unknown(type);
    this.#said.add(`${asCount(ordinal) ?? 0} ${row}`, entries.all);
    return entries.all;
  }

  #begin(meta: JsonObject): readonly RecordEntry[] {
    const base = fieldsOf(meta["history_base"]);
    const id = asName(meta["id"]);
    this.#isPaginated = meta["history_mode"] === "paginated";
    const end = asCount(base["end_ordinal_exclusive"]);
    if (id === this.#said.conversation)
      return base["thread_id"] === id && end !== undefined
        ? this.#said.leave((row) => Number.parseInt(row.id, 10) >= end)
        : [];
    // Older forks copy the conversation with its header.
    if (id !== undefined && id === this.#forkedFrom) return [];
    this.#said.forget();
    this.#forkedFrom = meta["forked_from_id"];
    return this.#said.enter(id, this.#forkedFrom);
  }

  #rollBack(value: unknown): readonly RecordEntry[] {
    const turns = asCount(value) ?? 0;
    const prompts = this.#said.all.filter(({ hasPrompt, messages }) => hasPrompt && messages.size > 0);
    const first = turns === 0 ? undefined : prompts[Math.max(0, prompts.length - turns)];
    const from = first === undefined ? Infinity : this.#said.all.indexOf(first);
    return this.#said.leave((_, index) => index >= from);
  }

  #event(event: JsonObject, entries: RowEntries, row: number): void {
    const type = asName(event["type"]) ?? "?";
    const text = asName(event["message"]);
    if (type === "item_completed") this.#item(event, entries);
    else if (type === "task_complete" || type === "error") {
      const error = type === "error" ? event : (asObject(event["error"]) ?? { message: event["error"] });
      if (asName(error["message"]) !== undefined) entries.failed(error["message"]);
    } else if (!this.#isPaginated && text !== undefined && (type === "user_message" || type === "agent_message"))
      entries.say(type === "user_message" ? "user" : "assistant", `message-${row}`, text);
    else if (!OTHER_EVENTS.test(type)) entries.unknown("event", type);
  }

  #item(event: JsonObject, entries: RowEntries): void {
    const item = fieldsOf(event["item"]);
    const type = asName(item["type"]) ?? "?";
    const id = asName(item["id"]) ?? "?";
    const timeMs = asCount(event["completed_at_ms"]);
    switch (type) {
      case "UserMessage":
      case "AgentMessage":
        entries.say(type === "UserMessage" ? "user" : "assistant", id, partTexts(item["content"]), { timeMs });
        break;
      case "CommandExecution": {
        forgetOldest(this.#finished.add(id), FINISHED_MAX);
        const text = stringOf(item["aggregated_output"]);
        const command = stringOf(asList(item["command"]).at(-1));
        const startedMs = asCount(event["started_at_ms"]) ?? timeMs;
        if (item["source"] === "user_shell") entries.say("command", id, `!${command}`, { timeMs: startedMs });
        entries.result(id, text, { timeMs, isCut: text.length >= OUTPUT_CHARS_MAX });
        break;
      }
      case "ContextCompaction":
        entries.compacted();
        break;
      default:
        if (!OTHER_ITEMS.test(type)) entries.unknown("item", type);
    }
  }

  #response(item: JsonObject, entries: RowEntries): void {
    const call = asName(item["call_id"]) ?? asName(item["id"]);
    const type = asName(item["type"]) ?? "?";
    const { action, arguments: words, input, name, output } = item;
    if (call === undefined) return;
    if (type.endsWith("_call")) entries.call(call, { input: words ?? input ?? action, name: name ?? type });
    if (type.endsWith("_call_output") && !this.#finished.has(call)) entries.result(call, outputText(output));
  }
}

/** A text, a JSON text with `output`, or parts. */
function outputText(output: unknown): string {
  const text = asText(output);
  if (text === undefined) return partTexts(fieldsOf(output)["content"] ?? output);
  return asText(fieldsOf(jsonValueOf(text))["output"]) ?? text;
}
