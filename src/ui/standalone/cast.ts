/** Reads an asciicast of version 2 for the player. See https://docs.asciinema.org/manual/asciicast/v2/ */
import type { SessionRecord } from "../../client.ts";

/** The records of a cast; other lines are ignored. */
export function recordsOfCast(text: string): SessionRecord[] {
  const [head = "{}", ...lines] = text.split("\n");
  const { width = 80, height = 24 } = JSON.parse(head) as { readonly width?: number; readonly height?: number };
  const encoder = new TextEncoder();
  const records: SessionRecord[] = [resize(0, 0, { columns: width, rows: height })];
  let offset = 1;
  for (const line of lines) {
    const event = parseEvent(line);
    if (event === undefined) continue;
    const [seconds, kind, data] = event;
    const timeUs = Math.round(seconds * 1e6);
    if (kind === "o") {
      const bytes = encoder.encode(data);
      if (bytes.length === 0) continue;
      records.push({ type: "output", offset, next: offset + bytes.length, timeUs, bytes });
      offset += bytes.length;
    } else if (kind === "r") {
      const [columns = 80, rows = 24] = data.split("x").map(Number);
      records.push(resize(offset, timeUs, { columns, rows }));
      offset += 1;
    }
  }
  return records;
}

const resize = (offset: number, timeUs: number, size: { columns: number; rows: number }): SessionRecord => ({
  type: "resize",
  offset,
  next: offset + 1,
  timeUs,
  ...size,
});

function parseEvent(line: string): readonly [number, string, string] | undefined {
  if (!line.startsWith("[")) return undefined;
  const event: unknown = JSON.parse(line);
  if (!Array.isArray(event)) return undefined;
  const [time, kind, data] = event as unknown[];
  return typeof time === "number" && typeof kind === "string" && typeof data === "string"
    ? [time, kind, data]
    : undefined;
}
