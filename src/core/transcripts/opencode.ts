/** opencode: rows of `session`, `message` and `part` in its database, each as `{table, row}` when it changes. Read up to 1.18. */
import { forgetOldest } from "../forget-oldest.ts";
import { jsonValueOf } from "../json/json-value.ts";
import { asName, asObject, fieldsOf, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import { RowEntries, timeMsOf, unknownEntry, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

/** The oldest are forgotten. */
const KNOWN_MAX = 100_000;
const ABORTED = "MessageAbortedError";
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
  readonly #subAgents = new Set<string>();
  readonly #messages = new Map<string, Message>();
  /** It and the messages after it are taken back, until it is undone. */
  #reverted: string | undefined;
  readonly #said = new SaidRows();
  /** Parts whose message did not come yet, and the last text of each message, which may be interrupted. */
  readonly #early = new Map<string, JsonObject[]>();
  readonly #texts = new Map<string, RecordMessage>();

  read({ row: value, table }: JsonObject): readonly RecordEntry[] {
    const row = fieldsOf(value);
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
    return [...this.#said.enter(name), ...this.#said.leave((row) => this.#isReverted(row.id))];
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
      createdMs: timeMsOf(fieldsOf(data["time"])["created"] ?? row["time_created"]),
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
    if (error["name"] === ABORTED) return text === undefined ? [] : [{ ...text, incomplete: "interrupted" }];
    const reason = asName(fieldsOf(error["data"])["message"]) ?? error["name"];
    return new RowEntries(this.#messages.get(id)?.createdMs).failed(reason).all;
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
    const { all } = partEntries(row, message, new RowEntries(message.createdMs, agent));
    const answer = all.find((entry) => entry.kind === "message" && entry.role === "assistant");
    if (answer?.kind === "message") remember(this.#texts, owner, answer);
    if (agent === undefined) this.#said.add(owner, all);
    return all;
  }
}

function partEntries(row: JsonObject, { error, isSummary, role }: Message, entries: RowEntries): RowEntries {
  const id = asName(row["id"]) ?? "?";
  const data = objectOf(row["data"]);
  const { ignored, synthetic, text, time, type } = data;
  if (type === "tool") return addTool(data, entries, id);
  if (type === "compaction") return entries.compacted();
  if (type !== "text") return OTHER_PARTS.test(String(type)) ? entries : entries.unknown("part", type);
  // A text is empty until its end.
  if (synthetic === true || ignored === true || isSummary) return entries;
  if (role === "user") return entries.say("user", id, text);
  const timeMs = timeMsOf(fieldsOf(time)["end"] ?? row["time_updated"]);
  return entries.say("assistant", id, text, { timeMs, incomplete: error === ABORTED ? "interrupted" : undefined });
}

function addTool({ callID, state, tool: name }: JsonObject, entries: RowEntries, id: string): RowEntries {
  const { error, input, metadata, output, status, time } = fieldsOf(state);
  if (status === "pending") return entries;
  const call = asName(callID) ?? id;
  const { end, start } = fieldsOf(time);
  entries.call(call, { input, name }, { timeMs: timeMsOf(start) });
  if (status === "running") return entries;
  const isCut = fieldsOf(metadata)["truncated"] === true;
  return entries.result(call, output ?? error, { isCut, timeMs: timeMsOf(end) });
}

/** A column of JSON. */
const objectOf = (value: unknown): JsonObject => fieldsOf(typeof value === "string" ? jsonValueOf(value) : value);

const remember = <Value>(map: Map<string, Value>, key: string, value: Value): void =>
  forgetOldest(map.set(key, value), KNOWN_MAX);
