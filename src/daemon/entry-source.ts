/**
 * A session of the daemon as the source of a terminal: its journal from a while back, then as it grows.
 *
 * Ordering law: a look at the foreground that stands before our last input in the journal says nothing about what comes of it.
 */
import type { ForegroundLook } from "../core/events/foreground.ts";
import { decodeExit, decodeMark } from "../protocol/payloads.ts";
import type { SessionEvent } from "../protocol/records.ts";
import type { SessionCursor, StreamItem } from "../session/stream.ts";
import type { SourceItem, TerminalSource } from "../session/terminal-source.ts";
import type { SessionEntry } from "./session-entry.ts";
import { readNonce } from "./shell-nonce.ts";

/** Where the shell is stands in the last part of the journal: a prompt and a command line are short. */
const LOOK_BACK_BYTES = 256 * 1024;

export interface EntrySource extends TerminalSource {
  /** Where the last input begins in the journal, and how far the journal was read. */
  readonly inputOffset: number | undefined;
  readonly next: number;
}

/** Resolves when everything that is in the journal now was received. `write` is refused once the session has ended. */
export async function openEntrySource(entry: SessionEntry, receive: (item: SourceItem) => void): Promise<EntrySource> {
  await entry.refresh();
  const feed = await entry.feed();
  const from = Math.max(feed.start, await feed.reader.tailOffset(LOOK_BACK_BYTES));
  const source = new JournalSource(entry, feed.openCursor(from), await readNonce(entry.directory), receive);
  await source.catchUp();
  return source;
}

class JournalSource implements EntrySource {
  readonly nonce: string | null;
  readonly foreground = "told";
  readonly #entry: SessionEntry;
  readonly #cursor: SessionCursor;
  readonly #receive: (item: SourceItem) => void;
  #reading: Promise<void> | undefined;
  #isClosed = false;
  #isWriting = false;
  /** End of our last input: looks before it are old. */
  #inputEnd = 0;
  inputOffset: number | undefined;
  #lastLook: { readonly look: ForegroundLook; readonly offset: number } | undefined;

  constructor(entry: SessionEntry, cursor: SessionCursor, nonce: string | null, receive: (item: SourceItem) => void) {
    this.#entry = entry;
    this.#cursor = cursor;
    this.nonce = nonce;
    this.#receive = receive;
  }

  get next(): number {
    return this.#cursor.offset;
  }

  async catchUp(): Promise<void> {
    this.#cursor.onAdvance = () => this.#readOn();
    this.#readOn();
    await this.#reading;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#isWriting = true;
    try {
      const { offset, next } = await this.#entry.input(bytes, false);
      this.inputOffset ??= offset;
      this.#inputEnd = next;
    } finally {
      this.#isWriting = false;
    }
    if (this.#lastLook !== undefined) this.#tell(this.#lastLook);
  }

  pause(): void {}

  resume(): void {}

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cursor.onAdvance = undefined;
    await this.#reading;
    this.#cursor[Symbol.dispose]();
  }

  #readOn(): void {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readAll(): Promise<void> {
    for (
      let items = await this.#cursor.read();
      items.length > 0 && !this.#isClosed;
      items = await this.#cursor.read()
    ) {
      for (const item of items) this.#take(item);
    }
  }

  #take({ record }: StreamItem): void {
    switch (record.type) {
      case "output":
        return this.#receive({ type: "output", bytes: record.payload });
      case "gap":
        return this.#receive({ type: "gap" });
      case "exit":
        return this.#receive({ type: "exit", exit: decodeExit(record.payload) });
      case "mark": {
        const look = lookOf(decodeMark(record.payload));
        if (look === undefined) return;
        this.#lastLook = { look, offset: record.offset };
        if (!this.#isWriting) this.#tell(this.#lastLook);
        return;
      }
      case "input":
        return this.#receive({ type: "input", bytes: record.payload });
      case "resize":
    }
  }

  #tell({ look, offset }: { readonly look: ForegroundLook; readonly offset: number }): void {
    this.#receive({ type: offset >= this.#inputEnd ? "foreground" : "standing", look });
  }
}

function lookOf(event: SessionEvent): ForegroundLook | undefined {
  if (event.type !== "foreground") return undefined;
  const { verdict, program, pid, echo, canonical } = event;
  return { verdict, program, pid, echo, canonical, group: null, reasons: [] };
}
