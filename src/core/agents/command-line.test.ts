import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "./built-in-agents.ts";
import { isShellProgram, programInCommandLine, programName } from "./command-line.ts";

const cases: readonly (readonly [line: string, agent: string | null])[] = [
  ["claude --permission-mode default", "claude"],
  ["cd src && FOO=1 BAR='a b' claude", "claude"],
  ["npx -y @openai/codex@latest --no-alt-screen", "codex"],
  ["pnpm dlx @google/gemini-cli", "gemini"],
  ["node /opt/lib/node_modules/@qwen-code/qwen-code/cli.js", "qwen"],
  ["uvx opencode-ai", "opencode"],
  ["sudo -E env X=1 codex resume", "codex"],
  ["bash -lc 'cd a; opencode --mini'", "opencode"],
  ["bunx cline --auto-approve false", "cline"],
  ["/usr/local/bin/pi", "pi"],
  ['copilot --model "a;b"', "copilot"],
  ["claude -p 'what is this'", null],
  ["claude --print=x", null],
  ["codex exec 'do it'", null],
  ["codex 'exec it'", "codex"],
  ["codex -- -h", "codex"],
  ["gemini --version", null],
  ["echo claude", null],
  ["grep -r codex .", null],
  ["cat claude.md && ls", null],
  ["# claude", null],
  ["", null],
];

for (const [line, agent] of cases) {
  test(`the line "${line}" opens a conversation with ${agent ?? "no agent"}`, () => {
    assert.equal(builtInAgents.ofCommandLine(line), agent);
  });
}

test("the last agent of a line counts", () => {
  assert.equal(builtInAgents.ofCommandLine("claude; codex; ls"), "codex");
});

test("arguments are taken as they are, without a shell's quotes", () => {
  assert.equal(builtInAgents.ofArguments(["claude", "-p with words"]), "claude");
  assert.equal(builtInAgents.ofArguments(["/bin/zsh", "-c", "exec claude"]), "claude");
  assert.equal(builtInAgents.ofArguments(["bash", "-i"]), null);
  assert.equal(builtInAgents.ofArguments([]), null);
});

test("shells are known by their names, login shells by the dash", () => {
  assert.deepEqual(["bash", "-zsh", "/usr/bin/fish", "node", "ssh"].map(isShellProgram), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("a program's name is without folder and ending", () => {
  assert.deepEqual(["/a/b/codex.js", "C:\\x\\Claude.exe", "pi"].map(programName), ["codex", "claude", "pi"]);
});

test("an agent is found in any mode where that is asked for", () => {
  assert.equal(builtInAgents.anyOfArguments(["claude", "-p", "x"]), "claude");
  assert.equal(builtInAgents.anyOfArguments(["bash", "-c", "cd a; codex exec x"]), "codex");
  assert.equal(builtInAgents.anyOfArguments(["bash", "--norc"]), null);
});

test("the program that a line runs stands behind variables, wrappers and runners", () => {
  const lines = [
    "newcomer --fast",
    "cd x && A=1 env B=2 ./bin/newcomer.js y",
    "npx -y newcomer",
    "bash -c newcomer",
    "",
  ];
  assert.deepEqual(lines.map(programInCommandLine), ["newcomer", "newcomer", "newcomer", "newcomer", ""]);
});
