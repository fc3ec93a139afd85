/**
 * Preloaded into each test process, by `--import`. Plain JavaScript: with the cache on before the first typed file is loaded, Node need not load
 * its compiler, which takes 0.2 s of processor time. It is preloaded into the threads of a test too, which need nothing of it.
 */
const { isMainThread } = process.getBuiltinModule("node:worker_threads");
const { enableCompileCache } = process.getBuiltinModule("node:module");
const { homedir } = process.getBuiltinModule("node:os");
const { join } = process.getBuiltinModule("node:path");

if (isMainThread) {
  // Not below the home of the tests, which is removed.
  process.env.XDG_CACHE_HOME ??= join(homedir(), ".cache");
  // Also of the programs that the test starts from their sources: what is turned on in code is not passed on.
  process.env.NODE_COMPILE_CACHE ??= join(process.env.XDG_CACHE_HOME, "lectern");
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import("./evidence.ts");
  await import("./own-home.ts");
  await import("./time-limit.ts");
}
