import assert from "node:assert/strict";
import { test } from "node:test";
import { isRedrawn, provenTop, showsRow } from "./proof.ts";
import { gapRow, type Row } from "./row.ts";

const rows = (text: string): Row[] =>
  text
    .split("|")
    .map((key) => (key === "…" ? gapRow : { ...gapRow, role: key === "" ? "blank" : null, text: key, key }));

const proofOf = (known: string, window: string, place = {}): ReturnType<typeof provenTop> =>
  provenTop(rows(known), rows(window), { final: 0, otherWidthTo: 0, isBelowBlank: false, ...place });

const topOf = (known: string, window: string, final = 0): number | null => proofOf(known, window, { final }).top;

test("a window goes on from the known rows that it begins with, and the last of them may have grown", () => {
  assert.equal(topOf("first row|second row||third", "second row||third row|fourth row"), 1);
  assert.equal(topOf("first row|second row||third row", "second row|third row|fourth row"), null);
  assert.equal(topOf("first row|second row|third row", "another row|third row|fourth row"), null);
  assert.equal(topOf("first row|second row|third", "third row|fourth row"), null);
});

test("a small step comes before older rows, and those come before a large step", () => {
  assert.equal(topOf("same row|one|same row|one|same row|one", "same row|one|same row|one|new row"), 2);
  assert.equal(topOf("a code|b code|c code|d code|e code|a code", "a code|b code|c code|d code"), 0);
  assert.equal(topOf("a code|b code|c code|d code|e code|a code", "a code|b code|c code|d code", 5), 5);
});

test("older rows that would explain a window as well are told of", () => {
  const known = "same row|one|same row|one|same row|one";
  assert.deepEqual(proofOf(known, "same row|one|same row|one|new row"), { top: 2, hasRival: false });
  assert.deepEqual(proofOf(known, "same row|one|same row|one"), { top: 2, hasRival: true });
});

test("a blank row above a window stands above the known row as well", () => {
  const [known, window] = ["row one|row two|row three", "row three|row four|row five"];
  assert.equal(proofOf(known, window, { isBelowBlank: true }).top, null);
  assert.equal(proofOf("row one|row two||row three", window, { isBelowBlank: true }).top, 3);
});

test("a large step from rows of another width is not proven", () => {
  const [known, window] = ["row one|row two|row three", "row three|row four|row five"];
  assert.equal(proofOf(known, window, { otherWidthTo: 3 }).top, null);
  assert.equal(proofOf(known, window).top, 2);
});

test("some of the last rows may be drawn anew, if more above them agree", () => {
  const isRedrawnAt = (known: string, window: string, top: number): boolean =>
    isRedrawn(rows(known), rows(window), top);
  assert.equal(topOf("row one|row two|row three|row four|Running it", "row two|row three|row four|Ran it|more"), null);
  assert.ok(isRedrawnAt("row one|row two|row three|row four|Running it", "row two|row three|row four|Ran it|more", 1));
  assert.ok(!isRedrawnAt("row one|row two|row three|Running it|", "row two|row three|Ran it|and more", 1));
  assert.ok(!isRedrawnAt("one|row two|row three|row four|x|y|z", "row two|row three|row four|1|2|3", 1));
});

test("nothing is proven by blank rows, or by rows on both sides of a gap", () => {
  assert.equal(topOf("row one||", "|row two"), null);
  assert.equal(topOf("row one|…|row two", "row one||row two|row three"), null);
});

test("a row says the same whatever stands right of it", () => {
  const [one] = rows("the text");
  assert.ok(one !== undefined);
  assert.ok(showsRow({ ...one, key: "the text █" }, { ...one, key: "the text ▄" }, false));
  const longer = { ...one, key: "the text and more", text: "the text and more" };
  assert.deepEqual([showsRow(one, longer, true), showsRow(one, longer, false)], [true, false]);
});
