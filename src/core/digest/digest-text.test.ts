import assert from "node:assert/strict";
import { test } from "node:test";
import type { Digest } from "./digest.ts";
import { digestMarkdown, digestText } from "./digest-text.ts";

const digest: Digest = {
  turn: "last",
  offset: 10,
  startUs: 1_000_000,
  endUs: 3_500_000,
  agent: "claude",
  state: "blocked",
  stateMs: { working: 1200, blocked: 300 },
  request: "Remove it.",
  answer: { message: "m3", text: "I would like to:\n\nremove it", isPartial: false },
  question: { approval: "a1", text: "Proceed?", options: ["1: Yes", "2: No"] },
  commands: [
    { command: "ls", exitCode: 0, by: "shell", message: "m1" },
    { command: "rm -r x", exitCode: null, by: "agent", message: "m4" },
  ],
  tools: [{ name: "Bash", calls: 1 }],
  files: [{ name: "x.ts", times: 2 }],
  events: [{ name: "DONE", trust: "socket", isValid: true }],
  decisions: [{ approval: "a0", question: "Trust\nthis folder?", option: "1", by: "person" }],
  errors: [],
  tokens: { requests: 1, input: 100, output: 20, cachedInput: 0, reasoning: 0, costUsd: 0.125 },
  counts: { messages: 5, requests: 1, commands: 7, files: 1, events: 1, errors: 0 },
};

test("a digest as text has a title for each part that there is", () => {
  assert.equal(
    digestText(digest),
    `Last turn of claude
  now blocked; working 1.2 s, blocked 0.3 s
  1970-01-01T00:00:01.000Z, 2.5 s, 5 messages
  1 requests: 100 tokens in, 20 out, 0 cached, 0.1250 USD

Asked
  Remove it.

Answer
  I would like to:

  remove it

Open question
  Proceed?
  1: Yes
  2: No

Commands (the last 2 of 7)
  ls (exit 0)
  agent: rm -r x

Tools
  Bash: 1

Files
  x.ts (2 times)

Events
  DONE (socket)

Decisions
  Trust ⏎ this folder?: 1, by person
`,
  );
});

test("a digest as Markdown has lists, and texts as they are", () => {
  const markdown = digestMarkdown(digest);
  assert.match(markdown, /^### Last turn of claude\n\n- now blocked; working 1\.2 s/);
  assert.match(markdown, /### Answer\n\nI would like to:\n\nremove it\n\n### Open question\n\nProceed\?\n1: Yes/);
  assert.match(markdown, /### Files\n\n- x\.ts \(2 times\)\n/);
  assert.doesNotMatch(markdown, /Errors/);
});
