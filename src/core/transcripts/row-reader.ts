/** What the readers of the formats share. */
import { asName, asObject, asText, fieldsOf, objectsIn, stringOf, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";

/** Types of parts that are calls. */
const CALLS = new Set<unknown>(["tool_use", "server_tool_use", "toolCall"]);
/** Claude keeps a longer output in a file of its own, and its beginning here. */
const SAVED_ELSEWHERE = "<persisted-output>";

/** Reads the rows of one record in their order. */
export interface RowReader {
  /** Total: no row makes it throw. */
  readonly read: (row: JsonObject) => readonly RecordEntry[];
}

/** What a message may have besides its role and text. */
interface Details {
  /** When it was said, if not at the time of its row. */
  readonly timeMs?: number | undefined;
  readonly incomplete?: RecordMessage["incomplete"];
}

/** The entries of one row. A message without an id or a text is not one. */
export class RowEntries {
  readonly all: RecordEntry[] = [];
  readonly #base: Pick<RecordMessage, "kind" | "timeMs" | "agent">;

  /** `time` of the row; `agent`: the sub-agent that wrote it. */
  constructor(time: unknown, agent?: string) {
    this.#base = { kind: "message", timeMs: timeMsOf(time), ...(agent !== undefined && { agent }) };
  }

  get timeMs(): number {
    return this.#base.timeMs;
  }

  say(role: "user" | "assistant" | "command", id: string, text: unknown, details: Details = {}): this {
    if (typeof text === "string" && text !== "") this.#add({ id, role, text }, details);
    return this;
  }

  /** A call of a tool; its input is a text, or what becomes one as JSON. */
  call(id: unknown, { input, name }: { readonly input?: unknown; readonly name?: unknown }, details?: Details): this {
    const text = asText(input) ?? JSON.stringify(input ?? {});
    if (asName(id) !== undefined)
      this.#add({ id: String(id), role: "tool-call", text, tool: asName(name) ?? "?" }, details);
    return this;
  }

  /** The result of a call; of each call there is one. */
  result(
    call: unknown,
    text: unknown,
    { isCut = false, timeMs }: Pick<Details, "timeMs"> & { readonly isCut?: boolean } = {},
  ): this {
    if (asName(call) === undefined) return this;
    const message = {
      id: `${String(call)}:result`,
      role: "tool-result",
      text: stringOf(text),
      call: String(call),
    } as const;
    return this.#add(message, { timeMs, ...(isCut && { incomplete: "cut" }) });
  }

  /** What a content consists of: texts, calls and results, as Claude, Cline, pi, Gemini and Qwen write them. */
  parts(role: "user" | "assistant", id: string, content: unknown, details?: Details): this {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
    for (const [index, part] of parts.entries()) {
      const own = index === 0 ? id : `${id}:${index}`;
      const call = asObject(part["functionCall"]) ?? (CALLS.has(part["type"]) ? part : undefined);
      const { id: answered, response } = fieldsOf(part["functionResponse"]);
      if (call !== undefined)
        this.call(asName(call["id"]) ?? own, { ...call, input: call["input"] ?? call["arguments"] ?? call["args"] });
      else if (answered !== undefined) this.result(answered, responseText(response));
      else if (part["type"] === "text") this.say(role, own, part["text"], details);
      else if (part["type"] === "tool_result") {
        const text = partTexts(part["content"]);
        this.result(part["tool_use_id"], text, { isCut: text.startsWith(SAVED_ELSEWHERE) });
      }
    }
    return this;
  }

  failed(text: unknown): this {
    this.all.push({ kind: "failed", timeMs: this.timeMs, text: asName(text) ?? "error" });
    return this;
  }

  compacted(): this {
    this.all.push({ kind: "taken-back", ids: [], why: "compacted" });
    return this;
  }

  unknown(...names: readonly unknown[]): this {
    this.all.push(unknownEntry(...names));
    return this;
  }

  #add(
    message: Omit<RecordMessage, "kind" | "timeMs" | "agent" | "incomplete">,
    { incomplete, timeMs = this.timeMs }: Details = {},
  ): this {
    this.all.push({ ...this.#base, ...message, timeMs, ...(incomplete !== undefined && { incomplete }) });
    return this;
  }
}

export const unknownEntry = (...names: readonly unknown[]): RecordEntry => ({
  kind: "unknown",
  name: names
    .map((name) => asName(name) ?? "?")
    .join("/")
    .slice(0, 100),
});

/** Milliseconds since the Unix epoch, of a number or an ISO time; 0 if it is neither. */
export function timeMsOf(value: unknown): number {
  const timeMs = typeof value === "string" ? Date.parse(value) : value;
  return typeof timeMs === "number" && Number.isFinite(timeMs) ? timeMs : 0;
}

/** The text of a content: a text, or parts with a text, the result of a query or an error; joined by line feeds. */
export const partTexts = (content: unknown): string =>
  asText(content) ??
  objectsIn(content)
    .flatMap(({ error, result, text = result }) => asText(text) ?? asText(error) ?? [])
    .join("\n");

/** What Gemini's interface calls the response of a function. */
export function responseText(response: unknown): string | undefined {
  const { error, output } = fieldsOf(response);
  return asText(output) ?? asText(error);
}
