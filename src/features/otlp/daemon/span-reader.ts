/**
 * Reads the spans of one session from its journal and from what its views have reported.
 *
 * Law: it reads the journal only as far as the views have, so what they report about a part is there when the part is read. A position is that
 * of a record's end; a view that reports something later about the same place is read again, and `SessionSpans` takes each fact once.
 */
import { maskSecrets } from "../../../core/text/mask-secrets.ts";
import { SessionSpans, type SpanItem } from "../core/session-spans.ts";
import type { OtlpSpan, SpanSource } from "../core/span.ts";
import type { ChangeKind, ViewChange } from "../../../core/views/change.ts";
import { decodeMark, nextOffset } from "../../../protocol/payloads.ts";
import type { JournalRecord } from "../../../protocol/records.ts";
import { JournalReader } from "../../../journal/reader.ts";
import { sha256 } from "../../../daemon/audit/sha256.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import { traceParentOf, type SpanPosition } from "./position-file.ts";
import { hostname } from "node:os";
import { names } from "../core/names.ts";

const READ_BYTES = 262_144;
/** Reports of the views that are read at once; the journal is read no further than they reach. */
const CHANGES_MAX = 5000;

export interface SpanReaderOptions {
  readonly entry: SessionEntry;
  readonly views: Pick<SessionViews, "peek" | "store">;
  readonly content: boolean;
}

/** An item with the place where it belongs. */
interface Placed {
  readonly end: number;
  readonly item: SpanItem;
}

export class SpanReader {
  readonly #options: SpanReaderOptions;
  readonly #spans: SessionSpans;
  #offset: number;
  #isDone: boolean;

  constructor(options: SpanReaderOptions, position: SpanPosition | null) {
    this.#options = options;
    const { content, entry } = options;
    this.#spans = new SessionSpans(
      {
        session: entry.id,
        name: entry.stored.name,
        parent: traceParentOf(entry.directory),
        hash: sha256,
        content: content ? maskSecrets : null,
      },
      position?.state,
    );
    this.#offset = position?.offset ?? 0;
    this.#isDone = position?.isDone ?? false;
  }

  /** The session has ended, and everything was read. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get position(): SpanPosition {
    return { offset: this.#offset, isDone: this.#isDone, state: this.#spans.save() };
  }

  /** The next spans that have ended: about `spansMax`, or fewer at the current end. */
  async read(spansMax: number): Promise<readonly OtlpSpan[]> {
    const { entry } = this.#options;
    const spans: OtlpSpan[] = [];
    if (this.#isDone) return spans;
    await entry.refresh();
    const isEnded = !entry.live;
    const limit = await this.#limit();
    // Each read is short, and its reader lets go of the files: a session may be quiet for days.
    await using reader = await entry.reading(() => JournalReader.open(entry.directory));
    reader.advance(entry.stored.end);
    while (await this.#readPart(reader, limit, spans)) if (spans.length >= spansMax) return spans;
    if (isEnded && this.#offset >= entry.stored.end) {
      const timeUs = Date.parse(entry.stored.endedAt ?? "") * 1000;
      // Without an exit record, for example of a damaged journal, what is open would be open for ever.
      spans.push(...this.#spans.step({ type: "exit", timeUs: Number.isFinite(timeUs) ? timeUs : 0 }));
      this.#isDone = true;
    }
    return spans;
  }

  /** False at the limit. */
  async #readPart(reader: JournalReader, limit: number, spans: OtlpSpan[]): Promise<boolean> {
    const from = this.#offset;
    const changes = await this.#changesFrom(from);
    const reach = changes.length < CHANGES_MAX ? limit : Math.min(limit, changes.at(-1)?.offset ?? limit);
    const { end, items } = from < reach ? await this.#itemsOf(reader, from, reach) : { end: from, items: [] };
    const reported = changes.filter(({ offset }) => offset <= end).flatMap(changeItem);
    // What a view reports about a record belongs behind it; equal places keep this order.
    const ordered = [...items, ...reported].toSorted((one, other) => one.end - other.end);
    for (const { item } of ordered) spans.push(...this.#spans.step(item));
    this.#offset = end;
    return end > from && end < limit;
  }

  async #itemsOf(
    reader: JournalReader,
    from: number,
    reach: number,
  ): Promise<{ readonly end: number; readonly items: readonly Placed[] }> {
    const { records } = await this.#options.entry.reading(() => reader.read(from, { bytesMax: READ_BYTES }));
    const items: Placed[] = [];
    let end = from;
    for (const record of records) {
      const next = nextOffset(record);
      // Output may be continued in the middle.
      if (next > reach) return { end: record.type === "output" ? reach : end, items };
      items.push(...itemOf(record));
      end = next;
    }
    return { end: records.length === 0 ? reach : end, items };
  }

  async #changesFrom(from: number): Promise<ViewChange[]> {
    const { entry, views } = this.#options;
    const kinds: ChangeKind[] = ["status", "approval", "message"];
    return await views.store.changes({ session: entry.id, from, kinds, changesMax: CHANGES_MAX });
  }

  /** How far the views have read. One that failed is not waited for. */
  async #limit(): Promise<number> {
    const { entry, views } = this.#options;
    const { end } = entry.stored;
    const status = (await views.peek(entry).catch(() => undefined))?.view.status;
    if (status !== undefined) return status.state === "failed" ? end : Math.min(end, status.offset);
    const read = (await views.store.checkpointOffsets()).get(entry.id) ?? 0;
    return Math.min(end, read);
  }
}

function itemOf(record: JournalRecord): Placed[] {
  const { timeUs } = record;
  const end = nextOffset(record);
  if (record.type === "mark") return [{ end, item: { type: "mark", timeUs, mark: decodeMark(record.payload) } }];
  return record.type === "exit" ? [{ end: Infinity, item: { type: "exit", timeUs } }] : [];
}

function changeItem(change: ViewChange): Placed[] {
  const { offset: end, timeUs } = change;
  switch (change.kind) {
    case "status":
      return [{ end, item: { type: "status", timeUs, status: change.status } }];
    case "approval":
      return [{ end, item: { type: "approval", timeUs, approval: change.approval } }];
    case "message":
      return [{ end, item: { type: "message", timeUs, message: change.message } }];
    case "event":
    case "usage":
    case "intents":
    case "conversation":
      return [];
  }
}

export const spanSource = (version: string, resource: Readonly<Record<string, string>>): SpanSource => ({
  version,
  resource: { [names.serviceVersion]: version, [names.hostName]: hostname(), ...resource },
});
