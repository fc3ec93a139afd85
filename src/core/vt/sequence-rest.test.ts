import assert from "node:assert/strict";
import { test } from "node:test";
import { SequenceRest, withoutRest } from "./sequence-rest.ts";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What is left of `text` from an unknown place on, cut into chunks of `length`. */
function stripped(text: string, length: number): string {
  const bytes = new TextEncoder().encode(text);
  const rest = new SequenceRest();
  rest.begin();
  let left = "";
  for (let at = 0; at < bytes.length; at += length) left += decode(rest.strip(bytes.subarray(at, at + length)));
  return left;
}

const MARK = "\u001b]133;D;127;n=AbCdEfGhIjKl";

test("the rest of a mark is removed, wherever the mark was cut and however the rest is chunked", () => {
  for (const terminator of ["\u0007", "\u001b\\"])
    for (let cut = 1; cut < MARK.length; cut += 1)
      for (const length of [1, 2, 7, 1000])
        assert.equal(stripped(`${MARK.slice(cut)}${terminator}$ ls\r\n`, length), "$ ls\r\n", `${cut} ${length}`);
});

test("text, the beginning of a sequence, and what is too long for a mark are kept", () => {
  for (const text of ["one\r\ntwo\u0007", "one\u001b[1mtwo", `\u001b[1m${MARK}\u0007`, `${"x".repeat(64)}\u0007`])
    for (const length of [1, 3, 1000]) assert.equal(stripped(text, length), text);
});

test("in the first record behind a gap the rest of a mark is removed, and nothing is held back", () => {
  const left = (text: string): string => decode(withoutRest(new TextEncoder().encode(text)));
  for (let cut = 1; cut < MARK.length; cut += 1) assert.equal(left(`${MARK.slice(cut)}\u0007$ ls`), "$ ls");
  for (const text of ["new", "", "$ ", "one\u001b"]) assert.equal(left(text), text);
});

test("what is not known yet is held back, and can be given to another one", () => {
  const rest = new SequenceRest();
  assert.equal(decode(rest.strip(Uint8Array.of(0x61))), "a");
  assert.equal(rest.save(), null);
  rest.begin();
  assert.equal(rest.strip(new TextEncoder().encode("3;A;n=5f")).length, 0);
  const other = new SequenceRest();
  other.restore(JSON.parse(JSON.stringify(rest.save())));
  assert.equal(decode(other.strip(new TextEncoder().encode("5f\u0007$ "))), "$ ");
});
