/**
 * The files of a session, in `files` in its directory: they are removed with it. The program of a session may have the rights to put anything in
 * their place, so no link is followed, and a file is made only where none is.
 */
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import { whatIsFull } from "../../disk/what-is-full.ts";
import type { OutputOf } from "../../protocol/operations.ts";

const CHARS_MAX = 100;
const EXTENSION_CHARS_MAX = 16;

const FILE_BYTES_MAX = 50 * 1024 * 1024;
const TOTAL_BYTES_MAX = 500 * 1024 * 1024;
const FILES_MAX = 200;

type SessionFile = OutputOf<"files.list">["files"][number];

export const filesDirectoryOf = (sessionDirectory: string): string => join(sessionDirectory, "files");

/** Creates the directory. Throws `CONFLICT` if something else is there. */
export async function ensureFilesDirectory(sessionDirectory: string): Promise<string> {
  const directory = filesDirectoryOf(sessionDirectory);
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if ((await lstat(directory)).isDirectory()) return directory;
  throw new LecternError("CONFLICT", `Cannot use "${directory}": it is not a directory; remove it`);
}

export async function listSessionFiles(sessionDirectory: string): Promise<SessionFile[]> {
  const directory = filesDirectoryOf(sessionDirectory);
  const stats = await lstat(directory).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  const files: SessionFile[] = [];
  for (const name of (await readdir(directory)).toSorted()) {
    const path = join(directory, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() === true)
      files.push({ name, path, bytes: found.size, createdAt: new Date(found.birthtimeMs).toISOString() });
  }
  return files;
}

/** Throws `TOO_LARGE` and `LIMIT_EXCEEDED`; then, and if the body breaks off, nothing is left of it. */
export async function putSessionFile(
  sessionDirectory: string,
  given: string,
  body: AsyncIterable<Uint8Array>,
): Promise<SessionFile> {
  const directory = await ensureFilesDirectory(sessionDirectory);
  const before = await listSessionFiles(sessionDirectory);
  if (before.length >= FILES_MAX) {
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot put "${given}": ${FILES_MAX} files lie with the session; remove some`,
    );
  }
  const room = TOTAL_BYTES_MAX - totalBytes(before);
  const { name, handle } = await openFresh(directory, safeFileName(given));
  const path = join(directory, name);
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > FILE_BYTES_MAX) throw tooLarge(given);
      if (bytes > room) throw full(given);
      await handle.writeFile(chunk);
    }
    // Others may have come at the same time.
    if (totalBytes(await listSessionFiles(sessionDirectory)) > TOTAL_BYTES_MAX) throw full(given);
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(path, { force: true });
    if (!isNoSpace(error)) throw error;
    const message = `Cannot put "${given}": ${whatIsFull(directory)}; make room, for example with "lectern rm"`;
    throw new LecternError("JOURNAL_WRITE_FAILED", message, { cause: error });
  }
  return { name, path, bytes, createdAt: new Date().toISOString() };
}

const totalBytes = (files: readonly SessionFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

async function openFresh(directory: string, name: string) {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  for (let number = 1; number <= FILES_MAX + 1; number++) {
    const numbered = numberedName(name, number);
    try {
      return { name: numbered, handle: await open(join(directory, numbered), flags, 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new LecternError("NAME_TAKEN", `Cannot put "${name}": too many files have that name; choose another one`);
}

/** Throws `NOT_FOUND`. */
export async function removeSessionFile(sessionDirectory: string, name: string): Promise<void> {
  const found = (await listSessionFiles(sessionDirectory)).find((file) => file.name === name);
  if (found === undefined) throw new LecternError("NOT_FOUND", `Cannot find the file "${name}" of the session`);
  await rm(found.path);
}

const tooLarge = (name: string): LecternError =>
  new LecternError("TOO_LARGE", `Cannot put "${name}": it is larger than ${FILE_BYTES_MAX} bytes (50 MiB)`, {
    details: { bytesMax: FILE_BYTES_MAX },
  });

const full = (name: string): LecternError =>
  new LecternError(
    "LIMIT_EXCEEDED",
    `Cannot put "${name}": the files of the session would have more than ${TOTAL_BYTES_MAX} bytes (500 MiB); remove some`,
    { details: { bytesMax: TOTAL_BYTES_MAX } },
  );

/**
 * Only the last part of a path, with letters, digits, dot, dash and underscore; anything else becomes a dash. Never empty, never hidden, and
 * never an option.
 */
export function safeFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/, "")
    .replace(/[.-]+$/, "");
  if (plain === "") return "file";
  if (plain.length <= CHARS_MAX) return plain;
  const extension = /\.[^.]+$/.exec(plain)?.[0] ?? "";
  const kept = extension.length <= EXTENSION_CHARS_MAX ? extension : "";
  return plain.slice(0, CHARS_MAX - kept.length) + kept;
}

/** `name-2.png` for the second one. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const extension = /(?<=.)\.[^.]+$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, name.length - extension.length)}-${number}${extension}`;
}
