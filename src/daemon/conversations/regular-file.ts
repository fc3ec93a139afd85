/** Files that agents keep. An agent may put a pipe in the place of one, and whoever opens that waits for a writer. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A part of it: at most `lengthMax` bytes from `from` on. Throws where there is none, where it is no regular file, or larger than `bytesMax`. */
export function readRegularFile(
  path: string,
  bytesMax: number,
  part: { from?: number; lengthMax?: number } = {},
): Buffer {
  const { from = 0, lengthMax = bytesMax } = part;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > bytesMax)
      throw new Error(`Cannot read "${path}": it is no regular file of at most ${bytesMax} bytes`);
    const bytes = Buffer.alloc(Math.min(lengthMax, Math.max(0, stats.size - from)));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, from + length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
