/** Copies of an agent's files that a program inside may change, and that end with the session. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Dirent,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxMount } from "../../core/sandbox/plan.ts";
import { statsOf } from "./mount-table.ts";

/** A larger file, such as a log, is not copied: it is not there inside. */
const COPIED_FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Of a session; further ones are not there inside. */
const COPIED_FILES_MAX = 2_000;

/** Those directly in a directory; none of a file. */
export const directoriesIn = (path: string): readonly string[] =>
  entriesOf(path)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));

/**
 * Makes the copies of a plan's private places, each at its own path below `directory`. Of a directory its files are copied, not its
 * directories. Symbolic links stay links, and lead where the walls let them.
 */
export function copyPrivatePlaces(mounts: readonly SandboxMount[], directory: string): void {
  let filesLeft = COPIED_FILES_MAX;
  for (const { kind, path } of mounts) {
    if (kind !== "private") continue;
    const target = `${directory}${path}`;
    const isDirectory = statsOf(path)?.isDirectory() === true;
    mkdirSync(isDirectory ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (!isDirectory) {
      copyFileSync(path, target);
      continue;
    }
    for (const entry of entriesOf(path)) {
      if (entry.isDirectory() || filesLeft === 0) continue;
      filesLeft -= 1;
      copyEntry(entry, path, target);
    }
  }
}

/** Also if a program inside has locked directories of its own. No program may be running in it any more. */
export function removePrivateCopies(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    unlock(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

function unlock(directory: string): void {
  chmodSync(directory, 0o700);
  for (const inner of directoriesIn(directory)) unlock(inner);
}

/** A file that is removed or locked meanwhile is not there inside. */
function copyEntry(entry: Dirent, from: string, to: string): void {
  const path = join(from, entry.name);
  try {
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(path), join(to, entry.name));
    else if (entry.isFile() && (statsOf(path)?.size ?? 0) <= COPIED_FILE_BYTES_MAX)
      copyFileSync(path, join(to, entry.name));
  } catch (error) {
    if (!["ENOENT", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
