import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { readAgentFiles } from "./agent-reader.ts";
import { builtInData } from "./built-in-data.ts";

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
      "cline --id {id}",
      "copilot --resume={id}",
    ],
  );
  for (const { name, commands, resume } of resumed) {
    assert.equal(builtInAgents.ofArguments([...commands.slice(0, 1), ...resume]), name);
    const text = `name: ${name}\nresume: ${JSON.stringify(resume)}`;
    assert.deepEqual(readAgentFiles([{ path: "mine.yaml", text }]).problems, []);
  }
});

test("no built-in agent is read by a colour that its next release can change", () => {
  const fixed: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const isColour = key === "colour" || key === "background";
      if (isColour && [part].flat().some((one) => !/^[a-z]+$/.test(String(one)))) fixed.push(`${path}.${key}`);
      look(part, `${path}.${key}`);
    }
  };
  look(builtInData, "agents");
  assert.deepEqual(fixed, []);
});
