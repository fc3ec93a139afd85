/**
 * The lock of a journal: the process that holds it is the only writer. The kernel releases it when that process ends, however it ends,
 * and children do not inherit it.
 *
 * There are two ways to take it, and each excludes the other: SQLite, which every Node has and which locks these bytes with POSIX record
 * locks, and an open file description lock on the same bytes (`fcntl(2)`), which costs a host with thousands of sessions one
 * descriptor each instead of a database connection.
 *
 * Law: in a process that holds the lock through SQLite nothing else opens the lock file. Closing any descriptor of a file releases
 * the POSIX locks that the process has on it.
 */
import { chmodSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** `PENDING_BYTE` of SQLite and what follows it: https://sqlite.org/fileformat.html#the_lock_byte_page. */
export const lockedBytes = { start: 0x4000_0000, length: 512 } as const;

/** https://sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export interface WriterLock {
  release(): void;
}

/** Undefined where somebody holds the lock. Throws where the file cannot be locked at all: then nothing may be written. */
export type TakeWriterLock = (path: string) => WriterLock | undefined;

const writerLockPath = (directory: string): string => join(directory, "writer.lock");

/** Locks that this process holds: a second attempt must not even open the file, see the law above. */
const held = new Set<string>();

/**
 * Undefined where somebody writes the journal of this directory, this process included. Throws as `take` does, and where the lock is
 * not a file.
 */
export function takeWriterLock(directory: string, take: TakeWriterLock): WriterLock | undefined {
  const path = writerLockPath(directory);
  if (held.has(path)) return undefined;
  if (kindAt(path) === "other") throw new Error(`"${path}" is not a file, so it cannot be locked: move it away`);
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
 * A file with other contents is emptied; it stays the same file, so of two processes that empty it at the same time only one
 * gets the lock.
 */
export function takeSqliteLock(path: string): WriterLock | undefined {
  try {
    return lockDatabase(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    truncateSync(path);
    return lockDatabase(path);
  }
}

function lockDatabase(path: string): WriterLock | undefined {
  // Loaded when it is needed: it takes some milliseconds.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    // In memory, or there would be a second file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    chmodSync(path, 0o600);
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (primaryCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** SQLite reads the file only after it got a shared lock: nobody else held the exclusive lock then, whatever the file contains. */
function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Without the extension in the higher bits. */
const primaryCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** Whether a living process writes the journal. True as well where that cannot be found out. */
export function isWriterLocked(directory: string): boolean {
  const path = writerLockPath(directory);
  try {
    // The writer makes it before its first record; writers of older versions make none. Nobody can lock a directory in its place.
    if (kindAt(path) !== "file") return false;
    const lock = takeWriterLock(directory, lockDatabase);
    lock?.release();
    return lock === undefined;
  } catch (error) {
    return !isDamage(error);
  }
}

/** What is at the path, without opening it. */
function kindAt(path: string): "nothing" | "file" | "other" {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "nothing";
  return found.isFile() ? "file" : "other";
}
