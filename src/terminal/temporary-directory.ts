/** Directories of this process for a time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Those that are still there. */
const open = new Set<string>();

function removeAll(): void {
  for (const path of open) remove(path);
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
  open.delete(path);
}

/** A new directory that only this user can read (0700). It is removed when it is disposed, and also if the process ends first. */
export class TemporaryDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "lectern-"));

  constructor() {
    open.add(this.path);
    if (!process.listeners("exit").includes(removeAll)) process.once("exit", removeAll);
  }

  [Symbol.dispose](): void {
    remove(this.path);
  }
}
