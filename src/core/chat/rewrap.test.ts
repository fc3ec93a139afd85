import assert from "node:assert/strict";
import { test } from "node:test";
import { gapRow, type Row } from "./row.ts";
import { findRewrapped, hasLettersOf } from "./rewrap.ts";

const rows = (text: string): Row[] =>
  text.split("|").map((own) => ({ ...gapRow, role: own === "" ? "blank" : null, text: own, key: own }));
const story = rows("once there was a shell that had|a prompt and it waited for|somebody who would type||the end");

test("rows with other wraps are found by their letters, also where they begin in the middle of a known row", () => {
  assert.deepEqual(findRewrapped(story, rows("a prompt and it waited for somebody who|would type||the end. Or not")), {
    index: 1,
    before: "",
    from: 0,
    isPart: false,
    end: 5,
  });
  const middle = findRewrapped(story, rows("was a shell that|had a prompt and it|waited for"));
  assert.deepEqual(middle, { index: 0, before: "once there", from: 0, isPart: true, end: 2 });
});

test("rows in front that are not known are passed by", () => {
  const found = findRewrapped(story, rows("what is this|a prompt and it waited|for somebody who would type"));
  assert.equal(found?.from, 1);
  assert.equal(found?.index, 1);
});

test("of two places where the same was said the one counts at which more is the same", () => {
  const twice = rows("the same words as ever, and more|then first||the same words as ever, and more|then second");
  assert.equal(findRewrapped(twice, rows("the same words as|ever, and more then first"))?.index, 0);
  assert.equal(findRewrapped(twice, rows("the same words as|ever, and more then second"))?.index, 3);
  assert.equal(findRewrapped(twice, rows("the same words as|ever, and more"))?.index, 3);
});

test("few letters are alike by chance", () => {
  assert.equal(findRewrapped(story, rows("the end")), null);
  assert.equal(findRewrapped(story, rows("something else that was never said before")), null);
});

test("one row with letters of the known rows is enough, however it is wrapped there", () => {
  assert.ok(hasLettersOf(story, rows("what is this|a shell that had a prompt and it|never said before")));
  assert.ok(!hasLettersOf(story, rows("what is this|never said before")));
});
