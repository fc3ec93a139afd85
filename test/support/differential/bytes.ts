/** Makes bytes of an answer, as model servers do and as they might. */
import { gzipSync } from "node:zlib";
import type { BaseAnswer, ServerAnswer, StreamEvent } from "./answer.ts";
import type { Random } from "./random.ts";

const encoder = new TextEncoder();

/** The answer as a server sends it that does nothing unusual. */
export function plainAnswer(base: BaseAnswer): ServerAnswer {
  const text = base.isStream
    ? base.events.map((event) => eventText(event, dataText(event.data))).join("")
    : bodyText(base);
  return serverAnswer(base, [encoder.encode(text)], base.isStream ? "text/event-stream" : "application/json");
}

/** The answer with changes to its text and bytes, each as likely as `rate` says. */
export function oddAnswer(base: BaseAnswer, random: Random, rate: number): ServerAnswer {
  const isOdd = (share = 1): boolean => random.chance(rate * share);
  const change = (text: string): string => (isOdd(0.3) ? changedText(text, random) : text);
  const text = base.isStream
    ? withLines(
        base.events.map((event) => oddEvent({ ...event, data: change(dataText(event.data)) }, random, isOdd)).join(""),
        random,
        isOdd,
      )
    : change(bodyText(base));
  const withMark = isOdd(0.2) ? `\u{feff}${text}` : text;
  const bytes = isOdd(0.1) ? changedBytes(encoder.encode(withMark), random) : encoder.encode(withMark);
  const type = isOdd(0.3)
    ? random.pick(types)
    : base.isStream
      ? "text/event-stream; charset=utf-8"
      : "application/json";
  const answer = serverAnswer(base, [bytes], type);
  if (!isOdd(0.1)) return { ...answer, chunks: cut(bytes, random) };
  return {
    ...answer,
    headers: [...answer.headers, ["content-encoding", "gzip"]],
    chunks: cut(gzipSync(bytes), random),
  };
}

const types = [
  "text/event-stream",
  "text/event-stream;charset=utf-16",
  "text/event-stream; charset=latin1",
  "application/json",
  "application/json; charset=utf-16",
  "application/vnd.api+json",
  "TEXT/EVENT-STREAM",
  "text/plain",
];

const serverAnswer = ({ dialect }: BaseAnswer, chunks: readonly Uint8Array[], type: string): ServerAnswer => ({
  dialect,
  headers: [["content-type", type]],
  chunks,
});

const dataText = (data: unknown): string => (typeof data === "string" ? data : (JSON.stringify(data) ?? "null"));

/** One body has one event; Gemini's list of chunks is one body too. */
const bodyText = ({ events }: BaseAnswer): string =>
  dataText(events.length === 1 ? events[0]?.data : events.map(({ data }) => data));

function eventText({ event }: StreamEvent, data: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

/** An event in an unusual form. Its data is a text. */
function oddEvent({ data, event }: StreamEvent, random: Random, isOdd: (share?: number) => boolean): string {
  const text = String(data);
  if (!isOdd(0.2)) return eventText({ event, data }, text);
  const name = event === undefined ? "" : `event: ${event}\n`;
  switch (random.below(9)) {
    case 0: {
      const at = text.indexOf(",", random.below(text.length + 1));
      return at === -1 ? `${name}data:${text}\n\n` : `${name}data: ${text.slice(0, at)}\ndata: ${text.slice(at)}\n\n`;
    }
    case 1:
      return `data: ${text}\n${name}\n`;
    case 2:
      return `: a comment\n${name}data: ${text}\n\n`;
    case 3:
      return `id: 7\nretry: 10\n${name}data: ${text}\n\n`;
    case 4:
      return `${name}data:${text}\n\n\n\n`;
    case 5:
      return `${name}event: message\ndata: ${text}\n\n`;
    case 6:
      return `${name} data: ${text}\n\n`;
    case 7:
      return `${name}data: ${text}\n`;
    default:
      return `${name}data\ndata: ${text}\ndata\n\n`;
  }
}

/** Other ends of lines, all the same or one by one, and a stream that ends early. */
function withLines(text: string, random: Random, isOdd: (share?: number) => boolean): string {
  let lines = text;
  if (isOdd(0.3)) {
    const end = random.pick(["\r\n", "\r", "\u2028"]);
    const share = random.pick([1, 0.1]);
    lines = lines.replaceAll("\n", (line) => (random.chance(share) ? end : line));
  }
  if (isOdd(0.2)) lines = lines.slice(0, random.below(lines.length));
  return isOdd(0.1) ? lines.trimEnd() : lines;
}

/** The same JSON in other letters, or one that has a key twice. */
function changedText(text: string, random: Random): string {
  const keys = [...text.matchAll(/"([a-zA-Z_]+)":/g)];
  if (keys.length === 0) return text;
  const key = random.pick(keys);
  const [whole, name = ""] = key;
  const escaped = `"\\u00${name.charCodeAt(0).toString(16).padStart(2, "0")}${name.slice(1)}":`;
  const other = random.pick(keys);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, key.index) + escaped + text.slice(key.index + whole.length);
    case 1:
      return `${text.slice(0, key.index)}${whole}${random.pick(["null", '""', "[]", "{}", '"x"', "0"])},${text.slice(key.index)}`;
    case 2:
      return `${text.slice(0, key.index)}${escaped}${random.pick(["null", '"x"', "1"])},${text.slice(key.index)}`;
    case 3:
      return text.slice(0, key.index) + other[0] + text.slice(key.index + whole.length);
    default:
      return text.replaceAll(",", (comma) =>
        random.chance(0.2) ? `${comma}${random.pick([" ", "\t", "  "])}` : comma,
      );
  }
}

function changedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = new Uint8Array(bytes);
  if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
  return changed;
}

function cut(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const size = random.pick([bytes.length + 1, 4096, 300, 40]);
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}
