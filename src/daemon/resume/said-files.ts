/** What agents have written down of their conversations, for those whose processes do not show which one is theirs. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesFitting } from "./home-paths.ts";
import { readRegularFile } from "./regular-file.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { transcriptReader, type TranscriptFormat } from "../../core/transcripts/transcript-reader.ts";
import { asObject } from "../../core/wire/shape.ts";

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
/** Clocks of files and of this process. */
const SLACK_MS = 5000;

/** The conversations of this directory in which something was said since then. `path` may have `*`. */
export async function saidIn(format: TranscriptFormat, path: string, place: Place): Promise<SaidConversation[]> {
  if (format === "opencode") return existsSync(path) ? await opencodeConversations(path, place) : [];
  return filesFitting(path)
    .filter((file) => isRecent(file, place))
    .slice(-CONVERSATIONS_MAX)
    .flatMap((file) => conversationIn(file, format, place.workingDirectory));
}

function isRecent(file: string, { sinceMs }: Place): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= FILE_BYTES_MAX && stats.mtimeMs >= sinceMs - SLACK_MS;
}

/** None if the file is not of this directory, or says nothing of its user. */
function conversationIn(file: string, format: TranscriptFormat, workingDirectory: string): SaidConversation[] {
  const bytes = readRegularFile(file, FILE_BYTES_MAX);
  const directory = directoryOf(file, bytes.toString("utf8", 0, HEAD_BYTES_MAX));
  if (directory !== workingDirectory && directory !== realPathOf(workingDirectory)) return [];
  const entries = transcriptReader(format).read(bytes);
  const left = new Set(entries.flatMap((entry) => (entry.kind === "taken-back" ? entry.ids : [])));
  const prompts = new Map<string, SaidPrompt>();
  for (const entry of entries)
    if (entry.kind === "message" && entry.role === "user" && entry.agent === undefined && !left.has(entry.id))
      prompts.set(entry.id, entry);
  const id = entries.find((entry) => entry.kind === "conversation")?.id;
  return id === undefined ? [] : [{ id, file, prompts: [...prompts.values()].slice(-PROMPTS_MAX) }];
}

/** Where the agent worked: in a file for all its conversations, or in one of the first rows. */
function directoryOf(file: string, head: string): unknown {
  try {
    return readRegularFile(join(dirname(dirname(file)), ".project_root"), HEAD_BYTES_MAX)
      .toString()
      .trim();
  } catch {
    const rows = head.split("\n").map((line) => asObject(jsonValueOf(line)) ?? {});
    return rows.map(({ cwd, payload }) => cwd ?? asObject(payload)?.["cwd"]).find((one) => one !== undefined);
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
