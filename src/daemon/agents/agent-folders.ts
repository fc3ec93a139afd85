/** Agent files in folders. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentFileText } from "../../core/agents/agent-reader.ts";
import { LecternError } from "../../core/errors.ts";

const FILES_MAX = 200;

/** The files `*.yaml` of the folders, in the order of the folders and of their names. A folder that does not exist has none. */
export async function readAgentFolders(folders: readonly string[]): Promise<AgentFileText[]> {
  const paths: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(noFolder);
    paths.push(...names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).map((name) => join(folder, name)));
  }
  if (paths.length > FILES_MAX)
    throw new LecternError("LIMIT_EXCEEDED", `Cannot read ${paths.length} agent files: the limit is ${FILES_MAX}`);
  return await Promise.all(paths.toSorted().map(async (path) => ({ path, text: await readFile(path, "utf8") })));
}

function noFolder(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
  throw error;
}
