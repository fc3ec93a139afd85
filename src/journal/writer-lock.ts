/**
 * The lock of a journal: its holder is the only writer. The kernel releases it when that process ends for any reason,
 * and children do not inherit it.
 *
 * It can be taken in two ways, which exclude each other: through SQLite, which every Node has and which locks these bytes with POSIX record
 * locks; or as an open file description lock on the same bytes (`fcntl(2)`), which costs a host with thousands of sessions one
 * descriptor each instead of a database connection.
 *
 * Law: in a process that holds the lock through SQLite, nothing else opens the lock file, because closing any descriptor of a file releases
 * all POSIX locks that the process has on it.
 */
import { chmodSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** SQLite's `PENDING_BYTE` and the bytes after it: https://sqlite.org/fileformat.html#the_lock_byte_page. */
export const lockedBytes = { start: 0x4000_0000, length: 512 } as const;

/** https://sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export interface WriterLock {
  release(): void;
}

/** Undefined if another process holds the lock. Throws if the file cannot be locked at all: then nothing may be written. */
export type TakeWriterLock = (path: string) => WriterLock | undefined;

const writerLockPath = (directory: string): string => join(directory, "writer.lock");

/** Locks held by this process: a second attempt must not even open the file (see the law above). */
const held = new Set<string>();

/**
 * Undefined if any process, including this one, writes the journal of this directory. Throws as `take` does, and if the lock is
 * not a file.
 */
export function takeWriterLock(directory: string, take: TakeWriterLock): WriterLock | undefined {
  const path = writerLockPath(directory);
  if (held.has(path)) return undefined;
  demandFile(path);
  const lock = take(path);
  if (lock === undefined) return undefined;
  held.add(path);
  return {
    release: () => {
      held.delete(path);
      lock.release();
    },
  };
}

/**
 * A file that is not a database is truncated. It stays the same file, so if two processes truncate it at the same time, only one
 * gets the lock.
 */
export function takeSqliteLock(path: string): WriterLock | undefined {
  demandFile(path);
  try {
    return lockDatabase(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    truncateSync(path);
    return lockDatabase(path);
  }
}

function lockDatabase(path: string): WriterLock | undefined {
  // Loaded on demand: it takes a few milliseconds.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    // In memory: otherwise SQLite would create a second file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    chmodSync(path, 0o600);
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (primaryCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** SQLite reads the file only with a shared lock, so no other process holds the exclusive one after this error. */
function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** The result code without its extension, which is in the higher bits. */
const primaryCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** Whether a running process writes the journal. Also true if that cannot be determined. */
export function isWriterLocked(directory: string): boolean {
  const path = writerLockPath(directory);
  try {
    // The writer creates it before its first record. A directory cannot be locked.
    if (kindAt(path) !== "file") return false;
    const lock = takeWriterLock(directory, lockDatabase);
    lock?.release();
    return lock === undefined;
  } catch (error) {
    return !isDamage(error);
  }
}

/** Opening a pipe would wait for a writer. */
function demandFile(path: string): void {
  if (kindAt(path) === "other") throw new Error(`"${path}" is not a file, so it cannot be locked: move it away`);
}

/** Determined without opening the file. */
function kindAt(path: string): "nothing" | "file" | "other" {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "nothing";
  return found.isFile() ? "file" : "other";
}
