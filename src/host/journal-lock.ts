/** The host's way to lock a journal: without a database connection for each session where the system has a lighter lock. */
import { closeSync, constants, openSync } from "node:fs";
import { lockedBytes, takeSqliteLock, type WriterLock } from "../journal/writer-lock.ts";
import { loadLibc } from "../pty/libc.ts";

export function takeJournalLock(path: string): WriterLock | undefined {
  const { libc } = loadLibc();
  if (libc === undefined) return takeSqliteLock(path);
  // Node opens files so that children do not inherit them.
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  let isTaken = false;
  try {
    isTaken = libc.lockBytes(descriptor, lockedBytes);
  } finally {
    if (!isTaken) closeSync(descriptor);
  }
  return isTaken ? { release: () => closeSync(descriptor) } : undefined;
}
