/** Cline: `sessions/ID/ID.messages.json`, a document that is written again at each step; each row is the whole document. Read up to 3.0.65. */
import { asName, asObject, objectsIn, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { partTexts, RowEntries, unknownEntry, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

const USER_INPUT = /<user_input\b[^>]*>([^]*?)<\/user_input>/;

export class ClineRows implements RowReader {
  readonly #said = new SaidRows();

  read({ messages, sessionId }: JsonObject): readonly RecordEntry[] {
    if (!Array.isArray(messages)) return [unknownEntry("document without messages")];
    const begun = this.#said.enter(sessionId);
    if (begun.length > 0) this.#said.forget();
    const rows = objectsIn(messages).map((message) => ({ id: idOf(message), entries: entriesOf(message) }));
    const ids = new Set(rows.map(({ id }) => id));
    const left = this.#said.leave(({ id }) => !ids.has(id));
    for (const { entries, id } of rows) this.#said.add(id, entries);
    return [...begun, ...left, ...rows.flatMap(({ entries }) => entries)];
  }
}

const idOf = ({ id }: JsonObject): string => asName(id) ?? "?";

function entriesOf(message: JsonObject): readonly RecordEntry[] {
  const { content, metadata, role, ts } = message;
  const entries = new RowEntries(ts);
  if (asObject(metadata)?.["displayRole"] === "error") return entries.failed(partTexts(content)).all;
  if (role !== "user" && role !== "assistant") return entries.unknown("message", role).all;
  return entries
    .parts(role, idOf(message), content)
    .all.map((entry) =>
      entry.kind === "message" && entry.role === "user"
        ? { ...entry, text: USER_INPUT.exec(entry.text)?.[1] ?? entry.text }
        : entry,
    );
}
