/** Gemini CLI: `tmp/PROJECT/chats/session-TIME-ID.jsonl`, rows and operations on them. Read up to 0.61. */
import { asName, asObject, objectsIn, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";
import { partTexts, responseText, RowEntries, timeMsOf, type RowReader } from "./row-reader.ts";
import { SaidRows } from "./said-rows.ts";

const SHELL =
  /^I ran the following shell command:\n```sh\n([^]*?)\n```\n\nThis produced the following \w+:\n+```\n([^]*?)\n?```$/;
/** Between the rows of a copy. */
const COPY_GAP_MS_MAX = 1000;

export class GeminiRows implements RowReader {
  readonly #said = new SaidRows();
  #agent: string | undefined;
  /** Time of the last row of a copy of the conversation: it is for the model, its rows have new ids, and `$set.messages` ends it. */
  #copiedMs = -Infinity;

  read(row: JsonObject): readonly RecordEntry[] {
    const { $rewindTo: target, $set: set, id, kind, sessionId, timestamp, type } = row;
    if (set !== undefined) {
      if (asObject(set)?.["messages"] !== undefined) this.#copiedMs = -Infinity;
      return this.#said.enter(asObject(set)?.["sessionId"]);
    }
    if (target !== undefined) return this.#rewind(target);
    if (type === undefined && sessionId !== undefined) {
      this.#agent = kind === undefined || kind === "main" ? undefined : (asName(sessionId) ?? "subagent");
      return this.#said.enter(sessionId);
    }
    const entries = new RowEntries(timestamp, this.#agent);
    if (isContext(row) || entries.timeMs - this.#copiedMs <= COPY_GAP_MS_MAX) {
      this.#copiedMs = entries.timeMs;
      return [];
    }
    const own = asName(id) ?? "?";
    addEntries(row, entries, own);
    this.#said.add(own, entries.all);
    return entries.all;
  }

  /** The row itself is taken back as well. */
  #rewind(target: unknown): RecordEntry[] {
    const from = this.#said.all.findIndex(({ id }) => id === target);
    return from < 0 ? [] : this.#said.leave((_, index) => index >= from);
  }
}

const isContext = ({ content, type }: JsonObject): boolean =>
  type === "user" && partTexts(content).startsWith("<session_context>");

function addEntries({ content, toolCalls, type }: JsonObject, entries: RowEntries, id: string): void {
  const text = partTexts(content);
  switch (type) {
    case "user": {
      const [, command, output] = SHELL.exec(text) ?? [];
      if (command === undefined) entries.say("user", id, text);
      else entries.say("command", id, `!${command}`).result(id, output);
      break;
    }
    case "gemini":
      entries.say("assistant", id, text);
      for (const call of objectsIn(toolCalls)) addCall(call, entries);
      break;
    case "error":
      entries.failed(text);
      break;
    case "info":
    case "warning":
      break;
    default:
      entries.unknown(type);
  }
}

function addCall({ args, id, name, result, timestamp }: JsonObject, entries: RowEntries): void {
  entries.call(id, { input: args, name });
  const responses = objectsIn(result).flatMap(
    ({ functionResponse }) => responseText(asObject(functionResponse)?.["response"]) ?? [],
  );
  const timeMs = timeMsOf(timestamp) || entries.timeMs;
  if (responses.length > 0) entries.result(id, responses.join("\n"), { timeMs });
}
