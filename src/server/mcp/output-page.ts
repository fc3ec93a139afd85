/** A page of a session's output as text: bounded, and cut where the next page can go on. */
import { readableOutput } from "../../core/events/text-scan.ts";
import { LOOK_BACK_BYTES, nothingBeyondEnd, sanitizerBehind } from "../../core/text/sanitizer-behind.ts";
import { Sanitizer } from "../../core/text/sanitizer.ts";
import { defaultEventTag, tagOptionsOf } from "../../protocol/event-tag.ts";
import type { Session } from "../../protocol/session.ts";
import type { McpCalls } from "./tool.ts";

export interface OutputPage {
  /** Without escape sequences. */
  readonly output: string;
  /** Where the next page begins. */
  readonly next: number;
  /** There is more behind `next` now. */
  readonly more: boolean;
  /** Offsets that the journal does not have any more. */
  readonly missing: number;
  /** Trusted event tags that were left out of `output`. */
  readonly tags: number;
}

interface PageRecord {
  readonly type: string;
  readonly offset: number;
  readonly next: number;
  readonly data?: string | undefined;
}

const LINE_FEED = 10;

interface PageRequest {
  readonly session: string;
  readonly from: number;
  readonly bytesMax: number;
  /** The session; of `null` no tag is left out. */
  readonly tagged: Pick<Session, "eventTag" | "trustsText"> | null;
}

/** At most `bytesMax` of output from an offset on. */
export async function readPage(calls: McpCalls, request: PageRequest): Promise<OutputPage> {
  const page = await readWhole(calls, request);
  const { eventTag = defaultEventTag, trustsText: trustText = false } = request.tagged ?? {};
  const { text: output, tags } = readableOutput(page.output, { ...tagOptionsOf(eventTag), trustText });
  return { ...page, output, tags };
}

async function readWhole(calls: McpCalls, { session, from, bytesMax }: PageRequest): Promise<Omit<OutputPage, "tags">> {
  const page = new PageBuilder(from, await sanitizerAt(calls, session, from));
  for (;;) {
    const { records, next, end } = await calls.call("sessions.records", {
      session,
      from: page.next,
      bytesMax: bytesMax - page.bytes,
    });
    page.add(records, next);
    if (page.next >= end || records.length === 0) return page.end(false);
    if (page.bytes >= bytesMax) return page.end(true);
  }
}

async function sanitizerAt(calls: McpCalls, session: string, from: number): Promise<Sanitizer> {
  const input = { session, from: Math.max(0, from - LOOK_BACK_BYTES), bytesMax: LOOK_BACK_BYTES };
  const { records } = await calls.call("sessions.records", input).catch(nothingBeyondEnd);
  return sanitizerBehind(records.map(withBytes), from);
}

const withBytes = ({ type, offset, data }: PageRecord) => ({
  type,
  offset,
  bytes: data === undefined ? undefined : Buffer.from(data, "base64"),
});

/** Gathers records until the page is full. */
export class PageBuilder {
  readonly #sanitizer: Sanitizer;
  readonly #chunks: { readonly bytes: Uint8Array; readonly isBehindGap: boolean }[] = [];
  #isBehindGap = false;
  #next: number;
  /** Offset behind the last output byte, where all that follows it is of other kinds. */
  #outputEnd: number;
  #bytes = 0;
  #missing = 0;

  constructor(from: number, sanitizer = new Sanitizer()) {
    this.#sanitizer = sanitizer;
    this.#next = from;
    this.#outputEnd = from;
  }

  get next(): number {
    return this.#next;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(records: readonly PageRecord[], next: number): void {
    for (const record of records) {
      if (record.type === "gap") {
        this.#missing += record.next - record.offset;
        this.#isBehindGap = true;
      }
      if (record.type !== "output" || record.data === undefined) continue;
      const bytes = Buffer.from(record.data, "base64");
      this.#chunks.push({ bytes, isBehindGap: this.#isBehindGap });
      this.#isBehindGap = false;
      this.#bytes += bytes.length;
      this.#outputEnd = record.next;
    }
    this.#next = next;
  }

  /** A page with more behind it ends with a line, where it can: so no line and no escape sequence is cut in two. */
  end(more: boolean): Omit<OutputPage, "tags"> {
    const { bytes: last } = this.#chunks.at(-1) ?? { bytes: new Uint8Array() };
    const lineEnd = more ? last.lastIndexOf(LINE_FEED) + 1 : 0;
    const left = lineEnd === 0 ? 0 : last.length - lineEnd;
    let output = "";
    for (const [index, { bytes, isBehindGap }] of this.#chunks.entries()) {
      if (isBehindGap) this.#sanitizer.gap();
      const isLast = index === this.#chunks.length - 1;
      output += this.#sanitizer.feed(isLast ? bytes.subarray(0, bytes.length - left) : bytes);
    }
    output += this.#sanitizer.end();
    return { output, next: left === 0 ? this.#next : this.#outputEnd - left, more, missing: this.#missing };
  }
}
