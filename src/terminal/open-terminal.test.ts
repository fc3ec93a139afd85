import assert from "node:assert/strict";
import { test } from "node:test";
import { TerminalAnswers } from "./open-terminal.ts";

const size = { columns: 20, rows: 5 };
const feed = (answers: TerminalAnswers, text: string): string =>
  Buffer.from(answers.feed(Buffer.from(text))).toString("latin1");

test("the position of the cursor is answered once, with what was printed before", () => {
  const answers = new TerminalAnswers(size);
  assert.equal(feed(answers, "one\r\ntwo"), "");
  assert.equal(feed(answers, "\u001b[6n"), "\u001b[2;4R");
  assert.equal(feed(answers, "\u001b[1G"), "");
  assert.equal(feed(answers, `${"x\r\n".repeat(20)}\u001b[6n`), "\u001b[5;1R");
});

test("a question in two pieces is answered, and several in one piece are all answered", () => {
  const answers = new TerminalAnswers(size);
  assert.equal(feed(answers, "a\u001b[6"), "");
  assert.equal(feed(answers, "n"), "\u001b[1;2R");
  assert.match(feed(answers, "\u001b[c\u001b[6n"), /^\u001b\[\?.*c\u001b\[1;2R$/);
});

test("what could put output into the input is not answered", () => {
  const answers = new TerminalAnswers(size);
  assert.equal(feed(answers, "\u001b]0;rm -rf x\u0007\u001b[21t\u001b]52;c;?\u0007"), "");
});
