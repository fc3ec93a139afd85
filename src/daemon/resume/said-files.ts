/** What agents have written down of their conversations, for those whose processes do not show which one is theirs. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SaidFormat } from "../../core/agents/agent-file.ts";
import { filesFitting } from "./home-paths.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";

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
const PROMPTS_MAX = 1000;
const CONVERSATIONS_MAX = 200;
/** Clocks of files and of this process. */
const SLACK_MS = 5000;

/** The conversations of this directory in which something was said since then. `path` may have `*`. */
export async function saidIn(format: SaidFormat, path: string, place: Place): Promise<SaidConversation[]> {
  const recent = (): string[] => filesFitting(path).filter((file) => isRecent(file, place));
  switch (format) {
    case "codex":
      return recent()
        .slice(-CONVERSATIONS_MAX)
        .flatMap((file) => codexConversation(file, place.workingDirectory));
    case "gemini":
      return recent()
        .filter((file) => isOfDirectory(file, place.workingDirectory))
        .slice(-CONVERSATIONS_MAX)
        .flatMap((file) => geminiConversation(file));
    case "opencode":
      return existsSync(path) ? await opencodeConversations(path, place) : [];
  }
}

function isRecent(file: string, { sinceMs }: Place): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.size <= FILE_BYTES_MAX && stats.mtimeMs >= sinceMs - SLACK_MS;
}

/** `~/.gemini/tmp/NAME/.project_root` has the directory. */
function isOfDirectory(file: string, workingDirectory: string): boolean {
  try {
    const root = readFileSync(join(dirname(dirname(file)), ".project_root"), "utf8").trim();
    return root === workingDirectory || root === realPathOf(workingDirectory);
  } catch {
    return false;
  }
}

/** JSON lines: `session_meta` has the id and the directory, the completed items of type `UserMessage` are the prompts. */
function codexConversation(file: string, workingDirectory: string): SaidConversation[] {
  const lines = readFileSync(file, "utf8").split("\n").flatMap(jsonOf);
  const meta = lines.find(({ type }) => type === "session_meta")?.["payload"] as Fields | undefined;
  const { cwd, id } = meta ?? {};
  if (typeof id !== "string" || (cwd !== workingDirectory && cwd !== realPathOf(workingDirectory))) return [];
  const prompts = lines.flatMap(({ payload, timestamp }): SaidPrompt[] => {
    const item = (payload as Fields | undefined)?.["item"] as Fields | undefined;
    const timeMs = Date.parse(String(timestamp));
    return item?.["type"] !== "UserMessage" || Number.isNaN(timeMs) ? [] : [{ text: textOf(item["content"]), timeMs }];
  });
  return [{ id, file, prompts: prompts.slice(-PROMPTS_MAX) }];
}

type Fields = Readonly<Record<string, unknown>>;

/** JSON lines: the first has `sessionId` and `kind`, those with `type: "user"` the prompts; the last of the same id counts. */
function geminiConversation(file: string): SaidConversation[] {
  const lines = readFileSync(file, "utf8").split("\n").flatMap(jsonOf);
  const head = lines.find((line) => typeof line["sessionId"] === "string");
  const id = head?.["sessionId"];
  if (typeof id !== "string" || (head?.["kind"] ?? "main") !== "main") return [];
  const prompts = new Map<unknown, SaidPrompt>();
  for (const { type, content, timestamp, id: message } of lines) {
    const text = textOf(content);
    const timeMs = Date.parse(String(timestamp));
    // The first is made by Gemini itself.
    if (type === "user" && text !== "" && !text.startsWith("<session_context>") && !Number.isNaN(timeMs))
      prompts.set(message, { text, timeMs });
  }
  return [{ id, file, prompts: [...prompts.values()].slice(-PROMPTS_MAX) }];
}

function jsonOf(line: string): Fields[] {
  const value = jsonValueOf(line);
  return typeof value === "object" && value !== null ? [value as Fields] : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
    .join("");
}

/** SQLite: `session` has the directory and its parent, `message` who speaks, `part` the texts. */
async function opencodeConversations(file: string, { workingDirectory, sinceMs }: Place): Promise<SaidConversation[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
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
