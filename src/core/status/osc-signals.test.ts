import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import { programSignal, progressSignal, shellSignal, tabSignal, titleSignal } from "./osc-signals.ts";

const at = { offset: 5, timeUs: 0 };
const said = (signal: { says: string; allows: readonly string[] } | null | undefined): string | null =>
  signal === null || signal === undefined ? null : `${signal.says} of ${signal.allows.join(" ")}`;

test("progress says that something is going on, its end rules nothing out", () => {
  const signal = (isActive: boolean) => said(progressSignal({ type: "progress", isActive, text: "" }, at));
  assert.deepEqual([true, false].map(signal), [
    "working of working blocked",
    "waiting of working waiting blocked idle",
  ]);
});

test("the status of a tab may be taken back", () => {
  assert.equal(said(tabSignal("waiting", at)), "blocked of blocked");
  assert.equal(said(tabSignal("idle", at)), "waiting of waiting blocked");
  assert.equal(tabSignal("", at), null);
});

test("titles say what the agent's rules make of them", () => {
  const read = (agent: string, text: string): string | null => {
    const profile = builtInAgents.named(agent);
    return profile === undefined ? null : said(titleSignal({ text, offset: 0, timeUs: 0 }, profile));
  };
  assert.deepEqual(
    [
      read("claude", "✳ Claude Code"),
      read("claude", "◐ Claude Code"),
      read("codex", "[ ! ] Action Required | x"),
      read("codex", "⠙ x | y"),
      read("codex", "x | y"),
      read("gemini", "✋  Action Required (proj)   "),
      read("gemini", "✦  Working… (proj)"),
      read("qwen", "✳︎ Qwen - proj   "),
      read("qwen", "Qwen - proj"),
      read("pi", "π - proj"),
      read("opencode", "OC | Anything"),
    ],
    [
      "waiting of waiting blocked",
      "working of working blocked",
      "blocked of blocked",
      "working of working blocked",
      "waiting of waiting blocked",
      "blocked of blocked",
      "working of working blocked",
      "blocked of blocked",
      "waiting of waiting blocked",
      null,
      null,
    ],
  );
});

test("marks of a shell: a prompt waits, a command works or is a program that waits", () => {
  const signal = (type: "prompt-start" | "output-start" | "continuation", isTrusted = true) =>
    shellSignal({ type, code: "133;A", isTrusted } satisfies ShellMark, { offset: 5, timeUs: 0 });
  assert.equal(said(signal("prompt-start")), "waiting of waiting blocked");
  assert.equal(said(signal("output-start")), "working of working waiting blocked idle");
  assert.equal(said(signal("continuation")), "waiting of waiting blocked");
  assert.equal(signal("prompt-start")?.text, "the shell shows its prompt (133;A)");
  assert.equal(signal("prompt-start", false)?.text, "the shell shows its prompt (133;A, which any program can print)");
});

test("what a program says of itself", () => {
  const record = { id: "", app: "codex", kind: "permission", message: "run ls", offset: 1, timeUs: 2 };
  const signal = programSignal({ ...record, state: "blocked" });
  assert.equal(signal.text, "state=blocked app=codex kind=permission run ls");
  assert.equal(said(programSignal({ ...record, state: "done" })), "waiting of waiting blocked");
});
