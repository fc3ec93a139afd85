import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { isNewerRelease, releaseIn } from "./newer-release.ts";

test("releases are compared by their numbers", () => {
  assert.equal(isNewerRelease("1.6.0", "0.87.1"), true);
  assert.equal(isNewerRelease("2.1.1000", "2.1.332"), true);
  assert.equal(isNewerRelease("1.0.102", "1.0.102"), false);
  assert.equal(isNewerRelease("0.9", "0.10.1"), false);
  assert.equal(isNewerRelease("1.6.1-beta.2", "1.6.1"), false);
});

test("agents name their release at their start", () => {
  assert.equal(releaseIn(">_ OpenAI Codex (v0.171.0)"), "0.171.0");
  assert.equal(releaseIn(" ▐▛███▜▌   Claude Code v2.1.332"), "2.1.332");
  assert.equal(releaseIn("Listening on 127.0.0.1"), null);
});

test("each agent file names the newest release that a recording shows", () => {
  const folder = join(import.meta.dirname, "../../../test/fixtures/recordings");
  const newest = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const truth = JSON.parse(readFileSync(join(folder, file), "utf8")) as { agent?: string; version?: string };
    const agent = /^[a-z]+/.exec(truth.agent ?? "")?.[0];
    if (agent === undefined || truth.version === undefined) continue;
    const known = newest.get(agent);
    if (known === undefined || isNewerRelease(truth.version, known)) newest.set(agent, truth.version);
  }
  assert.ok(newest.size >= 7);
  for (const [agent, version] of newest) assert.equal(builtInAgents.named(agent)?.file.recorded, version, agent);
});
