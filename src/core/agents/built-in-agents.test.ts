import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { readAgentFiles } from "./agent-reader.ts";

test("the built-in agents have names of their own", () => {
  const names = builtInAgents.agents.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("what continues a conversation opens one, and is valid in a file", () => {
  const resumed = builtInAgents.agents.filter(({ resume }) => resume.length > 0);
  assert.deepEqual(
    resumed.map(({ name, resume }) => `${name} ${resume.join(" ")}`),
    [
      "claude --resume {id}",
      "codex resume {id}",
      "gemini --resume {id}",
      "opencode --session {id}",
      "qwen --resume {id}",
      "pi --session {id}",
      "copilot --resume={id}",
    ],
  );
  for (const { name, commands, resume } of resumed) {
    assert.equal(builtInAgents.ofArguments([...commands.slice(0, 1), ...resume]), name);
    const text = `name: ${name}\nresume: ${JSON.stringify(resume)}`;
    assert.deepEqual(readAgentFiles([{ path: "mine.yaml", text }]).problems, []);
  }
});
