import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { profileNamed, profileOfAgent } from "./agent-profiles.ts";

test("each agent that is known has a profile, which is found by its name again", () => {
  for (const { name } of builtInAgents.agents) {
    const profile = profileOfAgent(name, name);
    assert.equal(profile.agent, name);
    assert.equal(profileNamed(profile.name)?.agent, name);
  }
});

test("opencode has another profile for its inline mode", () => {
  assert.equal(profileOfAgent("opencode", "opencode --mini").name, "opencode-mini");
  assert.equal(profileOfAgent("opencode", "opencode --mini").agent, "opencode");
  assert.equal(profileNamed("toString"), undefined);
});
