import assert from "node:assert/strict";
import { test } from "node:test";
import { AcpText } from "./acp-text.ts";
import type { DriverEvent, DriverQuestion, DriverTool } from "./acp-fold.ts";

const tool = (state: string, output = ""): DriverTool => ({
  call: "c",
  name: null,
  kind: "execute",
  title: "touch a",
  input: null,
  state,
  output,
});
const said = (message: string, text: string): DriverEvent => ({ type: "text", message, role: "assistant", text });
const question: DriverQuestion = {
  id: "0",
  request: "[0]",
  tool: tool("pending"),
  options: [{ id: "y", label: "Yes", kind: "" }],
};
const written = (...events: Parameters<AcpText["write"]>[0]): string => new AcpText().write(events);

test("a turn reads as a conversation, with lines of a terminal", () => {
  const text = written(
    { type: "turn-start", turn: "1", prompt: "make a\nfile" },
    said("1", "I "),
    said("1", "will"),
    { type: "tool", tool: tool("pending") },
    { type: "question", question },
    { type: "question-gone", question, option: "y" },
    { type: "tool", tool: tool("in_progress") },
    { type: "tool", tool: tool("completed", "ok\nfine") },
    said("2", "done"),
    { type: "turn-end", turn: "1", stop: "end_turn", message: null },
  );
  assert.equal(
    text.replaceAll("\r\n", "\n"),
    "> make a\nfile\nI will\n* touch a\n? touch a\n  y: Yes\n[answer: y]\n* touch a\n  ok\n  fine\ndone\n",
  );
  assert.doesNotMatch(text, /[^\r]\n/);
});

test("standard error is continued at any chunking, in lines of its own", () => {
  const parts = ["w", "arn", "ing\nmore"].map((text) => ({ type: "stderr", text }) as const);
  assert.equal(written(said("1", "I will"), ...parts, said("1", "do it")), "I will\r\nwarning\r\nmore\r\ndo it");
});

test("what acts on a terminal is removed, and thoughts are dim", () => {
  assert.equal(written(said("1", "a\u001B[2Jb\u0007")), "a[2Jb");
  assert.equal(written({ type: "text", message: "1", role: "thought", text: "hm" }), "\u001B[2mhm\u001B[0m");
});

test("ends that are not normal, failed calls, notices and noise are shown; what is unknown is not", () => {
  assert.equal(
    written({ type: "turn-end", turn: "1", stop: "error", message: "overloaded" }),
    "[error] overloaded\r\n",
  );
  assert.equal(written({ type: "tool", tool: tool("failed", "denied") }), "* touch a [failed]\r\n  denied\r\n");
  assert.equal(written({ type: "notice", severity: "warning", text: "Low" }), "[warning] Low\r\n");
  assert.equal(written({ type: "noise", text: "banner" }), "banner\r\n");
  assert.equal(written({ type: "question-gone", question, option: null }), "[no answer]\r\n");
  assert.equal(written({ type: "raw", method: "x" }), "");
});
