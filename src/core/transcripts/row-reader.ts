/** What the readers of the formats share. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry, RecordMessage } from "./record-entry.ts";

/** Reads the rows of one record in their order. */
export interface RowReader {
  /** Total: no row makes it throw. */
  readonly read: (row: JsonObject) => readonly RecordEntry[];
}

/** What the messages of a row have in common. */
export type MessageBase = Pick<RecordMessage, "kind" | "timeMs" | "agent">;

export const messageBase = (time: unknown, agent?: string): MessageBase => ({
  kind: "message",
  timeMs: timeMsOf(time),
  ...(agent !== undefined && { agent }),
});

/** A call of a tool; its input is a text, or what becomes one as JSON. */
export const callEntry = (base: MessageBase, id: string, { input, name }: JsonObject): RecordMessage => {
  const text = asText(input) ?? JSON.stringify(input ?? {});
  return { ...base, id, role: "tool-call", text, tool: asName(name) ?? "?" };
};

/** The result of a call; of each call there is one. */
export const resultEntry = (
  base: MessageBase,
  { call, isCut = false, text }: { readonly call: string; readonly text: string; readonly isCut?: boolean },
): RecordMessage => ({
  ...base,
  id: `${call}:result`,
  role: "tool-result",
  text,
  call,
  ...(isCut && { incomplete: "cut" }),
});

export const compacted: RecordEntry = { kind: "taken-back", ids: [], why: "compacted" };

/** Nothing for no messages. */
export const rewound = (ids: readonly string[]): RecordEntry[] =>
  ids.length === 0 ? [] : [{ kind: "taken-back", ids, why: "rewound" }];

export const messageIds = (entries: readonly RecordEntry[]): string[] =>
  entries.flatMap((entry) => (entry.kind === "message" ? [entry.id] : []));

/** Reports a conversation when its id changes. */
export class ConversationId {
  #id: string | undefined;

  get value(): string | undefined {
    return this.#id;
  }

  enter(id: unknown, from?: unknown): RecordEntry[] {
    const [name, origin] = [asName(id), asName(from)];
    if (name === undefined || name === this.#id) return [];
    this.#id = name;
    return [{ kind: "conversation", id: name, ...(origin !== undefined && { from: origin }) }];
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

/** The text of a content, which is a text or a list of parts of which some have one; the texts are joined by line feeds. */
export function partTexts(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .flatMap((part) => asText(asObject(part)?.["text"]) ?? [])
    .join("\n");
}
