import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

test("the TypeScript of the README runs as it stands there, with the package imported by its name", async () => {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  assert.match(code, /from "lectern"/);
  const home = await shared.empty();
  await home.ok("run", "--detach", "--", "true");
  const directory = mkdtempSync(join(tmpdir(), "lectern-readme-"));
  try {
    mkdirSync(join(directory, "node_modules"));
    symlinkSync(root, join(directory, "node_modules/lectern"));
    writeFileSync(join(directory, "example.mts"), code);
    const { stdout } = await run(process.execPath, ["-C", "source", "example.mts"], {
      cwd: directory,
      env: home.environment,
      timeout: 30_000,
    });
    assert.match(stdout, /42/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
