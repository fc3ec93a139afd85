import assert from "node:assert/strict";
import { test } from "node:test";
import { PassedBytes } from "./passed-bytes.ts";
import { Tokenizer } from "./tokenizer.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Passes all but control sequences; an escape becomes "!". */
function pass(...chunks: readonly Uint8Array[]): Uint8Array[] {
  const [tokens, passed] = [new Tokenizer(), new PassedBytes()];
  return chunks.map((chunk) => {
    tokens.feed(chunk, 0);
    passed.begin(chunk);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (type === "escape") passed.put(bytes("!"));
      else if (type !== "csi") passed.pass(tokens);
    }
    return passed.take();
  });
}

test("PassedBytes returns a chunk that passes as it is", () => {
  const chunk = bytes("text\u001B]0;t\u0007text");
  assert.equal(pass(chunk)[0], chunk);
});

test("PassedBytes leaves out what is not passed, and puts in what takes its place", () => {
  assert.deepEqual(pass(bytes("ab\u001B[mcd\u001B7ef\u001B[K")), [bytes("abcd!ef")]);
  assert.deepEqual(pass(bytes("\u001B[m")), [bytes("")]);
});

test("PassedBytes gives what an earlier chunk began with the chunk that ends it", () => {
  assert.deepEqual(pass(bytes("a\u001B]0;"), bytes("t\u0007b"), bytes("c")), [
    bytes("a"),
    bytes("\u001B]0;t\u0007b"),
    bytes("c"),
  ]);
});
