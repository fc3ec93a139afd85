/** The environment of a process or thread that is ours, not of a program; that of a program is in `environment.ts`. */
import { dirname } from "node:path";

/**
 * That of this process, with the compile cache that is on here. Node hands it on to neither a child nor a worker, and only this variable turns it on
 * before the first file is read: from the sources, each would load the type stripper anew, see docs/decisions/command-line.md.
 */
export function ownEnvironment(): Record<string, string | undefined> {
  // `import "node:module"` reads all that it exports, 10 ms. The directory is one below the one that was asked for: Node's version.
  const directory = process.getBuiltinModule("node:module").getCompileCacheDir();
  return { ...process.env, ...(directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }) };
}
