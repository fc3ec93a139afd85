import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { test } from "node:test";

/** Says where the compile cache of a worker is that was started with `ownEnvironment`, in a process that has one there or none. */
function cacheOfWorker(directory: string | undefined): string {
  const program = `
    import { enableCompileCache } from "node:module";
    import { Worker } from "node:worker_threads";
    import { ownEnvironment } from ${JSON.stringify(import.meta.resolve("./own-environment.ts"))};
    ${directory === undefined ? "" : `enableCompileCache(${JSON.stringify(directory)});`}
    const code = 'process.getBuiltinModule("node:worker_threads").parentPort.postMessage(' +
      'process.getBuiltinModule("node:module").getCompileCacheDir() ?? "none")';
    new Worker(code, { eval: true, env: ownEnvironment() }).on("message", (said) => console.log(said));
  `;
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", env }).trim();
}

test("a thread of ours has the compile cache of its process, and none where the process has none", () => {
  const directory = mkdtempSync(join(tmpdir(), "lct-cache-"));
  try {
    assert.ok(cacheOfWorker(directory).startsWith(directory + sep));
    assert.equal(cacheOfWorker(undefined), "none");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
