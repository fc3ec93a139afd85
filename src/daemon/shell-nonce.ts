/** The nonce of a session's shell marks, in a file of its own beside the journal: it must survive the daemon, and no client needs it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "shell-nonce";

export async function keepNonce(directory: string, nonce: string): Promise<void> {
  await writeFile(join(directory, FILE), nonce, { mode: 0o600 });
}

/** Null where the program was not asked for marks. */
export async function readNonce(directory: string): Promise<string | null> {
  try {
    return await readFile(join(directory, FILE), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
