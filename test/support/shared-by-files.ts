/** What the files of one process share, one after the other. */
import { after } from "node:test";

const ends: (() => Promise<void>)[] = [];
let isForSeveral = false;

/** To be called before the first of several files. */
export function shareAmongFiles(): void {
  isForSeveral = true;
  after(async () => void (await Promise.all(ends.splice(0).map((end) => end()))));
}

/** Calls it after the last file of this process. */
export function afterAllFiles(end: () => Promise<void>): void {
  if (isForSeveral) ends.push(end);
  else after(end);
}
