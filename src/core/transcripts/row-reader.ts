/** What the readers of the formats share. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";

/** Reads the rows of one record in their order. */
export interface RowReader {
  /** Total: no row makes it throw. */
  readonly read: (row: JsonObject) => readonly RecordEntry[];
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
