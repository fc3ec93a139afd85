import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clusterStep,
  columnsOf,
  displayWidth,
  firstColumns,
  isOneCluster,
  joinsPreceding,
  padToWidth,
  truncateToWidth,
} from "./width.ts";

test("clusterStep says what joins, and how wide the cluster is then", () => {
  const steps = (text: string): (readonly [number, boolean])[] => {
    let step = 0;
    return [...text].map((character) => {
      step = clusterStep(character.codePointAt(0) ?? 0, step);
      return [columnsOf(step), joinsPreceding(step)];
    });
  };
  assert.deepEqual(steps("e\u0301\u200B"), [
    [1, false],
    [1, true],
    [1, true],
  ]);
  assert.deepEqual(steps("❤\uFE0F\u200D🔥x"), [
    [1, false],
    [2, true],
    [2, true],
    [2, true],
    [1, false],
  ]);
  assert.deepEqual(steps("🇩🇪🇫"), [
    [1, false],
    [2, true],
    [1, false],
  ]);
  assert.deepEqual(steps("a\u200Db"), [
    [1, false],
    [1, true],
    [1, false],
  ]);
  assert.deepEqual(steps("\u0301"), [[0, true]]);
});

test("isOneCluster is true for what takes one key", () => {
  assert.deepEqual(["a", "e\u0301", "👩‍👩‍👧", "🇩🇪", "日"].map(isOneCluster), [true, true, true, true, true]);
  assert.deepEqual(["", "ab", "🇩🇪🇫", "\u0E01\u0E33"].map(isOneCluster), [false, false, false, false]);
});

test("firstColumns cuts between clusters, also where a cluster grows by what follows", () => {
  assert.equal(firstColumns("ab❤\uFE0Fc", 3), "ab");
  assert.equal(firstColumns("ab❤\uFE0Fc", 4), "ab❤\uFE0F");
  assert.equal(firstColumns("e\u0301e\u0301", 1), "e\u0301");
  assert.equal(firstColumns("日本", 3), "日");
  assert.equal(firstColumns("lectern", 0), "");
});

test("displayWidth counts columns, not characters", () => {
  const widths: readonly (readonly [string, number])[] = [
    ["", 0],
    ["session", 7],
    ["日本", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇵🇱", 2],
    ["❤️", 2],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
  ];
  for (const [text, width] of widths) assert.equal(displayWidth(text), width, text);
});

test("truncateToWidth cuts between clusters and marks the cut", () => {
  assert.equal(truncateToWidth("lectern", 7), "lectern");
  assert.equal(truncateToWidth("lectern", 4), "lec…");
  assert.equal(truncateToWidth("日本語", 4), "日…");
  assert.equal(truncateToWidth("日本語", 5), "日本…");
  assert.equal(truncateToWidth("abc", 0), "");
});

test("padToWidth fills up to a column", () => {
  assert.equal(padToWidth("日本", 6), "日本  ");
  assert.equal(padToWidth("lectern", 3), "lectern");
});

test("characters that stand alone are as wide together as each of them, and marks behind them join them", () => {
  for (const text of ["─│╭ │", "● ❯ … —", "⌚✅◽", "日本。", "한글각", "ЖЫ", "ｆｕ"]) {
    const sum = [...text].reduce((width, character) => width + displayWidth(character), 0);
    assert.equal(displayWidth(text), sum, text);
    assert.equal(displayWidth(`${text}\u0301`), sum, text);
  }
});
