/** The nonce of a session's shell marks, in a file of its own beside the journal: it must survive the daemon and a reindex, and no client needs it. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "shell-nonce";
/** A shorter one was truncated. */
const NONCE_CHARS_MIN = 12;

export async function keepNonce(directory: string, nonce: string): Promise<void> {
  await writeFile(join(directory, FILE), nonce, { mode: 0o600 });
}

/** Null if the program was not asked for marks. For a damaged file, a nonce that no mark has, so that none is trusted. */
export async function readNonce(directory: string): Promise<string | null> {
  try {
    const text = await readFile(join(directory, FILE), "utf8");
    return text.length >= NONCE_CHARS_MIN ? text : unknownNonce();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : unknownNonce();
  }
}

const unknownNonce = (): string => randomBytes(NONCE_CHARS_MIN).toString("base64url");
