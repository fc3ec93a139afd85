/** opencode: rows of `session`, `message` and `part` in its database, each as `{table, row}` when it changes. Read up to 1.18. */
import { jsonValueOf } from "../json/json-value.ts";
import { asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import {
  callEntry,
  compacted,
  ConversationId,
  messageBase,
  resultEntry,
  rewound,
  timeMsOf,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

/** The oldest are forgotten. */
const KNOWN_MAX = 100_000;
const OTHER_PARTS = /^(?:agent|file|patch|reasoning|retry|snapshot|step-finish|step-start|subtask)$/;

interface Message {
  readonly role: unknown;
  readonly createdMs: number;
  readonly error: string | undefined;
  /** Its text replaces the conversation for the model. */
  readonly isSummary: boolean;
}

/** The ids of messages are ascending. */
export class OpencodeRows implements RowReader {
  readonly #conversation = new ConversationId();
  readonly #subAgents = new Set<string>();
  readonly #messages = new Map<string, Message>();
  /** It and the messages after it are taken back, until it is undone. */
  #reverted: string | undefined;
  /** Ids of what was said, by those of their messages. */
  readonly #said = new Map<string, Set<string>>();
  /** Parts whose message did not come yet, and the last text of each message, which may be interrupted. */
  readonly #early = new Map<string, JsonObject[]>();
  readonly #texts = new Map<string, RecordMessage>();

  read({ row: value, table }: JsonObject): readonly RecordEntry[] {
    const row = asObject(value) ?? {};
    if (table === "session") return this.#session(row);
    if (table === "message") return this.#message(row, objectOf(row["data"]));
    return table === "part" ? this.#part(row) : [unknownEntry("table", table)];
  }

  #session({ id, parent_id: parent, revert }: JsonObject): readonly RecordEntry[] {
    const name = asName(id);
    if (name === undefined) return [];
    if (asName(parent) !== undefined) {
      this.#subAgents.add(name);
      return [];
    }
    this.#reverted = asName(objectOf(revert)["messageID"]);
    const left = [...this.#said].filter(([message]) => this.#isReverted(message));
    for (const [message] of left) this.#said.delete(message);
    return [...this.#conversation.enter(name), ...rewound(left.flatMap(([, ids]) => [...ids]))];
  }

  #isReverted(message: string): boolean {
    return this.#reverted !== undefined && message >= this.#reverted;
  }

  #message(row: JsonObject, data: JsonObject): readonly RecordEntry[] {
    const id = asName(row["id"]) ?? "?";
    const error = asObject(data["error"]);
    const before = this.#messages.get(id);
    const name = asName(error?.["name"]);
    remember(this.#messages, id, {
      role: data["role"],
      createdMs: timeMsOf(asObject(data["time"])?.["created"] ?? row["time_created"]),
      error: name,
      isSummary: data["summary"] === true,
    });
    const early = this.#early.get(id) ?? [];
    this.#early.delete(id);
    return [...this.#failure(id, error, before?.error === name), ...early.flatMap((part) => this.#part(part))];
  }

  #failure(id: string, error: JsonObject | undefined, isKnown: boolean): readonly RecordEntry[] {
    if (error === undefined || isKnown) return [];
    const text = this.#texts.get(id);
    if (error["name"] === "MessageAbortedError")
      return text === undefined ? [] : [{ ...text, incomplete: "interrupted" }];
    const reason = asName(asObject(error["data"])?.["message"]) ?? asName(error["name"]) ?? "error";
    return [{ kind: "failed", timeMs: this.#messages.get(id)?.createdMs ?? 0, text: reason }];
  }

  #part(row: JsonObject): readonly RecordEntry[] {
    const owner = asName(row["message_id"]) ?? "?";
    const message = this.#messages.get(owner);
    if (message === undefined) {
      remember(this.#early, owner, [...(this.#early.get(owner) ?? []), row]);
      return [];
    }
    const session = asName(row["session_id"]);
    const agent = session !== undefined && this.#subAgents.has(session) ? session : undefined;
    if (agent === undefined && this.#isReverted(owner)) return [];
    const base = messageBase(message.createdMs, agent);
    const entries = partEntries({ row, message, base, data: objectOf(row["data"]) });
    const ids = this.#said.get(owner) ?? new Set();
    for (const entry of entries) {
      if (entry.kind !== "message") continue;
      ids.add(entry.id);
      if (entry.role === "assistant") remember(this.#texts, owner, entry);
    }
    if (agent === undefined) remember(this.#said, owner, ids);
    return entries;
  }
}

function partEntries({
  base,
  data,
  message,
  row,
}: {
  readonly row: JsonObject;
  readonly message: Message;
  readonly base: MessageBase;
  readonly data: JsonObject;
}): readonly RecordEntry[] {
  const id = asName(row["id"]) ?? "?";
  const type = asName(data["type"]) ?? "?";
  if (type === "tool") return toolEntries(data, base, id);
  if (type === "compaction") return [compacted];
  if (type !== "text") return OTHER_PARTS.test(type) ? [] : [unknownEntry("part", type)];
  const text = asText(data["text"]) ?? "";
  // A text is empty until its end.
  if (text === "" || data["synthetic"] === true || data["ignored"] === true || message.isSummary) return [];
  if (message.role === "user") return [{ ...base, id, role: "user", text }];
  const timeMs = timeMsOf(asObject(data["time"])?.["end"] ?? row["time_updated"]);
  const isInterrupted = message.error === "MessageAbortedError";
  return [{ ...base, timeMs, id, role: "assistant", text, ...(isInterrupted && { incomplete: "interrupted" }) }];
}

function toolEntries(data: JsonObject, base: MessageBase, id: string): readonly RecordEntry[] {
  const { error, input, metadata, output, status, time } = asObject(data["state"]) ?? {};
  if (status === "pending") return [];
  const call = asName(data["callID"]) ?? id;
  const { end, start } = asObject(time) ?? {};
  const entry = callEntry({ ...base, timeMs: timeMsOf(start) }, call, { input, name: data["tool"] });
  if (status === "running") return [entry];
  const isCut = asObject(metadata)?.["truncated"] === true;
  const result = { call, text: asText(output) ?? asText(error) ?? "", isCut };
  return [entry, resultEntry({ ...base, timeMs: timeMsOf(end) }, result)];
}

/** A column of JSON. */
const objectOf = (value: unknown): JsonObject => asObject(typeof value === "string" ? jsonValueOf(value) : value) ?? {};

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KNOWN_MAX && oldest !== undefined) map.delete(oldest);
}
