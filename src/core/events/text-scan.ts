/** Tags in a text that is whole, such as the turn of a model or a message, and the text without them. */
import { findEncodedEvents } from "./encoded-event.ts";
import { tagDefaults, TagScanner, type TagScanItem, type TagScannerOptions } from "./tag-scanner.ts";
import type { AbandonedTag } from "./tag-scanner.ts";

/** A tag, and where it is in the text. */
export interface FoundTag extends Extract<TagScanItem, { type: "tag" }> {
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

/** A text as people and models read it. */
export interface ReadableText {
  readonly text: string;
  /** Tags that were left out: the text is not exactly what was written. */
  readonly tags: number;
}

/**
 * The output of a program without tags, if its user trusts all that it prints; else a tag is content as any other text, such as that of
 * a file. A tag that has a line for itself takes the line along.
 *
 * @example
 * ```ts
 * readableOutput('one\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\ntwo\n', { trustText: true }); // { text: "one\ntwo\n", tags: 1 }
 * ```
 */
export function readableOutput(
  text: string,
  { trustText, ...options }: TagScannerOptions & { readonly trustText: boolean },
): ReadableText {
  if (!trustText) return { text, tags: 0 };
  const found = scanText(text, options);
  return { text: found.text, tags: found.tags.length };
}

/** Which tags and encoded events of a message are signals; the others are content, as in a quotation or in a file. */
export interface SignalOptions extends TagScannerOptions {
  readonly isSignal: (tag: FoundTag) => boolean;
  readonly isEncodedSignal: boolean;
}

/**
 * A message as people and models read it: without the tags and encoded events that are signals, and without the blank lines that they
 * leave.
 *
 * @example
 * ```ts
 * const trusted = { isSignal: () => true, isEncodedSignal: true };
 * withoutSignals('Done.\n\n<FORGE_EVENT name="DONE">{}</FORGE_EVENT>\n', trusted); // "Done."
 * ```
 */
export function withoutSignals(text: string, { isSignal, isEncodedSignal, ...options }: SignalOptions): string {
  const tags = scanText(text, options).tags.filter((tag) => isSignal(tag));
  const rest = tags.reduceRight((left, tag) => without(left, tag), text);
  const shown = isEncodedSignal && rest.includes("@@FE") ? withoutEncoded(rest) : rest;
  if (tags.length === 0 && shown === rest) return text;
  return shown.replaceAll(/\n{3,}/g, "\n\n").trimEnd();
}

/** A tag that has a line for itself takes the line along. */
function without(text: string, { from, to }: Pick<FoundTag, "from" | "to">): string {
  const [before, behind] = [text.slice(0, from), text.slice(to)];
  const end = /^\r?\n/.exec(behind)?.[0].length ?? 0;
  return before + (/(?:^|\n)$/.test(before) ? behind.slice(end) : behind);
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
