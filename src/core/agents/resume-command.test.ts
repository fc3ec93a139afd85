import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { anewCommand, resumeCommand } from "./resume-command.ts";

function resumed(name: string, ...command: readonly string[]): string | null {
  const agent = builtInAgents.named(name);
  assert.ok(agent);
  return resumeCommand(command, agent, "ID")?.join(" ") ?? null;
}

test("options stay, the first prompt and earlier conversations do not", () => {
  assert.equal(resumed("claude", "claude"), "claude --resume ID");
  assert.equal(
    resumed("claude", "/usr/bin/claude", "--permission-mode", "default", "fix it", "-c", "--model=opus"),
    "/usr/bin/claude --resume ID --permission-mode default --model=opus",
  );
  assert.equal(
    resumed("claude", "claude", "--resume", "OLD", "--verbose", "--", "go on"),
    "claude --resume ID --verbose",
  );
  assert.equal(
    resumed("claude", "claude", "-r", "--allowedTools", "Bash", "Edit"),
    "claude --resume ID --allowedTools Bash Edit",
  );
  assert.equal(
    resumed("codex", "codex", "-c", 'model="x"', "resume", "OLD", "-i", "a.png", "b.png", "--no-daemon"),
    'codex resume ID -c model="x" --no-daemon',
  );
  assert.equal(resumed("gemini", "gemini", "-i", "hello", "-m", "pro", "--yolo"), "gemini --resume ID -m pro --yolo");
  assert.equal(
    resumed("opencode", "opencode", "./shop", "--mini", "--prompt", "hello", "-s", "OLD"),
    "opencode --session ID ./shop --mini",
  );
});

test("without a conversation, a command that named one is as it was before", () => {
  const claude = builtInAgents.named("claude");
  const codex = builtInAgents.named("codex");
  assert.ok(claude && codex);
  assert.deepEqual(anewCommand(["claude", "--resume", "OLD", "--verbose"], claude), ["claude", "--verbose"]);
  assert.deepEqual(anewCommand(["codex", "resume", "OLD", "--no-daemon"], codex), ["codex", "--no-daemon"]);
  assert.deepEqual(anewCommand(["./wrapper", "--resume"], claude), ["./wrapper", "--resume"]);
});

test("wrappers and package runners stay in front", () => {
  assert.equal(resumed("claude", "env", "A=1", "claude", "hi"), "env A=1 claude --resume ID");
  assert.equal(resumed("codex", "npx", "-y", "@openai/codex@latest", "hi"), "npx -y @openai/codex@latest resume ID");
});

test("a command that does not show its agent, and an agent of which nothing is known, cannot be continued", () => {
  assert.equal(resumed("claude", "bash", "-c", "claude --model x"), null);
  assert.equal(resumed("claude", "./wrapper"), null);
  assert.equal(resumed("generic", "generic"), null);
});
