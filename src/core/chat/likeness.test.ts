import assert from "node:assert/strict";
import { test } from "node:test";
import { likeness, shareWithin } from "./likeness.ts";

test("the same words are alike, whatever stands between them", () => {
  assert.equal(likeness("one two three", "one two three"), 1);
  assert.equal(likeness("**one**  two\nthree", "one two three"), 1);
  assert.equal(likeness("one two three", "four five"), 0);
});

test("order counts, and so does what is missing", () => {
  assert.ok(likeness("one two three four", "four three two one") < 0.5);
  assert.ok(likeness("one two three four", "one two three") > 0.6);
});

test("scripts without spaces, and signs alone, are words as well", () => {
  assert.ok(likeness("你好世界", "你好世人") > 0.5);
  assert.equal(likeness("???", "???"), 1);
  assert.equal(likeness("???", "!!!"), 0);
  assert.equal(likeness("", ""), 1);
});

test("a part is within the whole, and the whole is not within the part", () => {
  const whole = "a long text of which only some words are shown";
  assert.ok(shareWithin("only some words", whole) >= 0.5);
  assert.ok(shareWithin(whole, "only some words") < 0.4);
});
