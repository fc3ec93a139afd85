import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { registryWith } from "./user-agents.ts";

test("without files of users the built-in agents are all there is", () => {
  assert.equal(registryWith([]), builtInAgents);
});

test("a file changes one rule of a built-in agent, and the others stay", () => {
  const agents = registryWith([{ name: "codex", titles: { working: { pattern: "^\\* " } } }]);
  const said = (title: string) => agents.named("codex")?.titles.find(({ pattern }) => pattern.test(title))?.says;
  assert.deepEqual([said("* x"), said("[ ! ] x")], ["working", "blocked"]);
  assert.equal(agents.named("claude"), builtInAgents.named("claude"));
});

test("a new agent is known by its command, one that extends another has its rules", () => {
  const agents = registryWith([
    { name: "mine", commands: ["mine"] },
    { name: "wrapped", extends: "claude", commands: ["w"] },
  ]);
  assert.equal(agents.ofCommandLine("mine --x"), "mine");
  assert.equal(agents.ofProgram("/bin/w")?.boxes.length, 1);
  assert.equal(agents.ofProgram("claude")?.name, "claude");
});

test("a user's rules for any agent run on the engine that always ends, under the name of each agent", () => {
  const rows = { slow: { text: String.raw`^\x{41}(?i:b)\z`, role: "skip" as const } };
  const rules = registryWith([{ name: "generic", chat: { rows } }]).chatOf("other", "");
  assert.deepEqual([rules.name, rules.agent], ["other", "other"]);
});
