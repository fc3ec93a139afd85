/** Follows the record of one conversation: what was added to it goes to the journal, entry by entry. */
import { hash } from "node:crypto";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { maskSecrets } from "../../core/text/mask-secrets.ts";
import type { SourceFact } from "../../core/records.ts";
import type { RecordEntry } from "../../core/transcripts/record-entry.ts";
import { RECORD_SOURCE, type RecordFact } from "../../core/transcripts/record-fact.ts";
import {
  transcriptReader,
  type TranscriptFormat,
  type TranscriptReader,
} from "../../core/transcripts/transcript-reader.ts";
import { RecordDatabase } from "./record-database.ts";
import { RecordFile, RecordRefusal, watchBeside, type RecordPlace, type RecordSource } from "./record-file.ts";
import { documentLine, unpackedRecord, WholeRecord } from "./whole-record.ts";

/** A fact takes at most 1 MiB, and JSON may write six bytes for a character. */
const TEXT_CHARS_MAX = 128 * 1024;
/** Writers append in pieces. */
const GATHER_MS = 20;
/** What was said before the session began is in another journal; clocks of files and of this process. */
const EARLIER_SLACK_MS = 5000;

const GONE = "it is not there";

export interface FollowedRecord extends RecordPlace {
  /** Its files now, in their order: the last is followed, those before are read once. */
  readonly paths: () => readonly string[];
  readonly format: TranscriptFormat;
  readonly agent: string;
  /** The agent's id of the conversation. */
  readonly conversation: string;
  /** When the session began: what was said before is not its own. */
  readonly startedMs: number;
  /** Appends to the journal, once for each id. Rejects if the session has ended. */
  readonly append: (fact: Omit<SourceFact, "type">) => Promise<unknown>;
  /** Id of the last entry that the journal has, with all before it: what an earlier daemon has appended. Null if it has none. */
  readonly lastAppended: () => Promise<string | null>;
  /** Why it is not followed now; null if it is. */
  readonly onProblem: (reason: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export class RecordFollower implements AsyncDisposable {
  readonly #record: FollowedRecord;
  #reader: TranscriptReader;
  /** The entries up to this one are in the journal; null if what is read next is new, undefined if nothing was read yet. */
  #lastAppended: string | null | undefined;
  #file: RecordSource | undefined;
  #path: string | undefined;
  #watcher: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #problem: string | null = null;
  #mayContinue = true;
  #hasBegun = false;
  #isClosed = false;

  constructor(record: FollowedRecord) {
    this.#record = record;
    this.#reader = transcriptReader(record.format);
  }

  get conversation(): string {
    return this.#record.conversation;
  }

  /** Something may have changed; called at least once a second. `mayContinue`: the conversation may go on in another file. */
  check({ mayContinue = false } = {}): void {
    if (this.#isClosed) return;
    this.#mayContinue ||= mayContinue;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    }, GATHER_MS).unref();
  }

  /** Reads what is there, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#reading;
    if (this.#problem === null) await this.#read();
    this.#isClosed = true;
    this.#close();
  }

  async #read(): Promise<void> {
    try {
      const state = this.#file?.state();
      // What was appended before it was replaced can still be read.
      if (this.#file !== undefined) await this.#readOn(this.#file);
      if (state === "gone" || state === "replaced") this.#close();
      if (state === "same" && !this.#mayContinue) return;
      this.#mayContinue = false;
      const paths = this.#record.paths();
      // Agents begin it with the first prompt.
      if (paths.length === 0 && !this.#hasBegun) return;
      if (paths.length === 0) throw new RecordRefusal(GONE);
      if (this.#lastAppended === undefined) this.#lastAppended = await this.#record.lastAppended();
      await this.#readFiles(paths.slice(this.#path === undefined ? 0 : paths.indexOf(this.#path) + 1));
      if (this.#lastAppended !== null) await this.#readAgain(paths);
      this.#report(null);
    } catch (error) {
      if (error instanceof RecordRefusal) await this.#stop(error.message);
      else if (!this.#isClosed) this.#record.onError(error);
    }
  }

  async #readFiles(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      this.#close();
      this.#file = await sourceOf(path, this.#record);
      this.#path = path;
      this.#hasBegun = true;
      const name = basename(path);
      // The write-ahead log of a database has the name of the database in its own.
      this.#watcher = watchBeside(path, (file) => this.check({ mayContinue: file?.startsWith(name) !== true }));
      await this.#readOn(this.#file);
    }
  }

  /** The last entry that the journal has is not in the record any more: its agent has written another one. */
  async #readAgain(paths: readonly string[]): Promise<void> {
    this.#lastAppended = null;
    this.#reader = transcriptReader(this.#record.format);
    await this.#readFiles(paths);
  }

  #close(): void {
    this.#file?.[Symbol.dispose]();
    this.#watcher?.[Symbol.dispose]();
    this.#watcher = undefined;
    this.#file = undefined;
    this.#path = undefined;
  }

  async #readOn(file: RecordSource): Promise<void> {
    for (let bytes = file.next(); bytes.length > 0; bytes = file.next()) {
      for (const entry of this.#reader.read(bytes)) await this.#append(entry);
      if (this.#isClosed) return;
      // Others wait for the same thread.
      await setImmediate();
    }
  }

  async #append(entry: RecordEntry): Promise<void> {
    const { agent, append, conversation, startedMs } = this.#record;
    if (entry.kind === "conversation" && entry.id !== conversation)
      throw new RecordRefusal(`it names another conversation, "${entry.id.slice(0, 80)}"`);
    if (entry.kind === "message" && entry.timeMs > 0 && entry.timeMs < startedMs - EARLIER_SLACK_MS) return;
    const fact = factOf({ agent, conversation, entry: masked(entry) });
    if (this.#lastAppended === null) await append(fact);
    else if (this.#lastAppended === fact.id) this.#lastAppended = null;
  }

  async #stop(reason: string): Promise<void> {
    this.#close();
    if (this.#problem === reason || this.#isClosed) return;
    this.#report(reason);
    const { agent, append, conversation } = this.#record;
    await append(factOf({ agent, conversation, stopped: reason }));
  }

  #report(reason: string | null): void {
    if (this.#problem === reason) return;
    this.#problem = reason;
    this.#record.onProblem(reason);
  }
}

/** Rejects with `RecordRefusal`. */
async function sourceOf(path: string, record: FollowedRecord): Promise<RecordSource> {
  if (record.format === "opencode") return await RecordDatabase.open(path, record, record.conversation);
  if (path.endsWith(".zst")) return new WholeRecord(path, record, unpackedRecord);
  return record.format === "cline" ? new WholeRecord(path, record, documentLine) : RecordFile.open(path, record);
}

/** The same entry is the same fact, however often the record is read. */
function factOf(payload: RecordFact): Omit<SourceFact, "type"> {
  return { source: RECORD_SOURCE, id: hash("sha256", JSON.stringify(payload)).slice(0, 32), payload };
}

function masked(entry: RecordEntry): RecordEntry {
  if (entry.kind === "failed") return { ...entry, text: maskSecrets(entry.text.slice(0, TEXT_CHARS_MAX)) };
  if (entry.kind !== "message") return entry;
  const text = maskSecrets(entry.text.slice(0, TEXT_CHARS_MAX));
  return { ...entry, text, ...(entry.text.length > TEXT_CHARS_MAX && { incomplete: "cut" }) };
}
