/** By which a build knows whether what it was made of has changed. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Of the files of these patterns, without tests. A package that changes changes the lock file, which counts too. */
export function fingerprintOf(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  const files = globSync([...patterns, "package-lock.json", "scripts/fingerprint.ts"], {
    cwd: root,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    hash.update(file.slice(root.length));
    hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Whether the file has this fingerprint. */
export function isFresh(file: string, fingerprint: string): boolean {
  try {
    return readFileSync(file, "utf8") === fingerprint;
  } catch {
    return false;
  }
}
