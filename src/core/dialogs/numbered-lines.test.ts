import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { numberedAbove } from "./numbered-lines.ts";

const shown = (text: string): string[] | null =>
  numberedAbove(frameOf(text))?.map(({ id, label }) => `${id} ${label}`) ?? null;

test("the words of select, below one another or in columns", () => {
  assert.deepEqual(shown("1) apple\n2) blood orange\n#? |"), ["1 apple", "2 blood orange"]);
  assert.deepEqual(shown("$ x\n1) a one   3) c\n2) b       4) d\nWhich? |"), ["1 a one", "2 b", "3 c", "4 d"]);
});

test("other rows are none", () => {
  assert.equal(shown("1) apple\n3) banana\n#? |"), null);
  assert.equal(shown("1) apple\n#? |"), null);
  assert.equal(shown("1) apple\n2) banana\n\n#? |"), null);
});
