import assert from "node:assert/strict";
import { test } from "node:test";
import { compileChat, toolOf } from "./chat-rules.ts";
import { nativePattern } from "./pattern.ts";
import { builtInAgents } from "./built-in-agents.ts";

test("what a file does not name has a default", () => {
  const rules = compileChat({ margin: 2 }, { name: "a", agent: "a", compile: nativePattern });
  const { margin, changing, hasPlainAnswers, streamsCalls, printsTwice, pending, breaksBehind } = rules;
  assert.deepEqual([margin, changing, hasPlainAnswers, streamsCalls], [2, null, false, false]);
  assert.deepEqual([printsTwice, pending, breaksBehind], [false, null, null]);
});

test("toolOf reads calls, commands and words", () => {
  assert.deepEqual(toolOf("Write(a.txt)"), { name: "Write", input: "a.txt" });
  assert.deepEqual(toolOf("Printing\n$ echo 1"), { name: "shell", input: "echo 1" });
  assert.deepEqual(toolOf("Read notes.txt"), { name: "Read", input: "notes.txt" });
  assert.deepEqual(toolOf("Think"), { name: "Think", input: null });
});

test("agents that write calls in another way have patterns for them", () => {
  const read = (agent: string, text: string) => builtInAgents.chatOf(agent, "").tool(text);
  assert.deepEqual(read("claude", "$ ls"), { name: "Bash", input: "ls" });
  assert.deepEqual(read("cline", "run(a,\nb)"), { name: "run", input: "a, b" });
  assert.deepEqual(read("codex", "Exited (status 1) false"), { name: "shell", input: "false" });
  assert.deepEqual(read("opencode", "→ Read a.txt"), { name: "Read", input: "a.txt" });
  assert.deepEqual(read("qwen", 'Shell {"command":"echo \\"a\\"\\nb'), { name: "Shell", input: 'echo "a"\nb' });
  assert.deepEqual(read("qwen", "Shell ls (List files)"), { name: "Shell", input: "ls" });
});
