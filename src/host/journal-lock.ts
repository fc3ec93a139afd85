/** How the host locks a journal: by an open file description lock where possible, which costs less than a database connection. */
import { closeSync, constants, openSync } from "node:fs";
import { lockedBytes, takeSqliteLock, type WriterLock } from "../journal/writer-lock.ts";
import { loadLibc } from "../pty/libc.ts";

export function takeJournalLock(path: string): WriterLock | undefined {
  const { libc } = loadLibc();
  if (libc === undefined) return takeSqliteLock(path);
  // Node opens files as close-on-exec, so children do not inherit the lock.
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  let isTaken = false;
  try {
    isTaken = libc.lockBytes(descriptor, lockedBytes);
  } finally {
    if (!isTaken) closeSync(descriptor);
  }
  return isTaken ? { release: () => closeSync(descriptor) } : undefined;
}
