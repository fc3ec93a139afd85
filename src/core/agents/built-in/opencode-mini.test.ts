import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const opencodeMini = builtInAgents.chatOf("opencode", "opencode --mini");

test("the colours of opencode --mini tell who speaks, above its status row", () => {
  const rows = [
    "{36}› a question",
    "{36}second line",
    "",
    `{39}An answer{97}${" ".repeat(31)}`,
    "{90}$ ls out",
    "{39}one file".padEnd(44),
    "▣ Build · 2s",
    "",
    "typed",
    "",
    "{44} BUILD {0}",
  ];
  assert.deepEqual(readings(opencodeMini, drawn(rows)), [
    "+ user: a question",
    "user: second line",
    "",
    "assistant: An answer",
    "+ tool-call: $ ls out",
    "... one file",
    "+ notice: ",
  ]);
});

test("a thought is not said, and a command that is wrapped stays one", () => {
  const rows = ["{90}Thinking: of three parts", "", "{90}$ ls out and", "{90}more", "", "typed", "", "{44} BUILD {0}"];
  assert.deepEqual(readings(opencodeMini, drawn(rows)), ["+ notice: ", "", "+ tool-call: $ ls out and", "... more"]);
});
