import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName, isLong, jsonPieces } from "./http.ts";

const names = {
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0": "Firefox on Linux",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36":
    "Chrome on Android",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1":
    "Safari on iPhone",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0":
    "Edge on Windows",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15":
    "Safari on Mac",
  "curl/8.14": "browser",
  "": "browser",
};

test("a browser is named with the system that it runs on", () => {
  for (const [userAgent, name] of Object.entries(names)) assert.equal(browserName(userAgent), name);
});

const long = (length: number, part = 'a\n"\u0007é😀'): string => part.repeat(Math.ceil(length / part.length));

test("the pieces together are the JSON of the document, wherever a text is cut", () => {
  // Each offset moves the pair of units across the place of the cut.
  for (let offset = 0; offset < 4; offset += 1) {
    const document = {
      text: "x".repeat(offset) + long(1_000_000),
      next: 7,
      none: undefined,
      more: [{ a: null }],
      'a"b': "",
    };
    assert.equal([...jsonPieces(document)].join(""), JSON.stringify(document));
  }
  const halves = { text: "\ud83d".repeat(300_000) };
  assert.equal([...jsonPieces(halves)].join(""), JSON.stringify(halves));
  assert.equal([...jsonPieces({})].join(""), "{}");
});

test("no piece is much longer than a quarter of a million characters", () => {
  const pieces = [...jsonPieces({ text: long(16 * 1024 * 1024, "plain text\n") })];
  assert.ok(pieces.length >= 64);
  assert.ok(Math.max(...pieces.map(({ length }) => length)) < 300_000);
});

test("a document without a long text is not worth pieces", () => {
  assert.equal(isLong({ text: "short", more: [long(1_000_000)] }), false);
  assert.equal(isLong({ text: long(1_000_000) }), true);
  assert.equal(isLong(null), false);
  assert.equal(isLong("text"), false);
});
