import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
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

/** In memory, where a file costs microseconds and not milliseconds; null where Linux has none for this user. */
export function memoryDirectory(): string | null {
  try {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK);
    return "/dev/shm";
  } catch {
    return null;
  }
}

/** A new directory that only this user can read (0700). It is removed when it is disposed, and also if the process ends first. */
export class TemporaryDirectory implements Disposable {
  readonly path: string;

  constructor(parent: string | null = null) {
    this.path = mkdtempSync(join(parent ?? tmpdir(), "lectern-"));
    open.add(this.path);
    if (!process.listeners("exit").includes(removeAll)) process.once("exit", removeAll);
  }

  [Symbol.dispose](): void {
    remove(this.path);
  }
}
