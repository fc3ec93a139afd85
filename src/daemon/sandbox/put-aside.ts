import { chmodSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { statsOf } from "./mount-table.ts";

/** Gives a file or directory another name, under which nothing executes it. Throws what the file system throws. */
export function putAside(place: string): void {
  const name = freeName(`${place}-from-sandbox`);
  try {
    renameSync(place, name);
  } catch {
    // The program has taken the right to write from its directory.
    chmodSync(dirname(place), 0o700);
    renameSync(place, name);
  }
}

function freeName(path: string): string {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? path : `${path}-${at}`;
    if (statsOf(name) === undefined) return name;
  }
}
