import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { commandName } from "./command-name.ts";

const root = resolve(import.meta.dirname, "../..");

test("a hint names the command as the user's shell finds it", () => {
  const base = mkdtempSync(join(tmpdir(), "lectern-name-"));
  const own = join(base, "node_modules", ".bin");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "lectern"), "");
  chmodSync(join(own, "lectern"), 0o755);
  assert.equal(commandName({ PATH: own }, base), "lectern");
  // The shell that typed "npm start" does not have it.
  assert.equal(commandName({ PATH: own, npm_lifecycle_event: "start" }, root), join("bin", "lectern.mjs"));
  const launcher = join(base, "a clone", "lectern.mjs");
  mkdirSync(join(base, "a clone"));
  writeFileSync(launcher, "", { mode: 0o755 });
  assert.equal(commandName({ PATH: "" }, root, launcher), `'${launcher}'`);
  assert.equal(commandName({ PATH: "" }, base, launcher), "'a clone/lectern.mjs'");
  assert.equal(commandName({ PATH: "" }, join(base, "a clone"), launcher), "lectern.mjs");
  assert.equal(commandName({ PATH: "" }, root, join(own, "lectern")), join(own, "lectern"));
  const byNpx = { PATH: "", npm_lifecycle_event: "npx", npm_command: "exec" };
  assert.equal(commandName(byNpx, root, launcher), `'${launcher}'`);
  rmSync(base, { recursive: true });
});
