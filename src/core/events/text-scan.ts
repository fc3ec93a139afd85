/** Tags in a text that is whole, such as the turn of a model or a message, and the text without them. */
import { findEncodedEvents } from "./encoded-event.ts";
import { tagDefaults, TagScanner, type TagScanItem, type TagScannerOptions } from "./tag-scanner.ts";
import type { AbandonedTag } from "./text-events.ts";

/** A tag, and where it is in the text. */
interface FoundTag extends Extract<TagScanItem, { type: "tag" }> {
  /** Index of its `<`, and the index behind its last `>`. */
  readonly from: number;
  readonly to: number;
}

export interface TextScan {
  readonly tags: readonly FoundTag[];
  readonly abandoned: readonly AbandonedTag[];
  /** The text without the tags. */
  readonly text: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * @example
 * ```ts
 * scanText('Done.\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\n').text; // "Done.\n"
 * ```
 */
export function scanText(text: string, options: TagScannerOptions = {}): TextScan {
  if (!text.includes(`<${options.tagName ?? tagDefaults.tagName}`)) return { tags: [], abandoned: [], text };
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

/**
 * The output of a program as people and models read it: without tags. A tag that has a line for itself takes the line along.
 *
 * @example
 * ```ts
 * withoutTags('one\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\ntwo\n'); // "one\ntwo\n"
 * ```
 */
export const withoutTags = (text: string, options: TagScannerOptions = {}): string => scanText(text, options).text;

/**
 * A message as people and models read it: without tags and encoded events, and without the blank lines that they leave.
 *
 * @example
 * ```ts
 * withoutEvents('Done.\n\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\n'); // "Done."
 * ```
 */
export function withoutEvents(text: string, options: TagScannerOptions = {}): string {
  const { tags, text: rest } = scanText(text, options);
  const shown = rest.includes("@@FE") ? withoutEncoded(rest) : rest;
  if (tags.length === 0 && shown === rest) return text;
  return shown.replaceAll(/\n{3,}/g, "\n\n").trimEnd();
}

function withoutEncoded(text: string): string {
  const lines = text.split("\n");
  const found = findEncodedEvents(lines).toReversed();
  for (const { firstRow, lastRow, column, end } of found) {
    const before = (lines[firstRow] ?? "").slice(0, column).replace(/`+$/, "");
    const behind = (lines[lastRow] ?? "").slice(end).replace(/^`+/, "");
    const line = before + behind;
    const [above = "", below = ""] = [lines[firstRow - 1], lines[lastRow + 1]];
    const isFenced = line.trim() === "" && /^\s*(?:`{3,}|~{3,})/.test(above) && /^\s*(?:`{3,}|~{3,})\s*$/.test(below);
    if (isFenced) lines.splice(firstRow - 1, lastRow - firstRow + 3);
    else lines.splice(firstRow, lastRow - firstRow + 1, ...(line.trim() === "" ? [] : [line]));
  }
  return lines.join("\n");
}
