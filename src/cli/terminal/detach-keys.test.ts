import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DetachKeys, defaultDetachKeys, parseDetachKeys } from "./detach-keys.ts";

/** What the program gets, with `!` where the viewer leaves. */
function typed(keys: string, ...chunks: string[]): string {
  const detachKeys = new DetachKeys(parseDetachKeys(keys));
  let text = "";
  for (const chunk of chunks) {
    const { bytes, detach } = detachKeys.feed(Buffer.from(chunk));
    text += Buffer.from(bytes).toString();
    if (detach) return `${text}!`;
  }
  return text;
}

test("the default key leaves at once and what follows it is dropped", () => {
  assert.equal(typed(defaultDetachKeys, "ab\u001ccd"), "ab!");
  assert.equal(typed(defaultDetachKeys, "ab", "\u001c"), "ab!");
});

test("of two keys the first one is held back until the second one decides", () => {
  assert.equal(typed("ctrl-p,ctrl-q", "a\u0010", "\u0011b"), "a!");
  assert.equal(typed("ctrl-p,ctrl-q", "a\u0010", "b"), "a\u0010b");
  assert.equal(typed("ctrl-p,ctrl-q", "\u0010\u0010\u0011"), "\u0010!");
});

test("the key is found in the encodings that programs switch terminals to", () => {
  for (const key of ["\u001b[92;5u", "\u001b[92;5:1u", "\u001b[92;133u", "\u001b[92:124;5u", "\u001b[27;5;92~"])
    assert.equal(typed(defaultDetachKeys, `a${key}b`), "a!", JSON.stringify(key));
  for (const other of ["\u001b[92;5:3u", "\u001b[92;6u", "\u001b[93;5u", "\u001b[A", "\u001b"])
    assert.equal(typed(defaultDetachKeys, `a${other}b`), `a${other}b`, JSON.stringify(other));
});

test("none and nothing pass everything on", () => {
  assert.equal(typed("none", "\u001c"), "\u001c");
  assert.equal(typed("", "\u001c"), "\u001c");
});

test("what is no key is refused", () => {
  for (const bad of ["ctrl-", "ctrl-pp", "alt-x", "ctrl-p;ctrl-q", "a,,b", "a,a,a,a,a,a,a,a,a"])
    assert.throws(() => parseDetachKeys(bad), { code: "USAGE" }, bad);
  assert.equal(parseDetachKeys("C-a,d").length, 2);
});

test("without the keys in it, typing comes through as it is, at any chunking", () => {
  const chunk = fc.string({ unit: fc.constantFrom("a", "\u0010", "\u001b", "[", "é") });
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const whole = chunks.join("");
      const end = "z";
      assert.equal(typed("ctrl-p,ctrl-q", ...chunks, end), whole + end);
    }),
  );
});
