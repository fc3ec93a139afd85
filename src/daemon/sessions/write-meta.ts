/** Writes the file from which a session is listed if the registry is lost. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { META_FILE } from "./recovery.ts";
import type { SessionEntry } from "./session-entry.ts";

/** What is needed to list the session without the registry. Replaced as a whole, so that it is never half written. */
export async function writeMeta(entry: SessionEntry): Promise<void> {
  const path = join(entry.directory, META_FILE);
  await writeFile(`${path}.new`, JSON.stringify(entry.stored), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
