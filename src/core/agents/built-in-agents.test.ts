import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";

test("the built-in agents have names of their own", () => {
  const names = builtInAgents.agents.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
