/** The agents against the scripted model without Lectern: what the other tests compare with, and a check of the recipes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { type AgentName, installedAgent } from "./installed-agents.ts";

const run = promisify(execFile);
const AGENT_MS_MAX = 120_000;

/** The tool with which each of them runs a shell command, and its argument. */
const shells: Partial<Record<AgentName, readonly [tool: string, argument: string]>> = {
  claude: ["Bash", "command"],
  codex: ["exec_command", "cmd"],
  gemini: ["run_shell_command", "command"],
};

for (const [name, [tool, argument]] of Object.entries(shells)) {
  test(`${name} runs a tool call of the scripted model and says its last word`, async () => {
    const agent = await installedAgent(name as AgentName);
    await using model = await ScriptedModel.start({
      aside: "A title",
      turns: [
        { say: "I look.", calls: [{ name: tool, arguments: { [argument]: "echo made-by-tool | tee made.txt" } }] },
        { when: { last: "made-by-tool" }, say: "The tool has answered." },
      ],
    });
    using home = new AgentHome(agent, model.url);
    const [program, ...words] = home.print("Use the tool");
    const running = run(program, words, {
      cwd: home.workingDirectory,
      env: home.environment(),
      timeout: AGENT_MS_MAX,
    });
    running.child.stdin?.end();
    const { stdout } = await running;
    assert.match(stdout, /The tool has answered\./);
    assert.ok(existsSync(join(home.workingDirectory, "made.txt")));
  });
}
