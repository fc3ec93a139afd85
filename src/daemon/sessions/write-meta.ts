/** Writes the file from which a session is listed if the registry is lost. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { META_FILE, writtenSession } from "../store/stored-session.ts";
import type { SessionEntry } from "./session-entry.ts";

/** Replaced as a whole, so that it is never half written. */
export async function writeMeta({ directory, stored }: SessionEntry): Promise<void> {
  const path = join(directory, META_FILE);
  await writeFile(`${path}.new`, writtenSession(stored, directory), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
