import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowTestData } from "./agent-file.ts";
import { drawn } from "./drawn-frame.test.ts";
import { nativePattern } from "./pattern.ts";
import { RowTests } from "./row-test.ts";

const columns = 40;

/** Whether the first of the rows fits. */
function fits(data: RowTestData, ...rows: readonly string[]): boolean {
  const { lines } = drawn(rows);
  const isFit = new RowTests({ spinner: { text: "^✻ " }, working: { is: "spinner", text: "…$" } }, nativePattern).of(
    data,
  );
  const [line] = lines;
  return line !== undefined && isFit(line, { lines, row: 0, columns });
}

test("a row fits by its text, by a mark, or by one of several", () => {
  assert.equal(fits({ text: "^a", not: "b$" }, "ac"), true);
  assert.equal(fits({ text: "^a", not: "b$" }, "ab"), false);
  assert.equal(fits("working", "✻ Thinking…"), true);
  assert.equal(fits(["rule", "blank"], ""), true);
  assert.equal(fits("rule", "────────"), true);
  assert.equal(fits({ is: "spinner", text: "x" }, "✻ y"), false);
});

test("a row fits by its background", () => {
  assert.deepEqual(
    (["none", "left", "full"] as const).map((shade) => fits({ shade }, "{=}text")),
    [false, true, true],
  );
  assert.deepEqual(
    (["none", "left", "full"] as const).map((shade) => fits({ shade }, "{48;5;236}text{0} more")),
    [false, true, false],
  );
  assert.equal(fits({ at: { column: 2, background: "set" } }, "a {48;5;236}b"), true);
  assert.equal(fits({ at: { column: 0, background: [236, "#343541"] } }, "{48;2;52;53;65}b"), true);
});

test("a row fits by the styles of its spans", () => {
  assert.equal(fits({ first: { bold: true } }, "  {1}bold{0} text"), true);
  assert.equal(fits({ some: { bold: true, column: 2 } }, "a {1}bold"), true);
  assert.equal(fits({ some: { bold: true, column: { min: 3 } } }, "a {1}bold"), false);
  const faint = { every: [{ dim: true }, { colour: "grey" }] };
  assert.equal(fits(faint, "{2}dim{0} {38;2;153;153;153}grey"), true);
  assert.equal(fits(faint, "{2}dim{0} bright"), false);
  assert.equal(fits({ first: { colour: ["red", "orange"] } }, "{31}red"), true);
  assert.equal(fits({ first: { colour: "hidden" } }, "{38;5;236;48;5;236}x"), true);
  assert.equal(fits({ spans: 1 }, "  {1}a{0} b"), false);
});

test("a row fits by what is around it", () => {
  assert.equal(fits({ text: "^$", next: { text: "^>" } }, "", "> a"), true);
  assert.equal(fits({ freeColumnsMax: 2 }, "x".repeat(38)), true);
  assert.equal(fits({ freeColumnsMax: 2 }, "x".repeat(37)), false);
});

test("rows of code, of tools and under a notice have tests of their own", () => {
  assert.equal(fits({ isNumbered: true }, "  {38;5;240}4{0} {38;5;255}    return 1"), true);
  assert.equal(fits({ isPadded: true }, `text${" ".repeat(36)}`), true);
  assert.equal(fits({ isCovered: true }, `text        ┃{48;5;236} note`), true);
});

test("an unknown mark is named", () => {
  assert.throws(() => fits("spiner", ""), /Unknown mark "spiner": did you mean "spinner"\?/);
});
