/** The file that standard error of a process in the background goes to. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { isNoSpace } from "../core/no-space.ts";

/** A larger file becomes `FILE.1` first. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Opens a log to append to it. A directory in its place is renamed, which the new log says; on a full disk the process runs without a
 * log. Throws what else the file system throws.
 */
export function openLogDescriptor(path: string): number {
  try {
    return openFile(path);
  } catch (error) {
    if (isNoSpace(error)) return openSync(devNull, "a");
    if ((error as NodeJS.ErrnoException).code !== "EISDIR") throw error;
    return openInPlaceOf(path);
  }
}

function openFile(path: string): number {
  const log = openSync(path, "a", 0o600);
  if (fstatSync(log).size <= LOG_BYTES_MAX) return log;
  closeSync(log);
  renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

/** A directory is never removed: somebody else made it. */
function openInPlaceOf(path: string): number {
  const aside = `${path}.damaged-${Date.now()}`;
  try {
    renameSync(path, aside);
    const log = openSync(path, "a", 0o600);
    const msg = `The log "${path}" was a directory, which is "${aside}" now`;
    // In the form of the other lines: level 40 is a warning.
    writeSync(log, `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg })}\n`);
    return log;
  } catch {
    return openSync(devNull, "a");
  }
}
