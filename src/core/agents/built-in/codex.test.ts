import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const codex = builtInAgents.chatOf("codex", "");

const conversation = [
  "{=} ",
  "{=}› a question",
  "{=} ",
  "",
  "{2}•{0} An answer",
  "  goes on",
  "",
  "{1}• Ran{0} ls out",
  "{2}  └ one file",
  "",
  "{2}  Worked for 2s • 21:24",
];
const composer = ["", "{=} ", "{=}› Ask Codex to do anything", "{=} ", "  model · ~/proj"];
const read = [
  "",
  "+ user: a question",
  "",
  "",
  "+ assistant: An answer",
  "... goes on",
  "",
  "+ tool-call: Ran ls out",
  "+ tool-result: one file",
  "",
  "+ notice: ",
];

test("Codex' marks tell who speaks, above its composer", () => {
  const rows = [...conversation, "", "{2}• Working (3s • esc to interrupt)", ...composer];
  const frame = drawn(rows, { lines: 24 });
  assert.deepEqual(readings(codex, frame), read);
  assert.equal(codex.window(frame)?.isBusy, true);
  assert.equal(codex.window(drawn([...conversation, ...composer], { lines: 24 }))?.isBusy, false);
});

test("the prompt that stays on top while its answer scrolls is no second one", () => {
  const rows = ["{=}› a question", "  goes on", ...composer];
  assert.deepEqual(readings(codex, drawn(rows)), ["... goes on"]);
});

test("commands that are suggested cover the end of what was said", () => {
  const rows = ["{2}•{0} Done", "{7}› /quit  exit Codex{0}", "{=} ", "{=}› /qui", "{=} "];
  assert.deepEqual(readings(codex, drawn(rows)), ["+ assistant: Done"]);
});

test("what a person decided, warnings and failures", () => {
  const rows = ["✔ You approved codex to run ls", "■ Conversation interrupted", ...composer];
  assert.deepEqual(readings(codex, drawn(rows)), ["+ notice: ", "+ error: Conversation interrupted"]);
});

test("Codex' tools are told by their command", () => {
  assert.deepEqual(codex.tool("Ran ls out"), { name: "shell", input: "ls out" });
  assert.deepEqual(codex.tool("Explored\nRead a.txt"), { name: "explore", input: "Read a.txt" });
});

test("Codex' head is a welcome wherever it is printed again", () => {
  const rows = ["{2}•{0} Done", "", "  {2}>_ {1}OpenAI Codex{22} (v0.169.0)", "     ~/proj", ...composer];
  assert.deepEqual(readings(codex, drawn(rows)), [
    "+ assistant: Done",
    "",
    "+ welcome: >_ OpenAI Codex (v0.169.0)",
    "...    ~/proj",
  ]);
});

test("what is said in the form of a call or of its result is said", () => {
  const rows = ["{2}•{0} {1}Ran{0} away", "  • Ran ls", "  └ one file", ...composer];
  assert.deepEqual(readings(codex, drawn(rows)), ["+ assistant: Ran away", "... • Ran ls", "... └ one file"]);
});
