import assert from "node:assert/strict";
import { test } from "node:test";
import { screenState } from "./support/screen-state.ts";
import { Screen } from "../src/core/screen/screen.ts";

function stateAfter(data: string): Record<string, unknown> {
  const screen = new Screen({ columns: 10, rows: 2 });
  screen.feed(new TextEncoder().encode(data));
  return screenState(screen);
}

test("screenState shows cells, styles and wrapping", () => {
  assert.deepEqual(stateAfter("a\u001B[1mb\u001B[0m漢字 0123")["normal rows"], [
    "a{8000000,0,0}b{}(漢)(字) 012",
    "wrapped 3·········",
  ]);
});

test("screenState differs where the screen does", () => {
  const differences = [
    "b",
    "a\u001B[1m",
    "a\u001B[?25l",
    "a\u001B[1;1r",
    "a\u001B7",
    "a\u001B[3g",
    "a\u001B(0",
    "a\u001B[",
    "a\u001B[>1u",
    "a\u001B]2;t\u0007",
  ];
  const states = new Set(["a", ...differences].map((data) => JSON.stringify(stateAfter(data))));
  assert.equal(states.size, differences.length + 1);
});
