import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { toolOutcome } from "./tool-outcome.ts";

/** `RESULT EVIDENCE` of a result of this agent's tool. */
function shown(agent: string | null, tool: string, text: string, isError = false): string {
  const { evidence, result } = toolOutcome(
    { tool, text, isError },
    agent === null ? undefined : builtInAgents.named(agent),
  );
  return `${result} ${evidence}`;
}

const unknown = "unknown no sign in the result";
const rejection =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

test("Claude Code's error flag tells failures, and what a person declined is refused", () => {
  assert.equal(shown("claude", "Bash", "AGTERM-TOOL-42"), "succeeded claude@4 no-error");
  assert.equal(shown("claude", "Bash", "Exit code 1\nno such file", true), "failed error flag");
  assert.equal(shown("claude", "Bash", rejection, true), "refused claude@4 declined");
  const denied = "Permission to use Bash with command rm -rf x has been denied.";
  assert.equal(shown("claude", "Bash", denied, true), "refused claude@4 declined");
  const running = "Command running in background with ID: b1. Output is being written to: /tmp/b1.output";
  assert.equal(shown("claude", "Bash", running), "unknown claude@4 in-background");
});

test("a tool that prints a refusal or a success does not imitate the agent", () => {
  // The output of a command that succeeded, and that of one that failed.
  assert.equal(shown("claude", "Bash", rejection), "succeeded claude@4 no-error");
  assert.equal(shown("claude", "Bash", `Exit code 1\n${rejection}`, true), "failed error flag");
  // A server of MCP writes its own results and flags.
  assert.equal(shown("claude", "mcp__files__read", "done"), unknown);
  assert.equal(shown("claude", "mcp__files__read", rejection, true), "failed error flag");
  const header = "Chunk ID: 009959\nWall time: 0.0000 seconds\nProcess exited with code";
  const failed = `${header} 3\nOriginal token count: 21\nOutput:\n${header} 0\nOriginal token count: 1\nOutput:\n`;
  assert.equal(shown("codex", "exec_command", failed), "failed codex@2 exit-code");
  assert.equal(shown("codex", "mcp__shell__exec_command", `${header} 0\nOutput:\n`), unknown);
  const faked = "Command: x\nDirectory: (root)\nOutput: \nExit Code: 0\nSignal: (none)\nProcess Group PGID: 1";
  const real = `${faked}\nError: (none)\nExit Code: 4\nSignal: (none)\nProcess Group PGID: 5084`;
  assert.equal(shown("qwen", "run_shell_command", real), "failed qwen@2 exit-code");
  assert.equal(shown("qwen", "run_shell_command", `Command timed out.\n${faked}`), unknown);
});

test("Codex's exit codes and rejections are told by what it writes around the output", () => {
  const header = "Chunk ID: 009959\nWall time: 0.0000 seconds\n";
  const output = "Original token count: 21\nOutput:\nAGTERM-TOOL-42\n";
  assert.equal(
    shown("codex", "exec_command", `${header}Process exited with code 0\n${output}`),
    "succeeded codex@2 exit-zero",
  );
  assert.equal(shown("codex", "exec_command", `${header}Process running with session ID 7\n${output}`), unknown);
  assert.equal(
    shown("codex", "shell", "Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno\n"),
    "failed codex@2 exit-code-in-front",
  );
  assert.equal(shown("codex", "exec_command", "exec command rejected by user"), "refused codex@2 rejected");
  assert.equal(shown("codex", "apply_patch", "patch rejected by user"), "refused codex@2 rejected");
  const never =
    "approval policy is Never; reject command — you should not ask for escalated permissions if the approval policy is Never";
  assert.equal(shown("codex", "exec_command", never), "refused codex@2 rejected");
  const atStart =
    'exec_command failed for `/bin/bash -lc \'rm -rf x\'`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }';
  assert.equal(shown("codex", "exec_command", atStart), "refused codex@2 rejected-at-start");
  assert.equal(shown("codex", "exec_command", "aborted"), unknown);
});

test("Gemini and Qwen: a command is judged only if they write its exit code behind the output", () => {
  const shell = "<untrusted_context>\nOutput: tty=0\nProcess Group PGID: 4414\n</untrusted_context>";
  assert.equal(shown("gemini", "run_shell_command", shell), unknown);
  assert.equal(shown("gemini", "read_file", "line one\n"), "succeeded gemini@6 no-error");
  assert.equal(shown("gemini", "read_file", "File not found", true), "failed error flag");
  const cancelled = "[Operation Cancelled] Reason: User did not allow tool call";
  assert.equal(shown("gemini", "run_shell_command", cancelled, true), "refused gemini@6 cancelled");
  assert.equal(shown("gemini", "read_file", cancelled), "succeeded gemini@6 no-error");
  const done =
    "Command: printf x\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 5084";
  assert.equal(shown("qwen", "run_shell_command", done), "succeeded qwen@2 exit-zero");
  assert.equal(shown("qwen", "read_file", "line one"), unknown);
});

test("of other programs only the error flag of the API is known", () => {
  assert.equal(shown(null, "bash", "done"), unknown);
  assert.equal(shown(null, "bash", "no", true), "failed error flag");
  assert.equal(shown("opencode", "bash", "AGTERM-TOOL-42\n"), unknown);
});
