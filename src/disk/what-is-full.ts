/** What an error "no space left" means: the kernel reports missing space and missing inodes by the same code. */
import { statfsSync } from "node:fs";

/** What has failed has given back the few that it took. */
const FEW_INODES = 16;

/** Files that can still be created; Infinity for a file system without a fixed number. Throws if there is no such directory. */
export function freeInodesAt(directory: string): number {
  const { ffree, files } = statfsSync(directory);
  return files === 0 ? Infinity : ffree;
}

/** As a clause of a message about a write in this directory that found no space. */
export function whatIsFull(directory: string): string {
  try {
    const inodes = freeInodesAt(directory);
    if (inodes < FEW_INODES) return `the disk has ${inodes} free inodes, and each file needs one`;
  } catch {
    // The write has failed already: only its reason is less exact.
  }
  return "the disk is full";
}
