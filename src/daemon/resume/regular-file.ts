/** Files that agents keep. An agent may put a pipe in the place of one, and whoever opens that waits for a writer. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Throws where there is none, where it is no regular file, or larger. */
export function readRegularFile(path: string, bytesMax: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile() && stats.size <= bytesMax) return readFileSync(descriptor);
    throw new Error(`Cannot read "${path}": it is no regular file of at most ${bytesMax} bytes`);
  } finally {
    closeSync(descriptor);
  }
}
