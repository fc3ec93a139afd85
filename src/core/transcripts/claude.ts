/** Claude Code: `projects/DIRECTORY/SESSION.jsonl`, and `subagents/agent-ID.jsonl` beside it. Read up to 2.1.332. */
import { asCount, asName, fieldsOf, objectsIn, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import { partTexts, RowEntries, type RowReader } from "./row-reader.ts";
import { hasPrompt, SaidRows } from "./said-rows.ts";

/** Rows that are not the conversation: states, requests, files. */
const OTHERS =
  /^(?:agent-(?:color|name|setting)|ai-title|api-request(?:-blob|-shape)?|atis-latch|attribution-snapshot|content-replacement|cost-state|custom-title|file-history-snapshot|last-prompt|(?:permission-)?mode|pr-link|progress|prompt_snapshot|queue-operation|summary|tag|tools-used|worktree-state)$/;

/** What older versions wrote for the user, without `rowSource`. */
const NOT_SAID =
  /^(?:<(?:local-command|command-|bash-|task-notification|system-reminder)|\[Request interrupted by user|Caveat: )/;
const PASTED = /\n{0,2}<pasted_content( id="[^"]*")?>\n?([^]*?)\n?<\/pasted_content(?:\1)?>\n?/g;

export class ClaudeRows implements RowReader {
  readonly #said = new SaidRows();
  /** The last text: older versions wrote it again with each part that came. */
  #last: { readonly answer: string; readonly message: RecordMessage } | undefined;

  read(row: JsonObject): readonly RecordEntry[] {
    const { agentId, forkedFrom, isSidechain, parentUuid, sessionId, timestamp, type, uuid } = row;
    const agent = isSidechain === true ? (asName(agentId) ?? "sidechain") : undefined;
    const entries = this.#entriesOf(row, new RowEntries(timestamp, agent));
    const id = agent === undefined ? asName(uuid) : undefined;
    const isPrompt = type === "user" && hasPrompt(entries);
    const left = id === undefined ? [] : this.#said.branch(id, asName(parentUuid) ?? null, entries, isPrompt);
    return [...this.#said.enter(sessionId, fieldsOf(forkedFrom)["sessionId"]), ...left, ...entries];
  }

  #entriesOf(row: JsonObject, entries: RowEntries): readonly RecordEntry[] {
    const type = asName(row["type"]) ?? "?";
    if (type === "user") return [...this.#interrupted(row), ...userEntries(row, entries).all];
    if (type === "assistant") return this.#assistantEntries(row, entries);
    if (type === "attachment") return queuedPrompt(row, entries).all;
    if (type !== "system") return OTHERS.test(type) ? [] : entries.unknown(type).all;
    return row["subtype"] === "compact_boundary" ? entries.compacted().all : [];
  }

  #interrupted({ interruptedMessageId: answer }: JsonObject): RecordEntry[] {
    if (this.#last === undefined || this.#last.answer !== answer) return [];
    return [{ ...this.#last.message, incomplete: "interrupted" }];
  }

  #assistantEntries(row: JsonObject, entries: RowEntries): readonly RecordEntry[] {
    const { id: answer, content, model, stop_reason: stop } = fieldsOf(row["message"]);
    const id = asName(row["uuid"]) ?? asName(answer) ?? "?";
    if (row["isApiErrorMessage"] === true) return entries.failed(partTexts(content)).all;
    if (model === "<synthetic>") return [];
    const { all } = entries.parts("assistant", id, content, { incomplete: stop === "max_tokens" ? "cut" : undefined });
    return all.map((entry) =>
      entry.kind === "message" && entry.role === "assistant" ? this.#text(entry, asName(answer) ?? entry.id) : entry,
    );
  }

  #text(message: RecordMessage, answer: string): RecordMessage {
    const before = this.#last?.answer === answer ? this.#last.message : undefined;
    const isAgain = before !== undefined && message.text.startsWith(before.text);
    this.#last = { answer, message: isAgain ? { ...message, id: before.id } : message };
    return this.#last.message;
  }
}

function userEntries(row: JsonObject, entries: RowEntries): RowEntries {
  const id = asName(row["uuid"]) ?? "?";
  const { content } = fieldsOf(row["message"]);
  const results = objectsIn(content).filter(({ tool_use_id: call }) => call !== undefined);
  if (results.length > 0) return entries.parts("user", id, results);
  const text = partTexts(content);
  if (!isSaid(row, text)) return localEntries(text, entries, { id, parent: row["parentUuid"] });
  return entries.say("user", id, text.replaceAll(PASTED, "$2"), { timeMs: asCount(row["sentAtMs"]) });
}

function isSaid({ isMeta, isCompactSummary, origin, rowSource }: JsonObject, text: string): boolean {
  const kind = asName(fieldsOf(origin)["kind"]);
  if (kind !== undefined) return kind === "human";
  return isMeta !== true && isCompactSummary !== true && rowSource === undefined && text !== "" && !NOT_SAID.test(text);
}

/** `/clear` and `!command` of the user, and what the latter printed. */
function localEntries(
  text: string,
  entries: RowEntries,
  row: { readonly id: string; readonly parent: unknown },
): RowEntries {
  const inside = (name: string): string | undefined => new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1];
  const [slash, shell, output] = ["command-name", "bash-input", "bash-stdout"].map(inside);
  if (slash !== undefined) return entries.say("command", row.id, `${slash} ${inside("command-args") ?? ""}`.trim());
  if (shell !== undefined) return entries.say("command", row.id, `!${shell}`);
  return output === undefined ? entries : entries.result(row.parent, output + (inside("bash-stderr") ?? ""));
}

/** A prompt that was queued and sent while the agent worked. */
function queuedPrompt(row: JsonObject, entries: RowEntries): RowEntries {
  const { type, commandMode, prompt } = fieldsOf(row["attachment"]);
  if (type !== "queued_command" || commandMode === "task-notification") return entries;
  return entries.say("user", asName(row["uuid"]) ?? "?", partTexts(prompt).replaceAll(PASTED, "$2"));
}
