/** Claude Code: `projects/DIRECTORY/SESSION.jsonl`, and `subagents/agent-ID.jsonl` beside it. Read up to 2.1.332. */
import { asCount, asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import { Branches } from "./branches.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import {
  callEntry,
  compacted,
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

/** Rows that are not the conversation: states, requests, files. */
const OTHERS =
  /^(?:agent-(?:color|name|setting)|ai-title|api-request(?:-blob|-shape)?|atis-latch|attribution-snapshot|content-replacement|cost-state|custom-title|file-history-snapshot|last-prompt|(?:permission-)?mode|pr-link|progress|prompt_snapshot|queue-operation|summary|tag|tools-used|worktree-state)$/;

/** What older versions wrote for the user, without `rowSource`. */
const NOT_SAID =
  /^(?:<(?:local-command|command-|bash-|task-notification|system-reminder)|\[Request interrupted by user|Caveat: )/;
const PASTED = /\n{0,2}<pasted_content( id="[^"]*")?>\n?([^]*?)\n?<\/pasted_content(?:\1)?>\n?/g;

export class ClaudeRows implements RowReader {
  readonly #branches = new Branches();
  readonly #conversation = new ConversationId();
  /** The last text: older versions wrote it again with each part that came. */
  #last: { readonly answer: string; readonly message: RecordMessage } | undefined;

  read(row: JsonObject): readonly RecordEntry[] {
    const { forkedFrom, isSidechain, parentUuid, sessionId, type, uuid } = row;
    const entries = this.#entriesOf(row);
    const id = isSidechain === true ? undefined : asName(uuid);
    const isPrompt = type === "user" && entries.some((entry) => entry.kind === "message" && entry.role === "user");
    const parent = asName(parentUuid) ?? null;
    const left = id === undefined ? [] : this.#branches.add(id, parent, messageIds(entries), isPrompt);
    const begun = this.#conversation.enter(sessionId, asObject(forkedFrom)?.["sessionId"]);
    return [...begun, ...rewound(left), ...entries];
  }

  #entriesOf(row: JsonObject): readonly RecordEntry[] {
    const type = asName(row["type"]) ?? "?";
    const agent = row["isSidechain"] === true ? (asName(row["agentId"]) ?? "sidechain") : undefined;
    const base = messageBase(row["timestamp"], agent);
    if (type === "user") return [...this.#interrupted(row), ...userEntries(row, base)];
    if (type === "assistant") return this.#assistantEntries(row, base);
    if (type === "attachment") return queuedPrompt(row, base);
    if (type !== "system") return OTHERS.test(type) ? [] : [unknownEntry(type)];
    return row["subtype"] === "compact_boundary" ? [compacted] : [];
  }

  #interrupted({ interruptedMessageId: answer }: JsonObject): RecordEntry[] {
    if (this.#last === undefined || this.#last.answer !== answer) return [];
    return [{ ...this.#last.message, incomplete: "interrupted" }];
  }

  #assistantEntries(row: JsonObject, base: MessageBase): RecordEntry[] {
    const { id: answer, content, model, stop_reason: stop } = asObject(row["message"]) ?? {};
    const id = asName(row["uuid"]) ?? asName(answer) ?? "?";
    if (row["isApiErrorMessage"] === true) return [{ kind: "failed", timeMs: base.timeMs, text: partTexts(content) }];
    if (model === "<synthetic>") return [];
    return asList(content).flatMap((value, index): RecordEntry[] => {
      const part = asObject(value) ?? {};
      const own = index === 0 ? id : `${id}:${index}`;
      const text = asText(part["text"]) ?? "";
      const incomplete = stop === "max_tokens" ? ({ incomplete: "cut" } as const) : {};
      if (part["type"] === "text" && text !== "")
        return [this.#text({ ...base, id: own, role: "assistant", text, ...incomplete }, asName(answer) ?? own)];
      if (part["type"] !== "tool_use" && part["type"] !== "server_tool_use") return [];
      return [callEntry(base, asName(part["id"]) ?? own, part)];
    });
  }

  #text(message: RecordMessage, answer: string): RecordMessage {
    const before = this.#last?.answer === answer ? this.#last.message : undefined;
    const isAgain = before !== undefined && message.text.startsWith(before.text);
    this.#last = { answer, message: isAgain ? { ...message, id: before.id } : message };
    return this.#last.message;
  }
}

function userEntries(row: JsonObject, base: MessageBase): RecordEntry[] {
  const id = asName(row["uuid"]) ?? "?";
  const { content } = asObject(row["message"]) ?? {};
  const results = asList(content).flatMap((value): RecordEntry[] => {
    const part = asObject(value) ?? {};
    const call = asName(part["tool_use_id"]);
    if (call === undefined) return [];
    const text = partTexts(part["content"]);
    return [resultEntry(base, { call, text, isCut: text.startsWith("<persisted-output>") })];
  });
  if (results.length > 0) return results;
  const text = partTexts(content);
  if (!isSaid(row, text)) return localEntries(text, { ...base, id }, asName(row["parentUuid"]));
  const timeMs = asCount(row["sentAtMs"]) ?? base.timeMs;
  return [{ ...base, id, role: "user", text: text.replaceAll(PASTED, "$2"), timeMs }];
}

function isSaid({ isMeta, isCompactSummary, origin, rowSource }: JsonObject, text: string): boolean {
  const kind = asName(asObject(origin)?.["kind"]);
  if (kind !== undefined) return kind === "human";
  return isMeta !== true && isCompactSummary !== true && rowSource === undefined && text !== "" && !NOT_SAID.test(text);
}

/** `/clear` and `!command` of the user, and what the latter printed. */
function localEntries(
  text: string,
  base: MessageBase & { readonly id: string },
  parent: string | undefined,
): RecordEntry[] {
  const inside = (name: string): string | undefined => new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1];
  const slash = inside("command-name");
  const command = slash === undefined ? undefined : `${slash} ${inside("command-args") ?? ""}`.trim();
  const shell = inside("bash-input");
  const said = command ?? (shell === undefined ? undefined : `!${shell}`);
  if (said !== undefined) return [{ ...base, role: "command", text: said }];
  const output = inside("bash-stdout");
  if (output === undefined || parent === undefined) return [];
  return [resultEntry(base, { call: parent, text: output + (inside("bash-stderr") ?? "") })];
}

/** A prompt that was queued and sent while the agent worked. */
function queuedPrompt(row: JsonObject, base: MessageBase): RecordEntry[] {
  const { type, commandMode, prompt } = asObject(row["attachment"]) ?? {};
  const text = partTexts(prompt).replaceAll(PASTED, "$2");
  if (type !== "queued_command" || commandMode === "task-notification" || text === "") return [];
  return [{ ...base, id: asName(row["uuid"]) ?? "?", role: "user", text }];
}
