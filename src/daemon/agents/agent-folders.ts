import { constants, type Stats } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentFileText } from "../../core/agents/agent-reader.ts";
import { FILE_CHARS_MAX } from "../../core/gate/data-file.ts";
import { LecternError } from "../../core/errors.ts";

const FILES_MAX = 200;
const FILE_BYTES_MAX = FILE_CHARS_MAX;

/**
 * The files `*.yaml` of the folders, in the order of their paths. The first folder may be absent; another one that cannot be read, and each
 * file that cannot be read, has an `error` instead of a text.
 */
export async function readAgentFolders([first, ...others]: readonly [string, ...string[]]): Promise<AgentFileText[]> {
  const found = await Promise.all([
    namesIn(first).catch((error: unknown) => (codeOf(error) === "ENOENT" ? [] : [unread(first, error)])),
    ...others.map(async (folder) => await namesIn(folder).catch((error: unknown) => [unread(folder, error)])),
  ]);
  const all = found.flat();
  if (all.length > FILES_MAX)
    throw new LecternError("LIMIT_EXCEEDED", `Cannot read ${all.length} agent files: the limit is ${FILES_MAX}`);
  const texts = await Promise.all(all.map(async (one) => (typeof one === "string" ? await textOf(one) : one)));
  return texts.filter((text) => text !== null).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[^.].*\.ya?ml$/.test(name)).map((name) => join(folder, name));

/** Null if it was removed meanwhile. Does not wait for the writer of a pipe. */
async function textOf(path: string): Promise<AgentFileText | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const error = unfitness(await file.stat());
    return error === null ? { path, text: await file.readFile("utf8") } : { path, error };
  } catch (error) {
    const isLink = await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => null,
    );
    if (isLink === null) return null;
    return isLink && codeOf(error) === "ENOENT"
      ? { path, error: "Cannot read the file: it is a link to a file that does not exist" }
      : unread(path, error);
  }
}

function unfitness(stats: Stats): string | null {
  if (!stats.isFile()) return "Cannot read the file: it is not a regular file";
  return stats.size > FILE_BYTES_MAX
    ? `Cannot read the file: it has ${stats.size} bytes, the limit is ${FILE_BYTES_MAX}`
    : null;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** `EACCES: permission denied, open '...'` without the path, which is named beside it. */
const unread = (path: string, error: unknown): AgentFileText => ({
  path,
  error: `Cannot read it: ${(error instanceof Error ? error.message : String(error)).replace(/, \w+ '.*'$/, "")}`,
});
