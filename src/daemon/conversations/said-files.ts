/** What agents have written down of their conversations, for those whose processes do not show which one is theirs. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { filesFitting } from "./home-paths.ts";
import { readRegularFile } from "./regular-file.ts";
import { forgetOldest } from "../../core/forget-oldest.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import {
  transcriptReader,
  type TranscriptFormat,
  type TranscriptReader,
} from "../../core/transcripts/transcript-reader.ts";
import type { RecordEntry } from "../../core/transcripts/record-entry.ts";
import { asName, fieldsOf } from "../../core/wire/shape.ts";

/** A conversation as its agent keeps it. */
export interface SaidConversation {
  readonly id: string;
  readonly file: string;
  /** What the user has said, the oldest first; at most 1,000. */
  readonly prompts: readonly SaidPrompt[];
}

export interface SaidPrompt {
  readonly text: string;
  readonly timeMs: number;
}

interface Place {
  readonly workingDirectory: string;
  /** Conversations that ended before are not read. */
  readonly sinceMs: number;
}

/** A larger file is not read. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** The first row of Codex has 22 kB. */
const HEAD_BYTES_MAX = 64 * 1024;
const PROMPTS_MAX = 1000;
const CONVERSATIONS_MAX = 200;
/** Of so many files it is known how far they were read. */
const FILES_MAX = 64;
/** Others wait for the same thread: 10 ms. */
const READ_BYTES = 1024 * 1024;
/** Clocks of files and of this process. */
const SLACK_MS = 5000;

/** The conversations of this directory in which something was said since then. `path` may have `*`. */
export async function saidIn(format: TranscriptFormat, path: string, place: Place): Promise<SaidConversation[]> {
  if (format === "opencode") return existsSync(path) ? await opencodeConversations(path, place) : [];
  const conversations = new Map<string, SaidConversation>();
  for (const file of filesFitting(path)
    .filter((one) => isRecent(one, place))
    .slice(-CONVERSATIONS_MAX))
    for (const found of await conversationIn(file, format, place.workingDirectory))
      conversations.set(found.id, merged(conversations.get(found.id), found));
  return [...conversations.values()];
}

/** A conversation may be in several files: a Gemini that goes on with one also begins an empty file of it. */
function merged(known: SaidConversation | undefined, found: SaidConversation): SaidConversation {
  if (known === undefined || known.prompts.length === 0) return found;
  if (found.prompts.length === 0) return known;
  const prompts = [...known.prompts, ...found.prompts].toSorted((one, other) => one.timeMs - other.timeMs);
  return { ...found, prompts: prompts.slice(-PROMPTS_MAX) };
}

function isRecent(file: string, { sinceMs }: Place): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= FILE_BYTES_MAX && stats.mtimeMs >= sinceMs - SLACK_MS;
}

/** The last files that were asked for, the newest last. Agents append to them, and each change of a status asks again. */
const readings = new Map<string, SaidFile>();

/** None if the file is not of this directory, or says nothing of its user. */
async function conversationIn(file: string, format: TranscriptFormat, directory: string): Promise<SaidConversation[]> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const { dev, ino } = stats;
  const key = `${format} ${dev} ${ino} ${file}`;
  const reading = readings.get(key) ?? new SaidFile(file, format);
  readings.delete(key);
  forgetOldest(readings.set(key, reading), FILES_MAX);
  if (![directory, realPathOf(directory)].includes(reading.directory ?? "")) return [];
  const { id, prompts } = await reading.read();
  return id === undefined ? [] : [{ id, file, prompts }];
}

/** A file of a conversation, of which only what was added is read. */
class SaidFile {
  readonly #file: string;
  readonly #format: TranscriptFormat;
  #directory: string | undefined;
  #reader: TranscriptReader;
  #readBytes = 0;
  #id: string | undefined;
  readonly #prompts = new Map<string, SaidPrompt>();
  #reading: Promise<void> = Promise.resolve();

  constructor(file: string, format: TranscriptFormat) {
    this.#file = file;
    this.#format = format;
    this.#reader = transcriptReader(format);
  }

  /** Where the agent worked; undefined if the file does not say so yet. */
  get directory(): string | undefined {
    return (this.#directory ??= directoryOf(this.#file));
  }

  async read(): Promise<Pick<SaidConversation, "prompts"> & { readonly id: string | undefined }> {
    const reading = this.#reading.catch(() => undefined).then(async () => await this.#readOn());
    this.#reading = reading;
    await reading;
    return { id: this.#id, prompts: [...this.#prompts.values()] };
  }

  async #readOn(): Promise<void> {
    if (statSync(this.#file).size < this.#readBytes) this.#begin();
    const bytes = readRegularFile(this.#file, FILE_BYTES_MAX, { from: this.#readBytes });
    this.#readBytes += bytes.length;
    for (let at = 0; at < bytes.length; at += READ_BYTES) {
      if (at > 0) await setImmediate();
      for (const entry of this.#reader.read(bytes.subarray(at, at + READ_BYTES))) this.#take(entry);
    }
  }

  #begin(): void {
    this.#reader = transcriptReader(this.#format);
    this.#readBytes = 0;
    this.#id = undefined;
    this.#prompts.clear();
  }

  #take(entry: RecordEntry): void {
    if (entry.kind === "conversation") this.#id ??= entry.id;
    if (entry.kind === "taken-back") for (const id of entry.ids) this.#prompts.delete(id);
    if (entry.kind !== "message" || entry.role !== "user" || entry.agent !== undefined) return;
    forgetOldest(this.#prompts.set(entry.id, { text: entry.text, timeMs: entry.timeMs }), PROMPTS_MAX);
  }
}

/** Where the agent worked: in a file for all its conversations, or in one of the first rows. */
function directoryOf(file: string): string | undefined {
  try {
    return readRegularFile(join(dirname(dirname(file)), ".project_root"), HEAD_BYTES_MAX)
      .toString()
      .trim();
  } catch {
    const head = readRegularFile(file, FILE_BYTES_MAX, { lengthMax: HEAD_BYTES_MAX }).toString();
    const rows = head.split("\n").map((line) => fieldsOf(jsonValueOf(line)));
    return rows.flatMap(({ cwd, payload }) => asName(cwd) ?? asName(fieldsOf(payload)["cwd"]) ?? [])[0];
  }
}

/** SQLite: `session` has the directory and its parent, `message` who speaks, `part` the texts. */
async function opencodeConversations(file: string, { workingDirectory, sinceMs }: Place): Promise<SaidConversation[]> {
  if (!statSync(file).isFile()) return [];
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    // It makes its tables while it starts; until then nothing was said.
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'part'").get() === undefined) return [];
    const sessions = database
      .prepare(
        `SELECT id FROM session WHERE directory IN (?, ?) AND parent_id IS NULL AND time_updated >= ?
         ORDER BY time_updated DESC LIMIT ${CONVERSATIONS_MAX}`,
      )
      .all(workingDirectory, realPathOf(workingDirectory), sinceMs - SLACK_MS);
    const prompts = database.prepare(
      `SELECT json_extract(part.data, '$.text') AS text, message.time_created AS time FROM message JOIN part ON part.message_id = message.id
       WHERE message.session_id = ? AND json_extract(message.data, '$.role') = 'user' AND json_extract(part.data, '$.type') = 'text'
       AND json_extract(part.data, '$.synthetic') IS NOT 1 ORDER BY message.time_created LIMIT ${PROMPTS_MAX}`,
    );
    return sessions.map(({ id }) => ({
      id: String(id),
      file,
      prompts: prompts.all(id ?? null).map(({ text, time }) => ({ text: String(text), timeMs: Number(time) })),
    }));
  } finally {
    database.close();
  }
}

function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}
