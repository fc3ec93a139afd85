import assert from "node:assert/strict";
import { test } from "node:test";
import type { Signal } from "./signal.ts";
import { discounted, noSubmission, submissionSignal, typedInto } from "./submission.ts";

const typed = (text: string, isAgent = true) =>
  typedInto(noSubmission, { bytes: new TextEncoder().encode(text), offset: 3, timeUs: 7 }, isAgent);

test("Enter on a text sends it; on nothing, or on a command to the agent, it does not", () => {
  assert.deepEqual(
    ["hello\r", "two\nlines\r", "\r", "  \r", "/clear\r", "x\u007F\r", "no\u0003\r"].map((keys) => typed(keys).sent),
    ["hello", "two\nlines", "", "", "", "", ""],
  );
  assert.equal(typed("/bin/ls\r", false).sent, "/bin/ls");
});

test("Enter inside of a paste is text", () => {
  const pasted = typed("\u001B[200~one\rtwo\u001B[201~");
  assert.equal(pasted.sentUs, null);
  assert.equal(typedInto(pasted, { bytes: new Uint8Array([0x0d]), offset: 4, timeUs: 8 }, true).sentUs, 8);
});

test("what a terminal answers by itself is not typed", () => {
  assert.equal(typed("\u001B[?1;2c\u001B]11;rgb:1/2/3\u001B\\\r").sentUs, null);
});

test("what was sent says that an answer is due, for a while", () => {
  const sent = typed("hello\r");
  assert.equal(submissionSignal(sent, 1_000_000, true)?.says, "working");
  assert.equal(submissionSignal(sent, 9_000_000, true), null);
  assert.equal(submissionSignal(sent, 9_000_000, false)?.says, "working");
  assert.equal(submissionSignal(noSubmission, 0, true), null);
});

test("an old prompt says nothing about a new line", () => {
  const signal: Signal = {
    kind: "title",
    says: "waiting",
    allows: ["waiting"],
    isFirm: true,
    text: "",
    rule: null,
    offset: 0,
    timeUs: 5,
  };
  const sent = typed("hello\r");
  assert.equal(discounted(signal, sent).isFirm, false);
  assert.equal(discounted({ ...signal, timeUs: 8 }, sent).isFirm, true);
  assert.equal(discounted({ ...signal, kind: "screen", timeUs: 8 }, sent).isFirm, false);
  assert.equal(discounted({ ...signal, says: "working" }, sent).isFirm, true);
});
