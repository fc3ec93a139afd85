import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonString } from "./json-string.ts";

test("JsonString reads up to the closing quote and tells where a cut would be", () => {
  const string = new JsonString();
  string.begin(10);
  assert.equal(string.read("ab", 0, 10), 2);
  assert.deepEqual([string.value, string.safeEnd, string.closed], ["ab", 12, false]);
  assert.equal(string.read('c"rest', 0, 12), 2);
  assert.deepEqual([string.value, string.safeEnd, string.closed], ["abc", 13, true]);
});

test("JsonString holds half an escape and half a surrogate pair back", () => {
  const string = new JsonString();
  string.begin(0);
  string.read(String.raw`a\ud83d`, 0, 0);
  assert.deepEqual([string.value, string.safeEnd], ["a", 1]);
  string.read(String.raw`\ude`, 0, 7);
  assert.deepEqual([string.value, string.safeEnd], ["a", 1]);
  string.read("00", 0, 11);
  assert.deepEqual([string.value, string.safeEnd], ["a😀", 13]);
});

test("JsonString keeps a lone surrogate that something else follows", () => {
  const string = new JsonString();
  string.begin(0);
  string.read(String.raw`\ud83d\ud83dx"`, 0, 0);
  assert.equal(string.value, "\ud83d\ud83dx");
  assert.ok(string.closed);
});

test("JsonString says at which character it cannot go on", () => {
  const string = new JsonString();
  string.begin(0);
  assert.equal(string.read("ab\tc", 0, 0), -1 - 2);
  string.begin(0);
  assert.equal(string.read(String.raw`\x`, 0, 0), -1 - 1);
  string.begin(0);
  assert.equal(string.read(String.raw`\u12G`, 0, 0), -1 - 4);
});
