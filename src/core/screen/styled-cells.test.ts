import assert from "node:assert/strict";
import { test } from "node:test";
import { Screen } from "./screen.ts";

test("cells have their columns, widths and graphemes", () => {
  const screen = new Screen({ columns: 6, rows: 1 });
  screen.feed(new TextEncoder().encode("a漢e\u0301"));
  assert.deepEqual(
    screen.cells(0).map(({ column, width, text }) => [column, width, text]),
    [
      [0, 1, "a"],
      [1, 2, "漢"],
      [3, 1, "e\u0301"],
      [4, 1, " "],
      [5, 1, " "],
    ],
  );
});

test("each attribute is told by itself", () => {
  const names = [
    ...([
      ["1", "isBold"],
      ["2", "isDim"],
      ["3", "isItalic"],
      ["4", "isUnderlined"],
      ["7", "isInverse"],
    ] as const),
    ...([
      ["8", "isHidden"],
      ["9", "isStruck"],
      ["53", "isOverlined"],
    ] as const),
  ];
  for (const [code, name] of names) {
    const screen = new Screen({ columns: 4, rows: 1 });
    screen.feed(new TextEncoder().encode(`\u001B[${code}mx`));
    const told = Object.entries(screen.cells(0)[0] ?? {}).filter(([, value]) => value === true);
    assert.deepEqual(told, [[name, true]]);
  }
});

test("a row that is not there has no cells", () => {
  assert.deepEqual(new Screen({ columns: 4, rows: 1 }).cells(9), []);
});
