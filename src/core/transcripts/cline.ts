/** Cline: `sessions/ID/ID.messages.json`, a document that is written again at each step; each row is the whole document. Read up to 3.0.65. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import {
  callEntry,
  ConversationId,
  messageBase,
  messageIds,
  partTexts,
  resultEntry,
  rewound,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

const USER_INPUT = /<user_input\b[^>]*>([^]*?)<\/user_input>/;

export class ClineRows implements RowReader {
  readonly #conversation = new ConversationId();
  #known: readonly string[] = [];

  read(document: JsonObject): readonly RecordEntry[] {
    if (!Array.isArray(document["messages"])) return [unknownEntry("document without messages")];
    const begun = this.#conversation.enter(document["sessionId"]);
    const entries = asList(document["messages"]).flatMap((message) => entriesOf(asObject(message) ?? {}));
    const ids = new Set(messageIds(entries));
    const left = begun.length > 0 ? [] : this.#known.filter((id) => !ids.has(id));
    this.#known = [...ids];
    return [...begun, ...rewound(left), ...entries];
  }
}

function entriesOf({ content, id, metadata, role, ts }: JsonObject): readonly RecordEntry[] {
  const base = messageBase(ts);
  const name = asName(id) ?? "?";
  if (asObject(metadata)?.["displayRole"] === "error")
    return [{ kind: "failed", timeMs: base.timeMs, text: partTexts(content) }];
  if (role !== "user" && role !== "assistant") return [unknownEntry("message", role)];
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : asList(content);
  return parts.flatMap((part, index) =>
    partEntries(asObject(part) ?? {}, { ...base, role, id: index === 0 ? name : `${name}:${index}` }),
  );
}

function partEntries(
  part: JsonObject,
  { id, role, ...base }: MessageBase & { readonly id: string; readonly role: "user" | "assistant" },
): readonly RecordEntry[] {
  const text = asText(part["text"]) ?? "";
  if (part["type"] === "text")
    return text === ""
      ? []
      : [{ ...base, id, role, text: role === "user" ? (USER_INPUT.exec(text)?.[1] ?? text) : text }];
  if (part["type"] === "tool_use") return [callEntry(base, asName(part["id"]) ?? id, part)];
  const call = asName(part["tool_use_id"]);
  if (part["type"] !== "tool_result" || call === undefined) return [];
  return [resultEntry(base, { call, text: resultText(part["content"]) })];
}

/** A text, or a list of texts and of queries with their results. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .flatMap((value) => {
      const { error, result, text = result } = asObject(value) ?? {};
      return asText(text) ?? asText(error) ?? [];
    })
    .join("\n");
}
