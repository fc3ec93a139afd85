/** Tags in a text that is whole, such as the turn of a model or a message, and the text without them. */
import { findEncodedEvents, type EncodedEvent } from "./encoded-event.ts";
import { eventKey, signalKeys } from "./event-key.ts";
import { tagDefaults, TagScanner, type AbandonedTag, type TagScanItem, type TagScannerOptions } from "./tag-scanner.ts";
import type { TaggedEvent } from "./tagged-event.ts";

export interface FoundTag extends Extract<TagScanItem, { type: "tag" }> {
  /** Index of its `<`, and the index behind its last `>`. */
  readonly from: number;
  readonly to: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** `scanText('Done.\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\n').text; // "Done.\n"` */
export function scanText(
  text: string,
  options: TagScannerOptions = {},
): { readonly tags: readonly FoundTag[]; readonly abandoned: readonly AbandonedTag[]; readonly text: string } {
  if (!mayHaveTag(text, options)) return { tags: [], abandoned: [], text };
  const scanner = new TagScanner({ ...options, isPlain: true });
  const bytes = encoder.encode(text);
  const items = [...scanner.feed(bytes, { offset: 0, timeMs: 0 }), ...scanner.end()];
  const tags: FoundTag[] = [];
  const abandoned: AbandonedTag[] = [];
  let rest = "";
  let done = { byte: 0, index: 0 };
  const indexOf = (byte: number): number => {
    const index = done.index + decoder.decode(bytes.subarray(done.byte, byte)).length;
    done = { byte, index };
    return index;
  };
  for (const item of items) {
    if (item.type === "text") rest += decoder.decode(item.bytes);
    else if (item.type === "tag") tags.push({ ...item, from: indexOf(item.offset), to: indexOf(item.end) });
    else abandoned.push(item);
  }
  return { tags, abandoned, text: rest };
}

/** A text as people and models read it. */
export interface ReadableText {
  readonly text: string;
  /** Tags that were left out: the text is not exactly what was written. */
  readonly tags: number;
}

/** Whether a text may have a tag, so that somebody has to ask which events were reported. */
export const mayHaveTag = (text: string, { tagName = tagDefaults.tagName }: TagScannerOptions): boolean =>
  text.includes(`<${tagName}`);

/**
 * An output without the tags of trusted events. Any other tag is content, such as that of a file: one that nobody trusts, that was typed or
 * that was abandoned. A tag that has a line for itself takes the line along.
 */
export function readableOutput(
  text: string,
  { events, ...options }: TagScannerOptions & { readonly events: readonly TaggedEvent[] },
): ReadableText {
  const signals = signalKeys(events);
  if (signals.size === 0) return { text, tags: 0 };
  const isSignal = ({ name, body }: Pick<FoundTag, "name" | "body">): boolean => signals.has(eventKey(name, body));
  const found = scanText(text, { ...options, isSignal });
  return { text: found.text, tags: found.tags.length };
}

/** Which tags and encoded events of a message are signals; the others are content, as in a quotation or in a file. */
export interface SignalOptions extends Omit<TagScannerOptions, "isSignal"> {
  readonly isSignal: (tag: FoundTag) => boolean;
  readonly isEncodedSignal: (event: EncodedEvent) => boolean;
}

/**
 * A message as people and models read it: without the tags and encoded events that are signals, and without the blank lines and the fence
 * that are left around them.
 */
export function withoutSignals(text: string, { isSignal, isEncodedSignal, ...options }: SignalOptions): string {
  const tags = scanText(text, options).tags.filter(isSignal);
  const encoded = text.includes("@@FE") ? encodedPlaces(text, isEncodedSignal) : [];
  const places = [...tags, ...encoded].toSorted((one, other) => one.from - other.from);
  return withoutPlaces(text, places);
}

type TextPlace = Pick<FoundTag, "from" | "to">;

/** What has a line for itself takes the line along, and one of two blank lines that would follow each other. */
function withoutPlaces(text: string, places: readonly TextPlace[]): string {
  let shown = "";
  let next = 0;
  for (const { from, to } of places) {
    if (from < next) continue;
    shown += text.slice(next, from);
    next = to;
    if (shown !== "" && !shown.endsWith("\n")) continue;
    if (text[next] === "\n") next++;
    if (text[next] === "\n" && (shown === "" || shown.endsWith("\n\n"))) next++;
    if (next === text.length) shown = shown.trimEnd();
  }
  return shown + text.slice(next);
}

/** With the backticks around it, and the fence if nothing else is in it. */
function encodedPlaces(text: string, isSignal: SignalOptions["isEncodedSignal"]): TextPlace[] {
  const lines = text.split("\n");
  let length = 0;
  const starts = lines.map((line) => (length += line.length + 1) - line.length - 1);
  const lineAt = (row: number): string => lines[row] ?? "";
  const isFence = (row: number): boolean => /^\s*(?:`{3,}|~{3,})/.test(lineAt(row));
  const found = findEncodedEvents(lines).filter(isSignal);
  return found.map(({ firstRow, lastRow, column, end }) => {
    const before = /^\s*`*$|`*$/.exec(lineAt(firstRow).slice(0, column))?.[0] ?? "";
    const behind = /^`*\s*$|^`*/.exec(lineAt(lastRow).slice(end))?.[0] ?? "";
    const isAlone = before.length === column && end + behind.length === lineAt(lastRow).length;
    const isFenced = isAlone && isFence(firstRow - 1) && isFence(lastRow + 1);
    const [top, bottom] = isFenced ? [firstRow - 1, lastRow + 1] : [firstRow, lastRow];
    const from = (starts[top] ?? 0) + (isFenced ? 0 : column - before.length);
    return { from, to: (starts[bottom] ?? 0) + (isFenced ? lineAt(bottom).length : end + behind.length) };
  });
}
