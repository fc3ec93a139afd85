/** Session directories that are not in the registry (it was lost, or the daemon died before it wrote the row), and the file that they are listed from. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { JournalReader } from "../../journal/reader.ts";
import { listFiles } from "../../journal/segments.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import { SessionEntry } from "./session-entry.ts";
import type { SessionRegistry } from "./session-registry.ts";
import {
  lostOptions,
  META_FILE,
  readStoredSession,
  type StoredSession,
  writtenSession,
} from "../store/stored-session.ts";
import { rename, rm, writeFile } from "node:fs/promises";

/** Behind the name of a directory whose session was removed: what a killed daemon did not finish, the next one does. */
const REMOVED = ".removed";

/** Removes a session with its directory. Once that has its new name, the session is not listed any more, whenever the daemon ends. */
export async function removeForGood({ id, directory }: SessionEntry, registry: SessionRegistry): Promise<void> {
  const removed = `${directory}${REMOVED}`;
  const putAside = async (): Promise<void> => await (existsSync(directory) ? rename(directory, removed) : undefined);
  await registry.remove(id, putAside);
  await rm(removed, { recursive: true, force: true });
}

/** Removes the rest of the sessions whose removal had begun. */
export async function finishRemovals(sessionsDirectory: string, registry: SessionRegistry): Promise<void> {
  for (const name of readdirSync(sessionsDirectory).filter((entry) => entry.endsWith(REMOVED))) {
    await registry.remove(name.slice(0, -REMOVED.length));
    await rm(join(sessionsDirectory, name), { recursive: true, force: true });
  }
}

/** Ids as the registry makes them. */
const ID = /^[0-9a-z]{10}$/;

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
    const stored = readStoredSession(JSON.parse(readFileSync(join(directory, META_FILE), "utf8")), directory);
    return stored?.id === id ? stored : undefined;
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
  const entry = SessionEntry.fresh({ ...blank, ...read, unreadOptions: lostOptions }, sessionsDirectory);
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

/** Replaced as a whole, so that it is never half written. */
export async function writeMeta({ directory, stored }: SessionEntry): Promise<void> {
  const path = join(directory, META_FILE);
  await writeFile(`${path}.new`, writtenSession(stored, directory), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
