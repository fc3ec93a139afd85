import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { LecternError } from "../core/errors.ts";
import { requireNode } from "./needs-node.ts";

const root = join(import.meta.dirname, "../..");

test("Node is not refused; Bun and Deno are, with what works there", () => {
  requireNode("open it");
  for (const [key, name] of [
    ["bun", "Bun"],
    ["deno", "Deno"],
  ] as const) {
    assert.throws(
      () => requireNode("open it", { node: "26.3.0", [key]: "1.4.5" }),
      (error) =>
        error instanceof LecternError &&
        error.code === "NOT_AVAILABLE" &&
        error.message.startsWith(`Cannot open it on ${name} 1.4.5: that needs Node 24 or later`) &&
        error.message.includes("lectern/client"),
    );
  }
});

/** What a program prints in a process that says that it is Bun. */
async function asBun(
  words: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const versions = 'Object.defineProperty(process,"versions",{value:{...process.versions,bun:"1.4.5"}})';
  const options = ["--import", `data:text/javascript,${encodeURIComponent(versions)}`, "-C", "source"];
  const run = promisify(execFile)(process.execPath, [...options, ...words], { cwd: root, timeout: 120_000 });
  return await run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

test("openTerminal and openSession name Node on Bun, and so does the command", async () => {
  const program = [
    'import { openSession, openTerminal } from "lectern";',
    'for (const open of [openTerminal, openSession]) await open("bash").catch(({ code, message }) => console.log(code, message));',
  ].join("\n");
  const { stdout } = await asBun(["--input-type=module", "-e", program]);
  assert.match(
    stdout,
    /^NOT_AVAILABLE Cannot start a program in a terminal on Bun 1\.4\.5: .*\nNOT_AVAILABLE Cannot open a session/,
  );
  const command = await asBun(["bin/lectern.mjs", "ls"]);
  assert.equal(command.code, 1);
  assert.match(command.stderr, /^lectern: Cannot run on Bun 1\.4\.5: Node 24 or later is needed/);
});
