/** pi: `sessions/--DIRECTORY--/TIME_ID.jsonl`, a tree of rows. Read up to 1.6, version 3. */
import { asName, fieldsOf, stringOf, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import { partTexts, RowEntries, timeMsOf, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

const OTHERS =
  /^(?:branch_summary|context_edit|custom|custom_message|label|model_change|session_info|thinking_level_change)$/;
const OTHER_ROLES = /^(?:branchSummary|compactionSummary|custom|system)$/;
const INCOMPLETE = new Map<unknown, RecordMessage["incomplete"]>([
  ["aborted", "interrupted"],
  ["error", "failed"],
  ["length", "cut"],
]);

export class PiRows implements RowReader {
  readonly #said = new SaidRows();

  read(row: JsonObject): readonly RecordEntry[] {
    const { id: own, message, parentId, parentSession, timestamp, type } = row;
    const id = asName(own) ?? "?";
    if (type === "session") return this.#said.enter(own, parentSession);
    const entries = new RowEntries(timestamp);
    if (type === "message") addMessage(fieldsOf(message), entries, id);
    else if (type === "compaction") entries.compacted();
    else if (!OTHERS.test(String(type))) entries.unknown(type);
    return [...this.#said.branch(id, asName(parentId) ?? null, entries.all, true), ...entries.all];
  }
}

function addMessage(message: JsonObject, entries: RowEntries, id: string): void {
  const { command, content, details, errorMessage, output, role, stopReason, timestamp, toolCallId, truncated } =
    message;
  switch (role) {
    case "user":
      // The row of a queued prompt is written at its turn.
      entries.say("user", id, partTexts(content), { timeMs: timeMsOf(timestamp) || entries.timeMs });
      break;
    case "assistant":
      entries.parts("assistant", id, content, { incomplete: INCOMPLETE.get(stopReason) });
      if (stopReason === "error") entries.failed(errorMessage);
      break;
    case "toolResult": {
      const isCut = fieldsOf(fieldsOf(details)["truncation"])["truncated"] === true;
      entries.result(asName(toolCallId) ?? id, partTexts(content), { isCut });
      break;
    }
    case "bashExecution":
      entries.say("command", id, `!${stringOf(command)}`).result(id, output, { isCut: truncated === true });
      break;
    default:
      if (!OTHER_ROLES.test(String(role))) entries.unknown("message", role);
  }
}
