/** A session whose journal is a list in memory. Behaves as a real one towards readers: offsets, split reads, exit last. */
import { Buffer } from "node:buffer";
import { LecternError } from "../../src/core/errors.ts";
import { encodeBinaryFrame } from "../../src/protocol/attach-frames.ts";
import { decodeExit, encodeJson, encodeResize, nextOffset, toServerMessage } from "../../src/protocol/payloads.ts";
import type { ExitStatus, JournalRecord, RecordType } from "../../src/protocol/records.ts";
import { defaultEventTag } from "../../src/protocol/event-tag.ts";
import type { Session } from "../../src/protocol/session.ts";
import { readOptions } from "../../src/protocol/session-options.ts";
import type { SessionCursor, FeedItem } from "../../src/live/stream.ts";

export interface Snapshot {
  readonly offset: number;
  readonly columns: number;
  readonly rows: number;
  readonly text: string;
}

export class MemorySession {
  readonly id: string;
  name: string;
  labels: Record<string, string> = {};
  columns = 80;
  rows = 24;
  exit: ExitStatus | null = null;
  readonly records: JournalRecord[] = [];
  readonly cursors = new Set<MemoryCursor>();
  /** What an emulator would draw; undefined where none runs. */
  snapshot: (() => Snapshot) | undefined;
  /** Held back while it is set: a program that does not read. */
  blockInput: Promise<void> | undefined;
  end = 0;
  #timeUs = 1_000_000;

  constructor(id: string, name: string) {
    this.id = id;
    this.name = name;
  }

  append(type: RecordType, payload: Uint8Array, secret = false): JournalRecord {
    if (this.exit !== null && type !== "gap")
      throw new LecternError("SESSION_ENDED", "Cannot write: the session ended");
    const record = { offset: this.end, timeUs: (this.#timeUs += 1000), type, secret, payload };
    this.records.push(record);
    this.end = nextOffset(record);
    if (type === "exit") this.exit = decodeExit(payload);
    for (const cursor of this.cursors) cursor.onAdvance?.();
    return record;
  }

  print(text: string | Uint8Array): JournalRecord {
    return this.append("output", typeof text === "string" ? Buffer.from(text) : text);
  }

  /** Types, and a program that echoes. */
  async type(bytes: Uint8Array): Promise<JournalRecord> {
    if (this.exit !== null) throw new LecternError("SESSION_ENDED", "Cannot type: the session ended");
    await this.blockInput;
    const record = this.append("input", Buffer.from(bytes));
    this.print(Buffer.from(bytes));
    return record;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.append("resize", encodeResize({ columns, rows }));
  }

  finish(exit: ExitStatus = { reason: "exited", code: 0, signal: null }): void {
    this.append("exit", encodeJson(exit));
  }

  /** All output from an offset on. */
  outputFrom(offset: number): Buffer {
    const outputs = this.records.filter((record) => record.type === "output" && nextOffset(record) > offset);
    return Buffer.concat(outputs.map((record) => record.payload.subarray(Math.max(0, offset - record.offset))));
  }

  toSession(): Session {
    return {
      id: this.id,
      name: this.name,
      state: this.exit === null ? "running" : "exited",
      command: ["cat"],
      agent: null,
      workingDirectory: "/",
      labels: this.labels,
      columns: this.columns,
      rows: this.rows,
      pid: this.exit === null ? 4242 : null,
      createdAt: "2026-01-01T00:00:00.000Z",
      endedAt: this.exit === null ? null : "2026-01-01T00:00:01.000Z",
      exit: this.exit,
      start: 0,
      end: this.end,
      viewers: this.cursors.size,
      status: null,
      writer: null,
      lastMessage: null,
      usage: null,
      gate: null,
      degraded: null,
      unreachable: null,
      damaged: null,
      isImported: false,
      options: readOptions({ command: ["x"] }).options,
      isMine: false,
      parent: null,
      continues: null,
      continuedBy: null,
      conversation: null,
      trustsText: false,
      eventTag: defaultEventTag,
      summaries: false,
      sandbox: null,
      worktree: null,
    };
  }
}

export class MemoryCursor implements SessionCursor {
  readonly #session: MemorySession;
  #offset: number;
  onAdvance: (() => void) | undefined;
  /** The most that was ever read ahead of what the reader asked for is 0; this counts the reads. */
  reads = 0;

  constructor(session: MemorySession, from: number) {
    if (from > session.end) {
      throw new LecternError(
        "OFFSET_BEYOND_END",
        `Cannot read from offset "${from}": the journal ends at "${session.end}"`,
      );
    }
    this.#session = session;
    this.#offset = from;
    session.cursors.add(this);
  }

  get offset(): number {
    return this.#offset;
  }

  get end(): number {
    return this.#session.end;
  }

  get done(): boolean {
    return this.#session.exit !== null && this.#offset === this.#session.end;
  }

  async read(bytesMax = 65_536): Promise<FeedItem[]> {
    this.reads += 1;
    const items: FeedItem[] = [];
    let room = bytesMax;
    for (const record of this.#session.records) {
      if (nextOffset(record) <= this.#offset) continue;
      if (room <= 0) break;
      const item = toItem(cut(record, this.#offset, record.type === "output" ? room : Number.POSITIVE_INFINITY));
      items.push(item);
      this.#offset = item.next;
      room -= item.record.payload.length;
    }
    return items;
  }

  skipTo(offset: number): void {
    if (offset < this.#offset || offset > this.end)
      throw new RangeError(`Cannot skip from ${this.#offset} to ${offset}`);
    this.#offset = offset;
  }

  [Symbol.dispose](): void {
    this.onAdvance = undefined;
    this.#session.cursors.delete(this);
  }
}

/** Output may be read in parts; everything else is whole. */
function cut(record: JournalRecord, from: number, room: number): JournalRecord {
  if (record.type !== "output") return record;
  const skipped = Math.max(0, from - record.offset);
  return { ...record, offset: record.offset + skipped, payload: record.payload.subarray(skipped, skipped + room) };
}

function toItem(record: JournalRecord): FeedItem {
  const frame =
    record.type === "output"
      ? encodeBinaryFrame({ type: "output", offset: record.offset, bytes: record.payload })
      : JSON.stringify(toServerMessage(record));
  return { record, next: nextOffset(record), frame };
}
