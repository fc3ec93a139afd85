import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeRows } from "./merge.ts";
import type { Row } from "./row.ts";

const rows = (text: string): Row[] =>
  text.split("|").map((key) => ({
    role: key === "" ? "blank" : null,
    isStart: false,
    text: key,
    hang: 0,
    behindCall: null,
    isSummary: false,
    key,
    end: key.length,
    limit: 40,
    line: -1,
  }));

/** With `u:` in front of what people said. */
const withUsers = (text: string): Row[] =>
  rows(text).map((row) => (row.text.startsWith("u:") ? { ...row, role: "user" } : row));

function merged(transcript: string, window: string, hint: number | null = null, likely: number | null = null): string {
  const before = withUsers(transcript);
  const merge = mergeRows(before, withUsers(window), { hint, likely });
  const after = [...before.slice(0, merge.at), ...merge.rows].map(({ key }) => key).join("|");
  return merge.isApart ? `${before.length} apart: ${after}` : after;
}

test("a window that scrolled is joined at the rows that both have", () => {
  assert.equal(
    merged("first row|second row|third row", "second row|third row|fourth row"),
    "first row|second row|third row|fourth row",
  );
});

test("the last row grows", () => {
  assert.equal(merged("first row|second row|thi", "first row|second row|third"), "first row|second row|third");
});

test("rows in the middle are folded", () => {
  assert.equal(
    merged("alpha row|beta row|tool 1|tool 2|gamma row", "alpha row|beta row|tool|gamma row|delta row"),
    "alpha row|beta row|tool|gamma row|delta row",
  );
});

test("what people said stays above what grew in the middle and pushed it off the screen", () => {
  assert.equal(
    merged("u:a question|an answer|second call|a result", "first result|another|second call|a result"),
    "u:a question|first result|another|second call|a result",
  );
});

test("what covers the end of a window takes nothing away", () => {
  assert.equal(merged("first row|second row|third row", "first row|second row"), "first row|second row|third row");
});

test("a window that was scrolled back takes nothing away", () => {
  assert.equal(merged("a row|b row|c row|d row|e row", "b row|c row"), "a row|b row|c row|d row|e row");
});

test("the same window twice changes nothing", () => {
  const once = merged("first row|second row", "second row|third row");
  assert.equal(merged(once, "second row|third row"), once);
});

test("a window that shares nothing stands apart", () => {
  assert.equal(
    merged("first row|second row", "ninth row|tenth row"),
    "2 apart: first row|second row|ninth row|tenth row",
  );
});

test("a window that stands still is found where the one before was, and one that moved is not", () => {
  const transcript = "first row|same row|same row|same row|fifth row";
  assert.equal(merged(transcript, "same row|same row|fifth row|sixth row", null, 2), `${transcript}|sixth row`);
  assert.equal(merged("a row|b row|c row|d row", "b row|c row|d row|e row", null, 0), "a row|b row|c row|d row|e row");
});

test("numbers of rows decide where words do not, and give way where a screen was drawn anew", () => {
  assert.equal(merged("yes|yes|yes", "yes|yes", 2), "yes|yes|yes|yes");
  assert.equal(
    merged("alpha row|beta row|gamma row|delta row", "alpha row|beta row|gamma row|delta row|new row", 4),
    "alpha row|beta row|gamma row|delta row|new row",
  );
});
