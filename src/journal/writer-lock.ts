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
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";

/** `PENDING_BYTE` of SQLite and what follows it: https://sqlite.org/fileformat.html#the_lock_byte_page. */
export const lockedBytes = { start: 0x4000_0000, length: 512 } as const;

const SQLITE_BUSY = 5;

export interface WriterLock {
  release(): void;
}

/** Undefined where somebody holds the lock. Throws where the file cannot be locked at all: then nothing may be written. */
export type TakeWriterLock = (path: string) => WriterLock | undefined;

const writerLockPath = (directory: string): string => join(directory, "writer.lock");

/** Locks that this process holds: a second attempt must not even open the file, see the law above. */
const held = new Set<string>();

/** Undefined where somebody writes the journal of this directory, this process included. Throws as `take` does. */
export function takeWriterLock(directory: string, take: TakeWriterLock): WriterLock | undefined {
  const path = writerLockPath(directory);
  if (held.has(path)) return undefined;
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

export function takeSqliteLock(path: string): WriterLock | undefined {
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
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** Whether a living process writes the journal. True as well where that cannot be found out. */
export function isWriterLocked(directory: string): boolean {
  const path = writerLockPath(directory);
  // The writer makes it before its first record; writers of older versions make none.
  if (!existsSync(path)) return false;
  try {
    const lock = takeWriterLock(directory, takeSqliteLock);
    lock?.release();
    return lock === undefined;
  } catch {
    return true;
  }
}
