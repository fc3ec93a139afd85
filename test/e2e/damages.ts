/** What becomes of a file on a bad day. */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";

/** A directory in the place of a file cannot be read, also by root. */
export const damages: Readonly<Record<string, (path: string) => void>> = {
  emptied: (path) => truncateSync(path),
  torn: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  random: (path) => writeFileSync(path, randomBytes(Math.max(64, statSync(path).size)), { mode: 0o600 }),
  removed: (path) => rmSync(path),
  unreadable: (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};
