import assert from "node:assert/strict";
import { test } from "node:test";
import { InputReader } from "../typing/input-reader.ts";
import { noSubject, type Approval } from "../dialogs/approval.ts";
import { noKeys, readTypedAnswer } from "./typed-answer.ts";

const approval: Approval = {
  id: "a1",
  source: "screen",
  kind: "permission",
  agent: null,
  question: "?",
  details: "",
  options: [
    { id: "1", label: "Yes, proceed (y)", effect: "allow" },
    { id: "2", label: "Always (p)", effect: "allow-always" },
    { id: "3", label: "No (esc)", effect: "deny" },
  ],
  ...noSubject,
  selected: "1",
  isComplete: true,
  whyHint: null,
  offset: 0,
  timeUs: 0,
  state: "open",
  answer: null,
};
const items = (keys: string) => new InputReader().feed(new TextEncoder().encode(keys));
const answer = (keys: string, layout: "list" | "line" = "list", shown = approval) =>
  readTypedAnswer(items(keys), { approval: shown, layout }, noKeys).answer;

test("Enter chooses the marked option, arrows move the mark", () => {
  assert.deepEqual(
    ["\r", "\u001B[B\r", "\u001BOB\u001B[B\r", "\u001B[A\r", "\u001B[C\r"].map((keys) => answer(keys)?.option),
    ["1", "2", "3", "3", "1"],
  );
});

test("numbers, letters in the labels, Escape and Ctrl-C choose", () => {
  assert.deepEqual(
    ["2", "y", "P", "\u001B", "\u0003"].map((keys) => answer(keys)?.option),
    ["2", "1", "2", "3", "3"],
  );
});

test("what a terminal answers by itself and other keys answer nothing", () => {
  assert.deepEqual(
    ["\u001B[?1;2c", "\u001B[I", "\u001B]11;rgb:0/0/0\u001B\\", "x", "\t"].map((keys) => answer(keys)),
    [null, null, null, null, null],
  );
});

test("a click answers, nobody knows what", () => {
  assert.deepEqual(answer("\u001B[<0;10;5m"), { option: null });
});

test("a line is answered by its words", () => {
  const line: Approval = {
    ...approval,
    options: [
      { id: "yes", label: "yes", effect: "allow" },
      { id: "no", label: "no", effect: "deny" },
    ],
    selected: "no",
  };
  assert.deepEqual(
    ["yes\r", "y\r", "\r", "maybe\r", "nx\u007F\r"].map((keys) => answer(keys, "line", line)?.option),
    ["yes", "yes", "no", null, "no"],
  );
});

test("keys that came in pieces are the same keys", () => {
  const first = readTypedAnswer(items("\u001B[B"), { approval, layout: "list" }, noKeys);
  assert.deepEqual(readTypedAnswer(items("\r"), { approval, layout: "list" }, first.state).answer, { option: "2" });
});
