/** Cline: `sessions/ID/ID.messages.json`, a document that is written again at each step; each row is the whole document. Read up to 3.0.65. */
import { asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { ConversationId, objectsIn, partTexts, RowEntries, unknownEntry, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

const USER_INPUT = /<user_input\b[^>]*>([^]*?)<\/user_input>/;

export class ClineRows implements RowReader {
  readonly #conversation = new ConversationId();
  #said = new SaidRows();

  read({ messages, sessionId }: JsonObject): readonly RecordEntry[] {
    if (!Array.isArray(messages)) return [unknownEntry("document without messages")];
    const begun = this.#conversation.enter(sessionId);
    if (begun.length > 0) this.#said = new SaidRows();
    const rows = objectsIn(messages).map((message) => ({ id: idOf(message), entries: entriesOf(message).all }));
    const ids = new Set(rows.map(({ id }) => id));
    const left = this.#said.leave(({ id }) => !ids.has(id));
    for (const { entries, id } of rows) this.#said.add(id, entries);
    return [...begun, ...left, ...rows.flatMap(({ entries }) => entries)];
  }
}

const idOf = ({ id }: JsonObject): string => asName(id) ?? "?";

function entriesOf(message: JsonObject): RowEntries {
  const { content, metadata, role, ts } = message;
  const entries = new RowEntries(ts);
  const name = idOf(message);
  if (asObject(metadata)?.["displayRole"] === "error") return entries.failed(partTexts(content));
  if (role !== "user" && role !== "assistant") return entries.unknown("message", role);
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
  for (const [index, part] of parts.entries())
    partEntries(part, entries, { role, id: index === 0 ? name : `${name}:${index}` });
  return entries;
}

function partEntries(
  { content, text, tool_use_id: call, type, ...part }: JsonObject,
  entries: RowEntries,
  { id, role }: { readonly id: string; readonly role: "user" | "assistant" },
): void {
  if (type === "text")
    entries.say(role, id, role === "user" ? (USER_INPUT.exec(asText(text) ?? "")?.[1] ?? text) : text);
  else if (type === "tool_use") entries.call(asName(part["id"]) ?? id, part);
  else if (type === "tool_result") entries.result(call, resultText(content));
}

/** A text, or a list of texts and of queries with their results. */
const resultText = (content: unknown): string =>
  asText(content) ??
  objectsIn(content)
    .flatMap(({ error, result, text = result }) => asText(text) ?? asText(error) ?? [])
    .join("\n");
