import assert from "node:assert/strict";
import { test } from "node:test";
import { parseClass, parseEscapedSet } from "./pattern-classes.ts";

const members = (source: string): string => {
  const set = parseClass({ source, at: 0 }, false);
  return Array.from("abc019 _-]\n")
    .filter((letter) => set(letter.codePointAt(0) ?? 0))
    .join("");
};

test("parseClass reads ranges, escapes and named classes", () => {
  assert.equal(members("[a-c]"), "abc");
  assert.equal(members(String.raw`[^\w\]]`), " -\n");
  assert.equal(members("[a-]"), "a-");
  assert.equal(members("[[:digit:]b]"), "b019");
  assert.equal(members("[]"), "");
  assert.equal(members("[^]").length, 11);
  for (const source of ["[b-a]", "[a", String.raw`[a-\d]`, "[[:foo:]]", String.raw`[\p{Foo}]`, String.raw`[\b]`]) {
    assert.throws(() => members(source), SyntaxError, source);
  }
});

test("parseEscapedSet reads characters by number and name", () => {
  const codes = ["n", "x41", "x{1F600}", "u0061", "u{62}", "cA", "07", "12", ".", "_", "c", "8"].map((escape) =>
    parseEscapedSet({ source: `\\${escape}`, at: 0 }, false),
  );
  assert.deepEqual(codes, [10, 0x41, 0x1f600, 0x61, 0x62, 1, 7, 10, 46, 95, 99, 56]);
  for (const escape of ["", "1", "é", "x{110000}"]) {
    assert.throws(() => parseEscapedSet({ source: `\\${escape}`, at: 0 }, false), SyntaxError, escape);
  }
});
