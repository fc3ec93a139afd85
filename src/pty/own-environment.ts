/** The environment of our own processes and threads; that of programs is in `environment.ts`. */
import { dirname } from "node:path";

/**
 * The environment of this process with its compile cache. Node does not pass that on to children and workers, and only this variable enables it
 * before the first file is read: run from the sources, each would load the type stripper again, see docs/decisions/command-line.md.
 */
export function ownEnvironment(): Record<string, string | undefined> {
  // `import "node:module"` takes 10 ms. The returned directory is a subdirectory, named after Node's version, of the configured one.
  const directory = process.getBuiltinModule("node:module").getCompileCacheDir();
  return { ...process.env, ...(directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }) };
}

/** Options of Node for our own processes: a bundle has source maps, by which its stack traces name the sources. */
export const ownNodeOptions: readonly string[] = import.meta.url.endsWith(".js") ? ["--enable-source-maps"] : [];

/** For `Worker`, which is not told of source maps that the main thread has enabled in code. */
export const ownThread = (): { readonly env: Record<string, string | undefined>; readonly execArgv?: string[] } => ({
  env: ownEnvironment(),
  ...(ownNodeOptions.length > 0 && { execArgv: [...ownNodeOptions] }),
});
