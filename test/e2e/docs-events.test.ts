/** The page on events does what it says: its console blocks print what stands there, its programs run. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type CliHome, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/events.md"), "utf8");
const blocksOf = (kind: string): string[] =>
  [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, given]) => given === kind)
    .map(([, , text = ""]) => text);

interface Step {
  readonly command: string;
  readonly output: string;
}

/** Commands behind `$ `, and the lines under each. */
const stepsOf = (block: string): Step[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...output] = part.split("\n");
      return { command, output: output.join("\n") };
    });

test("the page on events does what it says", async () => {
  const home = await shared.empty();
  const bin = join(home.directory, "bin");
  mkdirSync(join(home.directory, "node_modules"));
  mkdirSync(bin);
  symlinkSync(root, join(home.directory, "node_modules/lectern"));
  writeFileSync(join(bin, "lectern"), `#!/bin/sh\nexec ${home.launcherEnvironment.L} "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${home.environment["PATH"]}`, node: process.execPath };
  const [outside = "", ...more] = blocksOf("ts");
  const [inside = ""] = blocksOf("ts session");
  assert.equal(more.length, 0);
  writeFileSync(join(home.directory, "outside.mts"), outside);
  writeFileSync(join(home.directory, "inside.mts"), inside);

  const steps = blocksOf("console").flatMap(stepsOf);
  assert.ok(steps.length > 10);
  const lastSteps = steps.splice(-2);
  for (const { command, output } of steps) await shows(home, env, command, output);
  await shows(home, env, `"$node" -C source outside.mts`, "event socket { files: 3 }\n");
  await shows(home, env, `lectern run -- "$node" -C source inside.mts | tr -d '\\r'`, "trusted as socket\n");
  for (const { command, output } of lastSteps) await shows(home, env, command, output);
});

async function shows(home: CliHome, env: Record<string, string>, command: string, output: string): Promise<void> {
  const result = await home.shell(`exec 2>&1; ${command}`, env);
  assert.equal(result.stdout, output, command);
}
