import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const spawnModule = join(import.meta.dirname, "spawn.ts");
const ask = `import { describeBackends } from ${JSON.stringify(spawnModule)}; const all = describeBackends();`;

/** Runs a module in a Node of its own with these flags: its standard output and error. */
const node = (flags: readonly string[], code: string): string =>
  execFileSync(process.execPath, [...flags, "--input-type=module", "-e", ask + code], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

test("where FFI is off the fallback is described as the best backend, with the reason", () => {
  const shown = node(["--no-experimental-ffi"], "console.log(JSON.stringify(all))");
  const [ffi, fallback] = JSON.parse(shown) as { available: boolean; reason?: string }[];
  assert.equal(ffi?.available, false);
  assert.match(ffi?.reason ?? "", /--no-experimental-ffi/);
  assert.equal(fallback?.available, true);
});

test("under the permission model the reason names the flag that is missing", () => {
  const shown = node(["--permission", "--allow-fs-read=*", "--allow-addons"], "console.log(all[0].reason)");
  assert.match(shown, /--allow-ffi/);
});

test("loading FFI drops its own warning and no other", () => {
  const code = `
    const seen = [];
    process.on("warning", ({ message }) => seen.push(message));
    process.emitWarning("another");
    setImmediate(() => console.log(JSON.stringify(seen)));`;
  assert.deepEqual(JSON.parse(node(["--no-warnings"], code)), ["another"]);
});
