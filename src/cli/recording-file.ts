/** Opens recordings: asciicast files, plain or gzipped, and sessions. */
import { createReadStream, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { LecternError } from "../core/errors.ts";
import type { CliContext } from "./context.ts";

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** The bytes of a recording, unzipped if its first bytes say so, whatever its name. Throws `NOT_FOUND`. */
export async function readRecording(path: string): Promise<AsyncIterable<Uint8Array>> {
  const isGzipped = await startsWith(path, GZIP_MAGIC);
  const file = createReadStream(path);
  if (!isGzipped) return file as AsyncIterable<Uint8Array>;
  const gunzip = createGunzip();
  file.on("error", (error) => gunzip.destroy(error));
  return file.pipe(gunzip) as AsyncIterable<Uint8Array>;
}

async function startsWith(path: string, magic: readonly number[]): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(new Uint8Array(magic.length), 0, magic.length, 0);
    return magic.every((byte, index) => buffer[index] === byte);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const problem = code === "ENOENT" ? `Cannot find the file "${path}"` : `Cannot read "${path}": ${message}`;
    throw new LecternError("NOT_FOUND", problem, { cause });
  }
}

/** A file if the text looks like a path or exists as one, otherwise a session. */
export async function openRecording(recording: string, context: CliContext): Promise<AsyncIterable<Uint8Array>> {
  const isFile = recording.includes("/") || /\.cast(\.gz)?$/.test(recording) || existsSync(recording);
  if (isFile) return readRecording(recording);
  const client = await context.client();
  return client.bytes("sessions.export", { session: recording }, { signal: context.signal });
}
