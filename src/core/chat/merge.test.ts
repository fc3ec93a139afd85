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

/** A small generator of numbers, the same at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** The last prompt that something follows that is none. */
function finalOf(known: readonly Row[]): number {
  const answer = known.findLastIndex(({ role, key }) => key !== "" && role !== "user");
  return Math.max(
    0,
    known.slice(0, Math.max(0, answer)).findLastIndex(({ role }) => role === "user"),
  );
}

const place = { final: 0, likely: null, otherWidthTo: 0, isBelowBlank: false };

function merged(transcript: string, window: string, likely: number | null = null): string {
  const before = withUsers(transcript);
  const merge = mergeRows(before, withUsers(window), { ...place, final: finalOf(before), likely });
  const after = [...before.slice(0, merge.at), ...merge.rows].map(({ key }) => key).join("|");
  return merge.isApart ? `${before.length} apart: ${after}` : after;
}

test("a window that scrolled is joined at the rows that both have", () => {
  assert.equal(
    merged("first row|second row|third row", "second row|third row|fourth row"),
    "first row|second row|third row|fourth row",
  );
});

test("a welcome that is drawn anew above the first prompt does not hide its answer", () => {
  assert.equal(
    merged("one face of it|the release|u:please do it|", "another face of it|a release|u:please do it|an answer"),
    "another face of it|a release|u:please do it|an answer",
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
    merged(
      "u:a question|an answer|second call|a result|a third of them",
      "first result|another|second call|a result|a third of them",
    ),
    "u:a question|first result|another|second call|a result|a third of them",
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
    merged("u:first row|second row", "ninth row|tenth row"),
    "2 apart: u:first row|second row|ninth row|tenth row",
  );
});

test("a window that stands still is found where the one before was, and one that moved is not", () => {
  const transcript = "first row|same row|same row|same row|fifth row";
  assert.equal(merged(transcript, "same row|same row|fifth row|sixth row", 2), `${transcript}|sixth row`);
  assert.equal(merged("a row|b row|c row|d row", "b row|c row|d row|e row", 0), "a row|b row|c row|d row|e row");
});

test("a menu that leaves two acknowledged rows of a window takes nothing away, and adds nothing", () => {
  const known = "u:first|a row|x|u:second|b row|c row";
  assert.equal(merged(known, "x", 2), known);
});

test("numbers of rows decide where words do not, and give way where a screen was drawn anew", () => {
  const numbered = (text: string, line: number): Row[] =>
    rows(text).map((row, index) => ({ ...row, line: line + index }));

  assert.equal(mergeRows(numbered("yes|yes|yes", 5), numbered("yes|yes", 7), place).at, 2);
  assert.equal(mergeRows(numbered("yes|no|maybe so", 5), numbered("maybe so|yes", 9), place).at, 2);
  assert.equal(
    merged("alpha row|beta row|gamma row|delta row", "alpha row|beta row|gamma row|delta row|new row", 4),
    "alpha row|beta row|gamma row|delta row|new row",
  );
});

/** All of `few` is in `many`, in order. */
const isWithin = (few: readonly string[], many: readonly string[]): boolean => {
  const rest = [...few];
  for (const one of many) if (one === rest[0]) rest.shift();
  return rest.length === 0;
};

const code = Array.from({ length: 12 }, (_, index) => `line ${index} of the code is the same`);
const turns = ["one", "two", "three"].flatMap((name) => [
  `u:do item ${name} now`,
  ...code,
  "",
  `that was all of item ${name}`,
  "u:run the tests again",
  "all twelve tests have passed",
]);

test("a block that comes again is the last one, not the first", () => {
  const [first, second] = [turns.slice(0, 17), turns.slice(17, 34)];
  const before = [...first, ...second.slice(0, 6)].join("|");
  assert.equal(merged(before, second.slice(1, 10).join("|")), [...first, ...second.slice(0, 10)].join("|"));
  assert.equal(merged(before, second.slice(0, 14).join("|"), 17), [...first, ...second.slice(0, 14)].join("|"));
});

test("every block comes again, and at any size and steps of the window each row is known once", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const below = numbers(seed);
    const height = 6 + below(20);
    let known = turns.slice(0, 4).join("|");
    let end = 4;
    while (end < turns.length) {
      end = Math.min(turns.length, end + 1 + below(height - 4));
      if (turns[end - 1] === "") end += 1;
      known = merged(known, turns.slice(Math.max(0, end - height), end).join("|"));
      assert.equal(known, turns.slice(0, end).join("|"), `seed ${seed}, ${height} rows`);
    }
  }
});

test("whatever is shown, no prompt that a later one has acknowledged is lost or changes its order", () => {
  const prompts = (all: readonly Row[]): string[] => all.filter(({ role }) => role === "user").map(({ key }) => key);
  for (let seed = 1; seed <= 2000; seed += 1) {
    const below = numbers(seed);
    const transcript = withUsers(turns.slice(0, 20 + below(turns.length - 20)).join("|"));
    const pieces = Array.from({ length: 1 + below(3) }, () => {
      const from = below(turns.length);
      return turns.slice(from, from + 1 + below(12));
    });
    const window = pieces.flat().map((row) => (below(8) === 0 ? `${row} more` : row));
    const at = { ...place, final: finalOf(transcript), likely: below(20) };
    const merge = mergeRows(transcript, withUsers(window.join("|")), at);
    const after = [...transcript.slice(0, merge.at), ...merge.rows];
    const acknowledged = prompts(transcript.slice(0, at.final));
    const kept = prompts(after).filter((key) => acknowledged.includes(key));
    assert.ok(isWithin(acknowledged, kept), `seed ${seed}: ${kept.join(", ")}`);
  }
});

test("half a repaint shows rows of the block before, and is no new turn", () => {
  const block = "a row of a block that is long|another row of the block that is long";
  assert.equal(
    merged(
      `u:first question|${block}|END OF THE FIRST|u:second question|${block}`,
      `${block}|END OF THE FIRST|u:second question|END`,
    ),
    `u:first question|${block}|END OF THE FIRST|u:second question|END`,
  );
});

test("an answer of which one row was seen is drawn anew below its prompt", () => {
  assert.equal(
    merged("u:first question|an answer||u:run the tests|~ Writing command…", "|u:run the tests|I run them.|call", 2),
    "u:first question|an answer||u:run the tests|I run them.|call",
  );
});
