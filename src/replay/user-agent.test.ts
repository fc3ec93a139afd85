import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { readAgentFiles } from "../core/agents/agent-reader.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { registryWith } from "../core/agents/user-agents.ts";
import { checkAgent } from "./check-agent.ts";
import { recordsOf } from "./recording.ts";

for (const name of ["copilot", "continue"] as const)
  test(`the file of ${name} reads a recording as a user's own file of another name does`, () => {
    const path = join(import.meta.dirname, `../../test/fixtures/recordings/${name}-asks-100x30.cast.gz`);
    const records = recordsOf(gunzipSync(readFileSync(path)));
    const builtInFile = new URL(`../core/agents/built-in/${name}.yaml`, import.meta.url);
    const text = readFileSync(builtInFile, "utf8").replace(`name: ${name}`, "name: mine");
    const { files, problems } = readAgentFiles([{ path: "mine.yaml", text }]);
    assert.deepEqual(problems, []);
    const own = registryWith([...files.values()]).named("mine");
    assert.ok(own);
    const [mine, builtIn] = [own, builtInAgents.named(name)!].map(({ file }) => checkAgent(records, file));
    assert.deepEqual(mine, { ...builtIn, agent: "mine" });
    assert.ok(mine.readings.some(({ dialog }) => dialog !== null));
  });
