/** Tests that fail, for `evidence.test.ts`. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { CliHome, SharedHome } from "../e2e/cli-home.ts";
import { TemporaryDaemon } from "./temporary-daemon.ts";

const shared = new SharedHome();

async function show(home: CliHome, name: string): Promise<void> {
  await home.ok("run", "-d", "--name", name, "--", "bash", "-c", `echo "seen in $0"; read -r`, name);
  await home.ok("wait", name, "--for", `output:seen in ${name}`, "--from", "0");
}

test("fails in its own home", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o700 });
  writeFileSync(home.paths.configFile, "log: { level: debug }");
  await show(home, "own");
  assert.fail();
});

test("fails in a shared home", async () => {
  await show(await shared.empty(), "common");
  assert.fail();
});

test("fails with a daemon in its process", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id } = await daemon.run(["bash", "-c", "echo seen in $0; read -r", "inner"], { name: "inner" });
  await daemon.untilOutput(id, "seen in inner");
  daemon.problems.push(...Array.from({ length: 30 }, (_, index) => `problem ${index + 1}`));
  daemon.errors.push("the last error");
  assert.fail();
});

// The session in the shared home still runs.
test("never ends", { timeout: 500 }, async () => {
  await using _ = new CliHome();
  await new Promise<never>(() => undefined);
});
