import assert from "node:assert/strict";
import { test } from "node:test";
import { answerAtEnd } from "./unread-answers.ts";

test("a line ends in an answer if at least two characters of it are there", () => {
  const answers = ["[?1;2c", "[5;1R"];
  assert.equal(answerAtEnd("bash$ 1;2c", answers), "1;2c");
  assert.equal(answerAtEnd("bash$ ;1R", answers), ";1R");
  assert.equal(answerAtEnd("bash$ abc", answers), "");
  assert.equal(answerAtEnd("bash$ ", answers), "");
});
