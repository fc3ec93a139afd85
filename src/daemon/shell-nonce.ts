/** The nonce of a session's shell marks, in a file of its own beside the journal: it must survive the daemon and a reindex, and no client needs it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "shell-nonce";

export async function keepNonce(directory: string, nonce: string): Promise<void> {
  await writeFile(join(directory, FILE), nonce, { mode: 0o600 });
}

/** Null if the program was not asked for marks, or the file is empty, as after a crash: then no mark is trusted. */
export async function readNonce(directory: string): Promise<string | null> {
  try {
    const nonce = await readFile(join(directory, FILE), "utf8");
    return nonce === "" ? null : nonce;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
