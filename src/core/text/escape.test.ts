import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapeHtml, escapeMarkup, escapeForDisplay, removeActing, removeActingLines } from "./escape.ts";

const cases: readonly (readonly [string, string, string])[] = [
  ["title with LF", "a\n;rm -rf", "a\\n;rm -rf"],
  ["ESC", "\u001B]52;c;aGk=\u0007", "\\x1b]52;c;aGk=\\x07"],
  ["C1 CSI", "\u009B31m", "\\x9b31m"],
  ["bidi override", "a\u202Etxt.exe", "a\\u{202e}txt.exe"],
  ["bidi isolate and marks", "\u2066a\u2069\u200F\u061C", "\\u{2066}a\\u{2069}\\u{200f}\\u{61c}"],
  ["DEL and NUL", "\u007F\u0000", "\\x7f\\x00"],
  ["line and paragraph separator", "a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"],
  ["zero width space and byte order mark", "a\u200Bb\uFEFFc", "a\\u{200b}b\\u{feff}c"],
  ["tag characters", "a\u{E0041}b", "a\\u{e0041}b"],
  ["lone surrogate", "a\uD800b", "a\\u{d800}b"],
].map(([name, input, expected]) => [name ?? "", input ?? "", expected ?? ""] as const);

for (const [name, input, expected] of cases) {
  test(`escapeForDisplay makes visible: ${name}`, () => {
    assert.equal(escapeForDisplay(input), expected);
  });
}

test("escapeForDisplay leaves readable text alone", () => {
  for (const text of ["session 1", "日本 żółw", "👩‍👩‍👧 ❤️", "שלום", "می‌خواهم", "C:\\new"])
    assert.equal(escapeForDisplay(text), text);
});

test("nothing that acts is left, whatever the text is", () => {
  const acting = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u2028\u2029]|\p{Surrogate}/u;
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        assert.doesNotMatch(escapeForDisplay(text), acting);
        assert.doesNotMatch(removeActing(text), acting);
      },
    ),
  );
});

test("removeActingLines keeps the lines of a text", () => {
  assert.equal(removeActingLines("a\r\n\tb\u001b[31m\u202ec"), "a\n\tb[31mc");
});

test("escapeMarkup and escapeHtml leave no character that begins a tag, an entity or the end of a quote", () => {
  assert.equal(escapeMarkup(`a<b>&amp;"c"`), `a&lt;b&gt;&amp;amp;"c"`);
  assert.equal(escapeHtml(`<p title="x">`), "&lt;p title=&quot;x&quot;&gt;");
});
