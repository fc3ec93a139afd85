/** A journal in memory, for tests of views. */
import type { JournalRecord, RecordType } from "../../src/protocol/records.ts";
import type { ViewSource } from "../../src/live/live-view-options.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A journal in memory. */
export class Records implements ViewSource {
  readonly records: JournalRecord[] = [];
  end = 0;
  reads = 0;

  add(payload: string | Uint8Array, type: RecordType = "output", timeUs = Date.now() * 1000): this {
    const bytes = typeof payload === "string" ? encode(payload) : payload;
    this.records.push({ offset: this.end, timeUs, type, secret: false, payload: bytes });
    this.end += bytes.length;
    return this;
  }

  resize(columns: number, rows: number): this {
    return this.add(Uint8Array.of(columns >> 8, columns & 255, rows >> 8, rows & 255), "resize");
  }

  /** As from a journal: output is cut at both ends, other records are whole. */
  read(from: number, bytesMax: number): JournalRecord[] {
    this.reads += 1;
    const first = this.records.findIndex(({ offset, payload }) => offset + payload.length > from);
    const found: JournalRecord[] = [];
    let bytes = 0;
    for (const record of first < 0 ? [] : this.records.slice(first)) {
      const start = Math.max(0, from - record.offset);
      const isOutput = record.type === "output";
      if (bytes >= bytesMax || (!isOutput && found.length > 0 && bytes + record.payload.length > bytesMax)) break;
      if (!isOutput && start > 0) continue;
      const payload = isOutput ? record.payload.subarray(start, start + bytesMax - bytes) : record.payload;
      bytes += payload.length;
      found.push({ ...record, offset: record.offset + start, payload });
    }
    return found;
  }
}
