/** The file of the system call filter, which the shell in front of bubblewrap opens. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemCallFilter } from "../../core/sandbox/system-call-filter.ts";
import { replaceFile } from "../../host/json-file.ts";

const FILTER_FILE = "system-calls.bpf";

/**
 * The path of the file in a directory, with the filter of this processor; undefined for a processor without one. The file is compared before
 * each use, because a session without a sandbox may have changed it.
 */
export function filterFile(directory: string): string | undefined {
  const filter = systemCallFilter(process.arch);
  if (filter === undefined) return undefined;
  const path = join(directory, FILTER_FILE);
  if (!holds(path, filter)) replaceFile(path, filter, 0o400);
  return path;
}

function holds(path: string, filter: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(filter);
  } catch {
    return false;
  }
}
