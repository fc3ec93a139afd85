import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkReleases } from "./agent-checks.ts";

test("an installed agent that is newer than its recordings is named", (context) => {
  const directory = mkdtempSync(join(tmpdir(), "agent-checks-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const install = (name: string, version: string): void => {
    const package_ = join(directory, "node_modules", name);
    mkdirSync(join(package_, "dist"), { recursive: true });
    writeFileSync(join(package_, "package.json"), JSON.stringify({ name, version }));
    writeFileSync(join(package_, "dist", "cli.js"), "");
  };
  const bin = join(directory, "bin");
  mkdirSync(bin);
  install("@earendil-works/pi-coding-agent", "99.0.0");
  symlinkSync("../node_modules/@earendil-works/pi-coding-agent/dist/cli.js", join(bin, "pi"));
  install("@openai/codex", "0.100.0");
  symlinkSync("../node_modules/@openai/codex/dist/cli.js", join(bin, "codex"));
  // A program of the same name that is not this agent.
  writeFileSync(join(bin, "gemini"), "");
  const checks = checkReleases(`relative:${bin}`);
  assert.deepEqual(
    checks.map(({ name, status }) => `${name} ${status}`),
    ["agent warn"],
  );
  assert.match(checks[0]?.message ?? "", /^pi 99\.0\.0 is newer than the release \d/);
});
