import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { appendedText } from "./appended-text.ts";

test("a text that goes on is sent from where it was", () => {
  assert.equal(appendedText("", "Hello"), "Hello");
  assert.equal(appendedText("Hello", "Hello, you"), ", you");
  assert.equal(appendedText("Hello", "Hello"), "");
});

test("markup that a better source gives back is not another text", () => {
  assert.equal(appendedText("A bold word", "A **bold** word"), "");
  assert.equal(appendedText("• one\n• two", "- one\n- two\n- three"), "\n- three");
  assert.equal(appendedText("Grüße 👋 a", "**Grüße** 👋 ab"), "b");
});

test("a text with other letters is another one", () => {
  assert.equal(appendedText("Reading 3 files", "Read 3 files"), null);
  assert.equal(appendedText("Hello", "Hell"), null);
});

test("whatever is sent piece by piece is in the end the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (parts) => {
      let sent = "";
      for (let count = 0; count <= parts.length; count += 1) {
        const tail = appendedText(sent, parts.slice(0, count).join(""));
        assert.notEqual(tail, null);
        sent += tail;
      }
      assert.equal(sent, parts.join(""));
    }),
  );
});
