/** Codex: `sessions/YEAR/MONTH/DAY/rollout-TIME-THREAD.jsonl`, and `..._SEGMENT.jsonl` after a rewind. Read up to 0.171. */
import { jsonValueOf } from "../json/json-value.ts";
import { asCount, asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import {
  callEntry,
  compacted,
  ConversationId,
  messageBase,
  partTexts,
  resultEntry,
  rewound,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

/** Messages before these cannot be taken back. */
const SAID_MAX = 100_000;
/** Codex keeps the beginning and the end of a longer output. */
const OUTPUT_CHARS_MAX = 64 * 1024;
const OTHERS = /^(?:turn_context|world_state|token_usage_record|inter_agent_communication|session_state)$/;
const OTHER_EVENTS =
  /^(?:agent_(?:reasoning|reasoning_raw_content)|context_compacted|entered_review_mode|exec_command_(?:begin|end)|exited_review_mode|item_started|mcp_tool_call_end|patch_apply_end|stream_error|task_started|thread_(?:name_updated|settings_applied)|token_count|turn_aborted|turn_diff|user_message|agent_message|warning|web_search_end)$/;
const OTHER_ITEMS =
  /^(?:DynamicToolCall|FileChange|HookPrompt|ImageGeneration|ImageView|McpToolCall|Plan|Reasoning|SubAgentActivity|WebSearch)$/;

interface Said {
  readonly id: string;
  readonly ordinal: number;
  readonly isPrompt: boolean;
}

/** Two modes: completed items (`paginated`), before 0.148 events of their own (`legacy`). `response_item` repeats both for the model. */
export class CodexRows implements RowReader {
  readonly #conversation = new ConversationId();
  #said: Said[] = [];
  #isPaginated = false;
  #forkedFrom: unknown;
  /** Calls whose whole output is known: the model is sent less of it. */
  readonly #finished = new Set<string>();
  #legacyMessages = 0;

  read(row: JsonObject): readonly RecordEntry[] {
    const type = asName(row["type"]) ?? "?";
    const payload = asObject(row["payload"]) ?? {};
    const base = messageBase(row["timestamp"]);
    if (type === "session_meta") return this.#begin(payload);
    if (type === "event_msg") return this.#remember(this.#event(payload, base), asCount(row["ordinal"]) ?? 0);
    if (type === "response_item") return this.#remember(this.#response(payload, base), asCount(row["ordinal"]) ?? 0);
    if (type === "compacted") return this.#isPaginated ? [] : [compacted];
    return OTHERS.test(type) ? [] : [unknownEntry(type)];
  }

  #begin(meta: JsonObject): readonly RecordEntry[] {
    const base = asObject(meta["history_base"]) ?? {};
    const id = asName(meta["id"]);
    this.#isPaginated = meta["history_mode"] === "paginated";
    const end = asCount(base["end_ordinal_exclusive"]);
    if (id === this.#conversation.value)
      return base["thread_id"] === id && end !== undefined ? this.#rewind((said) => said.ordinal >= end) : [];
    // Older forks copy the conversation with its header.
    if (id !== undefined && id === this.#forkedFrom) return [];
    this.#said = [];
    this.#forkedFrom = meta["forked_from_id"];
    return this.#conversation.enter(id, this.#forkedFrom);
  }

  #rewind(isLeft: (said: Said) => boolean): RecordEntry[] {
    const left = this.#said.filter(isLeft);
    this.#said = this.#said.filter((said) => !isLeft(said));
    return rewound([...new Set(left.map(({ id }) => id))]);
  }

  #remember(entries: readonly RecordEntry[], ordinal: number): readonly RecordEntry[] {
    for (const entry of entries)
      if (entry.kind === "message") this.#said.push({ id: entry.id, ordinal, isPrompt: entry.role === "user" });
    if (this.#said.length > SAID_MAX) this.#said = this.#said.slice(SAID_MAX / 2);
    return entries;
  }

  #event(event: JsonObject, base: MessageBase): readonly RecordEntry[] {
    const type = asName(event["type"]) ?? "?";
    if (type === "item_completed") return this.#item(event, base);
    if (type === "task_complete" || type === "error") {
      const error = type === "error" ? event : (asObject(event["error"]) ?? { message: event["error"] });
      const text = asName(error["message"]);
      return text === undefined ? [] : [{ kind: "failed", timeMs: base.timeMs, text }];
    }
    if (type === "thread_rolled_back") {
      const turns = asCount(event["num_turns"]) ?? 0;
      const prompts = this.#said.filter(({ isPrompt }) => isPrompt);
      const first = turns === 0 ? undefined : prompts[Math.max(0, prompts.length - turns)];
      const from = first === undefined ? Infinity : this.#said.indexOf(first);
      const left = new Set(this.#said.slice(from));
      return this.#rewind((said) => left.has(said));
    }
    const text = asName(event["message"]);
    if (!this.#isPaginated && text !== undefined && (type === "user_message" || type === "agent_message")) {
      const role = type === "user_message" ? "user" : "assistant";
      return [{ ...base, id: `message-${++this.#legacyMessages}`, role, text }];
    }
    return OTHER_EVENTS.test(type) ? [] : [unknownEntry("event", type)];
  }

  #item(event: JsonObject, { timeMs, ...others }: MessageBase): readonly RecordEntry[] {
    const item = asObject(event["item"]) ?? {};
    const type = asName(item["type"]) ?? "?";
    const id = asName(item["id"]) ?? "?";
    const base = { ...others, timeMs: asCount(event["completed_at_ms"]) ?? timeMs };
    switch (type) {
      case "UserMessage":
        return [{ ...base, id, role: "user", text: partTexts(item["content"]) }];
      case "AgentMessage":
        return [{ ...base, id, role: "assistant", text: partTexts(item["content"]) }];
      case "CommandExecution": {
        this.#finish(id);
        const text = asText(item["aggregated_output"]) ?? "";
        const result = resultEntry(base, { call: id, text, isCut: text.length >= OUTPUT_CHARS_MAX });
        const command = asText(asList(item["command"]).at(-1)) ?? "";
        const startedMs = asCount(event["started_at_ms"]) ?? base.timeMs;
        if (item["source"] !== "user_shell") return [result];
        return [{ ...base, timeMs: startedMs, id, role: "command", text: `!${command}` }, result];
      }
      case "ContextCompaction":
        return [compacted];
      default:
        return OTHER_ITEMS.test(type) ? [] : [unknownEntry("item", type)];
    }
  }

  #response(item: JsonObject, base: MessageBase): readonly RecordEntry[] {
    const call = asName(item["call_id"]) ?? asName(item["id"]);
    const type = asName(item["type"]) ?? "?";
    if (call === undefined) return [];
    if (type.endsWith("_call_output")) {
      if (this.#finished.has(call)) return [];
      return [resultEntry(base, { call, text: outputText(item["output"]) })];
    }
    if (!type.endsWith("_call")) return [];
    const { action, arguments: words, input, name } = item;
    return [callEntry(base, call, { input: words ?? input ?? action, name: name ?? type })];
  }

  #finish(call: string): void {
    this.#finished.add(call);
    const [oldest] = this.#finished;
    if (this.#finished.size > SAID_MAX && oldest !== undefined) this.#finished.delete(oldest);
  }
}

/** A text, a JSON text with `output`, or parts. */
function outputText(output: unknown): string {
  const text = asText(output);
  if (text === undefined) return partTexts(asObject(output)?.["content"] ?? output);
  return asText(asObject(jsonValueOf(text))?.["output"]) ?? text;
}
