/** Gemini CLI: `tmp/PROJECT/chats/session-TIME-ID.jsonl`, rows and operations on them. Read up to 0.61. */
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

/** A rewind to an older row leaves nothing. */
const ROWS_MAX = 100_000;
const SHELL =
  /^I ran the following shell command:\n```sh\n([^]*?)\n```\n\nThis produced the following \w+:\n+```\n([^]*?)\n?```$/;
/** Between the rows of a copy. */
const COPY_GAP_MS_MAX = 1000;

export class GeminiRows implements RowReader {
  readonly #conversation = new ConversationId();
  /** The messages of each row. */
  #rows = new Map<string, readonly string[]>();
  #agent: string | undefined;
  /** Time of the last row of a copy of the conversation: it is for the model, its rows have new ids, and `$set.messages` ends it. */
  #copiedMs = -Infinity;

  read(row: JsonObject): readonly RecordEntry[] {
    const { $rewindTo: target, $set: set, id, kind, sessionId, timestamp, type } = row;
    if (set !== undefined) {
      if (asObject(set)?.["messages"] !== undefined) this.#copiedMs = -Infinity;
      return this.#conversation.enter(asObject(set)?.["sessionId"]);
    }
    if (target !== undefined) return this.#rewind(asName(target) ?? "?");
    if (type === undefined && sessionId !== undefined) {
      this.#agent = kind === undefined || kind === "main" ? undefined : (asName(sessionId) ?? "subagent");
      return this.#conversation.enter(sessionId);
    }
    const base = messageBase(timestamp, this.#agent);
    if (isContext(row) || base.timeMs - this.#copiedMs <= COPY_GAP_MS_MAX) {
      this.#copiedMs = base.timeMs;
      return [];
    }
    const own = asName(id) ?? "?";
    const entries = entriesOf(row, base, own);
    this.#rows.set(own, messageIds(entries));
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > ROWS_MAX && oldest !== undefined) this.#rows.delete(oldest);
    return entries;
  }

  /** The row itself is taken back as well. */
  #rewind(target: string): RecordEntry[] {
    const rows = [...this.#rows];
    const at = rows.findIndex(([id]) => id === target);
    if (at < 0) return [];
    this.#rows = new Map(rows.slice(0, at));
    return rewound(rows.slice(at).flatMap(([, ids]) => ids));
  }
}

const isContext = ({ content, type }: JsonObject): boolean =>
  type === "user" && partTexts(content).startsWith("<session_context>");

function entriesOf(row: JsonObject, base: MessageBase, id: string): readonly RecordEntry[] {
  const { content, toolCalls, type } = row;
  const text = partTexts(content);
  switch (type) {
    case "user": {
      if (text === "") return [];
      const [, command, output] = SHELL.exec(text) ?? [];
      if (command === undefined) return [{ ...base, id, role: "user", text }];
      return [
        { ...base, id, role: "command", text: `!${command}` },
        resultEntry(base, { call: id, text: output ?? "" }),
      ];
    }
    case "gemini":
      return [
        ...(text === "" ? [] : [{ ...base, id, role: "assistant", text } as const]),
        ...asList(toolCalls).flatMap((call) => callEntries(asObject(call) ?? {}, base)),
      ];
    case "error":
      return [{ kind: "failed", timeMs: base.timeMs, text }];
    case "info":
    case "warning":
      return [];
    default:
      return [unknownEntry(type)];
  }
}

function callEntries({ args, id, name, result, timestamp }: JsonObject, base: MessageBase): RecordEntry[] {
  const call = asName(id);
  if (call === undefined) return [];
  const entry = callEntry(base, call, { input: args, name });
  const responses = asList(result).flatMap((part) => {
    const { error, output } = asObject(asObject(asObject(part)?.["functionResponse"])?.["response"]) ?? {};
    return asText(output) ?? asText(error) ?? [];
  });
  const done = { ...base, timeMs: messageBase(timestamp).timeMs || base.timeMs };
  return responses.length === 0 ? [entry] : [entry, resultEntry(done, { call, text: responses.join("\n") })];
}
