import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { detached, Utf8Tail, utf8Length } from "./utf8-tail.ts";

test("Utf8Tail decodes bytes cut anywhere like the whole, malformed ones too", () => {
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x91, 0xa9, 0x41),
  );
  fc.assert(
    fc.property(fc.array(fc.array(byte, { maxLength: 9 })), (chunks) => {
      const tail = new Utf8Tail();
      const decoded = chunks.map((chunk, index) => {
        if (index % 2 === 0) return tail.decode(new Uint8Array(chunk));
        tail.appendSmall(new Uint8Array(chunk));
        return "";
      });
      const end = new Uint8Array([0x0a]);
      const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([...chunks.flat(), 0x0a]));
      assert.equal(decoded.join("") + tail.decode(end), whole);
    }),
    { numRuns: runsOf(1000) },
  );
});

test("Utf8Tail joins more than its scratch holds", () => {
  const tail = new Utf8Tail();
  tail.appendSmall(new Uint8Array([0xe2, 0x82]));
  const chunk = new Uint8Array(20_000).fill(0x61);
  chunk[0] = 0xac;
  assert.equal(tail.decode(chunk), `€${"a".repeat(19_999)}`);
});

test("utf8Length counts what an encoder would write", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(utf8Length(text, 0, text.length), new TextEncoder().encode(text).length);
    }),
  );
});

test("detached gives the same text", () => {
  assert.equal(detached("a long name é".slice(2)), "long name é");
});
