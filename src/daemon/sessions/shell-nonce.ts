/** The nonce of a session's shell marks, in a file of its own beside the journal: it must survive the daemon and a reindex, and no client needs it. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "shell-nonce";
/** A shorter one was truncated. */
const NONCE = /^[\w-]{12,}$/;
const UNKNOWN_BYTES = 12;

export async function keepNonce(directory: string, nonce: string): Promise<void> {
  await writeFile(join(directory, FILE), nonce, { mode: 0o600 });
}

/** Null if the program was not asked for marks, undefined for a damaged file. */
export async function readNonce(directory: string): Promise<string | null | undefined> {
  try {
    const text = await readFile(join(directory, FILE), "utf8");
    return NONCE.test(text) ? text : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : undefined;
  }
}

/** One that no mark has. */
export const unknownNonce = (): string => randomBytes(UNKNOWN_BYTES).toString("base64url");
