/** pi: `sessions/--DIRECTORY--/TIME_ID.jsonl`, a tree of rows. Read up to 1.6, version 3. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import { Branches } from "./branches.ts";
import type { RecordEntry } from "./record-entry.ts";
import {
  callEntry,
  compacted,
  ConversationId,
  messageBase,
  messageIds,
  partTexts,
  resultEntry,
  rewound,
  timeMsOf,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

const OTHERS =
  /^(?:branch_summary|context_edit|custom|custom_message|label|model_change|session_info|thinking_level_change)$/;
const OTHER_ROLES = /^(?:branchSummary|compactionSummary|custom|system)$/;
const INCOMPLETE = new Map([
  ["aborted", "interrupted"],
  ["error", "failed"],
  ["length", "cut"],
] as const);

export class PiRows implements RowReader {
  readonly #branches = new Branches();
  readonly #conversation = new ConversationId();

  read(row: JsonObject): readonly RecordEntry[] {
    const type = asName(row["type"]) ?? "?";
    if (type === "session") return this.#conversation.enter(row["id"], row["parentSession"]);
    const id = asName(row["id"]) ?? "?";
    const entries = entriesOf(type, row, id);
    const parent = asName(row["parentId"]) ?? null;
    return [...rewound(this.#branches.add(id, parent, messageIds(entries), true)), ...entries];
  }
}

function entriesOf(type: string, row: JsonObject, id: string): readonly RecordEntry[] {
  if (type === "compaction") return [compacted];
  if (type !== "message") return OTHERS.test(type) ? [] : [unknownEntry(type)];
  const message = asObject(row["message"]) ?? {};
  const base = messageBase(row["timestamp"]);
  switch (message["role"]) {
    case "user": {
      // The row of a queued prompt is written at its turn.
      const timeMs = timeMsOf(message["timestamp"]) || base.timeMs;
      return [{ ...base, timeMs, id, role: "user", text: partTexts(message["content"]) }];
    }
    case "assistant":
      return answerEntries(message, base, id);
    case "toolResult": {
      const { content, details, toolCallId } = message;
      const isCut = asObject(asObject(details)?.["truncation"])?.["truncated"] === true;
      return [resultEntry(base, { call: asName(toolCallId) ?? id, text: partTexts(content), isCut })];
    }
    case "bashExecution": {
      const { command, output, truncated } = message;
      return [
        { ...base, id, role: "command", text: `!${asText(command) ?? ""}` },
        resultEntry(base, { call: id, text: asText(output) ?? "", isCut: truncated === true }),
      ];
    }
    default:
      return OTHER_ROLES.test(String(message["role"])) ? [] : [unknownEntry("message", message["role"])];
  }
}

function answerEntries(message: JsonObject, base: MessageBase, id: string): readonly RecordEntry[] {
  const { content, errorMessage, stopReason } = message;
  const incomplete = [...INCOMPLETE].find(([reason]) => reason === stopReason)?.[1];
  const entries = asList(content).flatMap((value, index): RecordEntry[] => {
    const part = asObject(value) ?? {};
    const own = index === 0 ? id : `${id}:${index}`;
    const text = asText(part["text"]) ?? "";
    if (part["type"] === "text" && text !== "")
      return [{ ...base, id: own, role: "assistant", text, ...(incomplete !== undefined && { incomplete }) }];
    if (part["type"] !== "toolCall") return [];
    return [callEntry(base, asName(part["id"]) ?? own, { ...part, input: part["arguments"] })];
  });
  if (stopReason !== "error") return entries;
  return [...entries, { kind: "failed", timeMs: base.timeMs, text: asName(errorMessage) ?? "error" }];
}
