/**
 * Opens a SQLite file of the data directory on a bad day: a damaged file is replaced by a new one, and a disk that is full does not
 * keep the daemon from starting.
 */
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isSqliteDamage, isSqliteUnwritable } from "./sqlite-errors.ts";

export interface DatabaseRequest {
  readonly file: string;
  /** Creates the tables where they are missing. Writes nothing where nothing has to change: the disk may be full. */
  readonly initialise: (database: DatabaseSync) => void;
  /** What becomes of a damaged file: `keep` renames it to `FILE.damaged`, `remove` is for what is made again from the journals. */
  readonly ifDamaged: "keep" | "remove";
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** The damaged file was replaced by an empty one for this reason. */
  readonly damage: string | null;
  /** The contents are in memory only, for this reason. */
  readonly restriction: string | null;
}

/** In the place of a file. */
export const IN_MEMORY = ":memory:";
/** Pages of 4 KiB that a database in memory may have: 64 MiB. More is refused as a full disk is. */
const MEMORY_PAGES_MAX = 16_384;
const PRIVATE_MODE = 0o600;
const OTHERS = 0o077;

/** Throws what is neither damage nor a disk that refuses: a file of a newer version, for example. */
export function openDatabase(request: DatabaseRequest): OpenedDatabase {
  try {
    return { database: openFile(request), damage: null, restriction: null };
  } catch (error) {
    const { message } = error as Error;
    if (isSqliteDamage(error) || isDirectory(request.file)) {
      const opened = replaceFile(request);
      return { database: opened ?? openInMemory(request), damage: message, restriction: opened ? null : message };
    }
    if (!isSqliteUnwritable(error)) throw error;
    // It is not there yet, or nobody may read it.
    return { database: openInMemory(request), damage: null, restriction: message };
  }
}

function openInMemory({ initialise }: DatabaseRequest): DatabaseSync {
  const database = new DatabaseSync(IN_MEMORY);
  database.exec(`PRAGMA max_page_count = ${MEMORY_PAGES_MAX}`);
  initialise(database);
  return database;
}

/**
 * Only this process opens the file, with any number of connections. So SQLite keeps the index of the write-ahead log on the heap and not in
 * a mapped file (https://sqlite.org/vfs.html#standard_unix_vfses): that takes disk space to create, and the kernel ends a process whose
 * mapped file was cut.
 */
function openFile({ file, initialise }: DatabaseRequest): DatabaseSync {
  if (file !== IN_MEMORY) prepareFiles(file);
  const database = new DatabaseSync(file === IN_MEMORY ? file : `${pathToFileURL(file).href}?vfs=unix-excl`);
  try {
    database.exec("PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    initialise(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * SQLite gives a new file the mode that the umask leaves, and its log the mode of the file. Throws for what is neither a file nor a
 * directory: opening a pipe would wait for a writer.
 */
function prepareFiles(file: string): void {
  for (const path of [file, `${file}-wal`]) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) continue;
    if (!found.isFile()) throw new Error(`"${path}" is not a file: move it away`);
    if ((found.mode & OTHERS) !== 0) chmodSync(path, PRIVATE_MODE);
  }
  if (!existsSync(file)) closeSync(openSync(file, "a", PRIVATE_MODE));
}

/** Undefined if the new file cannot be created either. */
function replaceFile(request: DatabaseRequest): DatabaseSync | undefined {
  try {
    for (const suffix of ["", "-wal", "-shm"]) putAside(`${request.file}${suffix}`, request.ifDamaged);
    return openFile(request);
  } catch {
    return undefined;
  }
}

/** A directory is never removed: somebody else made it. */
function putAside(path: string, ifDamaged: DatabaseRequest["ifDamaged"]): void {
  if (!existsSync(path)) return;
  if (ifDamaged === "remove" && !isDirectory(path)) return rmSync(path);
  const aside = `${path}.damaged`;
  renameSync(path, existsSync(aside) ? `${aside}-${Date.now()}` : aside);
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
