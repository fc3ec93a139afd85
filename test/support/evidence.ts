/**
 * A failed test shows what its daemons saw. A test disposes of its homes before it is known to have failed, so their files stay until then.
 * A test that passes costs nothing: nothing is read, and no daemon is asked.
 */
import { rmSync } from "node:fs";
import { afterEach } from "node:test";
import type { LecternPaths } from "../../src/daemon/paths.ts";
import { isTestProcess } from "./test-process.ts";

export interface Home {
  readonly paths: LecternPaths;
  /** Reported by a daemon in the process of the test, which has no log file. */
  readonly errors?: readonly unknown[];
  readonly problems?: readonly string[];
}

interface Watched {
  readonly home: Home;
  /** To be removed; undefined while the home is in use. */
  readonly directory?: string;
}

/** By data directory. */
const watched = new Map<string, Watched>();

/** To be called when a home gets its daemon. */
export const watch = (home: Home): void => void watched.set(home.paths.dataDirectory, { home });

/** Removes the directory of a home at the end of the current test. */
export function removeAfterTest(home: Home, directory: string): void {
  watched.set(home.paths.dataDirectory, { home, directory });
  if (!isTestProcess) removeDisposed();
}

function removeDisposed(): void {
  for (const [key, { directory }] of watched) {
    if (directory === undefined) continue;
    rmSync(directory, { recursive: true, force: true });
    watched.delete(key);
  }
}

async function showEvidence(test: string): Promise<void> {
  if (watched.size === 0) return;
  // Loaded by no test that passes.
  const { report } = await import("./evidence-report.ts");
  const homes = [...watched.values()].map(({ home }) => home);
  await report(test, homes);
}

if (isTestProcess) {
  afterEach(async (context) => {
    if ("passed" in context && !context.passed) await showEvidence(context.fullName);
    removeDisposed();
  });
  process.on("exit", removeDisposed);
}
