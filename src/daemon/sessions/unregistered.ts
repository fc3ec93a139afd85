/** Session directories that are not in the registry: it was lost, or the daemon died before it wrote the row. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { conversationSchema } from "../../protocol/conversation.ts";
import { JournalReader } from "../../journal/reader.ts";
import { listFiles } from "../../journal/segments.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import { labelsSchema, nameSchema } from "../../protocol/names.ts";
import { eventTagSchema } from "../../protocol/session-options.ts";
import { sessionSandboxSchema, sessionWorktreeSchema, sessionSchema, stateSchema } from "../../protocol/session.ts";
import { META_FILE } from "./recovery.ts";
import { SessionEntry } from "./session-entry.ts";
import type { StoredSession } from "../store/schema.ts";

/** Ids as the registry makes them. */
const ID = /^[0-9a-z]{10}$/;

/** Older versions wrote fewer fields. */
const metaSchema = z.object({
  id: z.string(),
  name: nameSchema,
  state: stateSchema,
  command: z.array(z.string()),
  agent: z.string().nullable().default(null),
  workingDirectory: z.string().default("/"),
  labels: labelsSchema.default({}),
  columns: z.int().default(80),
  rows: z.int().default(24),
  pid: z.int().nullable().default(null),
  host: z.string().nullable().default(null),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable().default(null),
  exit: sessionSchema.shape.exit.default(null),
  end: z.int().nonnegative().default(0),
  // A value that cannot be read gives no rights, and does not affect the rest.
  isMine: z.literal(true).optional().catch(undefined),
  parent: z.string().optional().catch(undefined),
  trustsText: z.literal(true).optional().catch(undefined),
  eventTag: eventTagSchema.optional().catch(undefined),
  summaries: z.literal(true).optional().catch(undefined),
  sandbox: sessionSandboxSchema.optional().catch(undefined),
  continues: z.string().optional().catch(undefined),
  conversation: conversationSchema.extend({ file: z.string().nullable() }).optional().catch(undefined),
  onBlocked: z.array(z.string()).min(1).optional().catch(undefined),
  worktree: sessionWorktreeSchema.optional().catch(undefined),
});

/** Entries for the directories that hold a session and are not in `known`. Anything else there is ignored. */
export async function findUnregistered(sessionsDirectory: string, known: ReadonlySet<string>): Promise<SessionEntry[]> {
  const entries: SessionEntry[] = [];
  for (const id of readdirSync(sessionsDirectory)) {
    if (known.has(id)) continue;
    const directory = join(sessionsDirectory, id);
    const meta = readMeta(directory, id);
    if (meta !== undefined) entries.push(new SessionEntry(meta, sessionsDirectory));
    else if (ID.test(id) && holdsSession(directory)) entries.push(await fromJournal(id, sessionsDirectory));
  }
  return entries;
}

/** Undefined if the file is missing, damaged, or of another session. */
function readMeta(directory: string, id: string): StoredSession | undefined {
  try {
    const parsed = metaSchema.safeParse(JSON.parse(readFileSync(join(directory, META_FILE), "utf8")));
    if (!parsed.success || parsed.data.id !== id) return undefined;
    const { isMine, parent, trustsText, eventTag, summaries, sandbox, worktree, ...others } = parsed.data;
    const { onBlocked, continues, conversation, ...rest } = others;
    return {
      ...rest,
      ...(isMine && { isMine }),
      ...(parent !== undefined && { parent }),
      ...(trustsText && { trustsText }),
      ...(eventTag && { eventTag }),
      ...(summaries && { summaries }),
      ...(sandbox && { sandbox }),
      ...(onBlocked && { onBlocked }),
      ...(worktree && { worktree }),
      ...(continues !== undefined && { continues }),
      ...(conversation && { conversation }),
    };
  } catch {
    return undefined;
  }
}

function holdsSession(directory: string): boolean {
  try {
    return listFiles(directory).length > 0 || readdirSync(directory).includes(META_FILE);
  } catch {
    return false;
  }
}

/** Command and size are at the beginning of the journal; the name is lost. Whether it runs is determined as for any other. */
async function fromJournal(id: string, sessionsDirectory: string): Promise<SessionEntry> {
  const directory = join(sessionsDirectory, id);
  const createdAt = statSync(directory).birthtime.toISOString();
  const blank = { id, name: id, command: [], workingDirectory: "/", createdAt, state: "running" } as const;
  const read = await firstMarks(directory).catch(() => ({}));
  const entry = SessionEntry.fresh({ ...blank, ...read }, sessionsDirectory);
  entry.damage = `"${META_FILE}" is damaged, so the name is lost: the journal can be read, and "lectern rm ${id}" removes it`;
  return entry;
}

async function firstMarks(directory: string): Promise<Partial<StoredSession>> {
  await using reader = await JournalReader.open(directory);
  const { records } = await reader.read(reader.start);
  const [first] = records;
  if (first === undefined) return {};
  const createdAt = new Date(first.timeUs / 1000).toISOString();
  for (const { type, payload } of records) {
    const event = type === "mark" ? decodeMark(payload) : undefined;
    if (event?.type !== "session-start") continue;
    const { columns, command, rows } = event;
    return { createdAt, columns, command, rows };
  }
  return { createdAt };
}
