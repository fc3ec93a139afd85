/** Small files of the data directory: read without an error for a missing one, and replaced as a whole. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { jsonValueOf } from "../core/json/json-value.ts";

/** The content of a JSON file; undefined if it does not exist, cannot be read, or is damaged. */
export function readJsonFile(path: string): unknown {
  try {
    return jsonValueOf(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** The text of a file; undefined if it does not exist. Throws if it cannot be read. */
export function textInFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file as a whole: a reader sees the old content or the new one, and nobody else may read either. Throws if the disk does not take it. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const next = `${path}.new`;
  rmSync(next, { force: true });
  writeFileSync(next, content, { mode, flag: "wx" });
  renameSync(next, path);
}
