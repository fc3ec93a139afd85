import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bracketedPaste } from "./bracketed-paste.ts";

const paste = (text: string): string => Buffer.from(bracketedPaste(Buffer.from(text, "latin1"))).toString("latin1");

test("bracketedPaste puts text between the markers", () => {
  assert.equal(paste("rm -rf é\n"), "\x1b[200~rm -rf é\n\x1b[201~");
  assert.equal(paste(""), "\x1b[200~\x1b[201~");
});

test("bracketedPaste removes end markers, also those that come together by a removal", () => {
  assert.equal(paste("a\x1b[201~b"), "\x1b[200~ab\x1b[201~");
  assert.equal(paste("a\x1b[20\x1b[201~1~b"), "\x1b[200~ab\x1b[201~");
  assert.equal(paste("\x1b[\x1b[20\x1b[201~1~201~x"), "\x1b[200~x\x1b[201~");
});

test("bracketedPaste ends with its only end marker, whatever the text", () => {
  const piece = fc.constantFrom("\x1b", "[", "2", "0", "1", "~", "\x1b[20", "1~", "\x1b[201~", "x");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const result = paste(pieces.join(""));
      assert.equal(result.indexOf("\x1b[201~"), result.length - "\x1b[201~".length);
    }),
  );
});
