/** The Python client: its own tests with the Python of the system, its types, and its published form. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { root } from "../documents.ts";
import { CliHome } from "./cli-home.ts";

const client = join(root, "clients/python");
const python = "/usr/bin/python3";

/** One daemon for all: the tests kill it, and the client starts it again by the command on its PATH. */
const home = new CliHome();
after(() => home[Symbol.asyncDispose]());
const bin = join(home.directory, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "lectern"), `#!/bin/sh\nexec ${home.launcherEnvironment.L} "$@"\n`);
chmodSync(join(bin, "lectern"), 0o755);
await home.ok("up", "--detach", "--port", "0");

async function runPython(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const environment = { ...home.environment, PYTHONDONTWRITEBYTECODE: "1", ...env };
  const run = promisify(execFile)(python, words, { cwd: client, env: environment, timeout: 170_000 });
  const { stdout, stderr } = await run.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`python3 ${words.join(" ")}: ${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

for (const module of ["test_hostile", "test_agterm", "test_client"]) {
  test(`the Python client passes its ${module}`, async () => {
    const words = ["-W", "error::ResourceWarning", "-m", "unittest", `tests.${module}`];
    assert.match(await runPython(words, { PYTHONPATH: "src" }), /\nOK/);
  });
}

test("the types of the Python client are checked", async () => {
  assert.match(await runPython(["-m", "mypy", "--strict", "--cache-dir=/dev/null", "src"]), /^Success/);
});
