import assert from "node:assert/strict";
import { test } from "node:test";
import { InputReader } from "../../core/typing/input-reader.ts";
import { chooserLines, stepChooser, type Choice, type ChooserState } from "./chooser.ts";

const choices: readonly Choice[] = [
  { value: "1", label: "work  bash" },
  { value: "2", label: "build  make" },
  { value: "3", label: "web  node" },
];

function press(keys: string): ChooserState | { readonly chosen: string | undefined } {
  let state: ChooserState = { typed: "", index: 0 };
  for (const item of new InputReader().feed(new TextEncoder().encode(keys))) {
    const step = stepChooser(state, item, choices);
    if ("chosen" in step) return step;
    state = step.state;
  }
  return state;
}

test("arrows go round the rows, and typing narrows them", () => {
  assert.deepEqual(press("\u001b[B\r"), { chosen: "2" });
  assert.deepEqual(press("\u001bOA\r"), { chosen: "3" });
  assert.deepEqual(press("Ma\r"), { chosen: "2" });
  assert.deepEqual(press("xx\u007f\u007f\r"), { chosen: "1" });
});

test("nothing is chosen of no rows, and Escape or Ctrl-C give up", () => {
  assert.deepEqual(press("xx\r"), { typed: "xx", index: 0 });
  assert.deepEqual(press("\u001b[B\u001b"), { chosen: undefined });
  assert.deepEqual(press("\u0003"), { chosen: undefined });
});

test("the list shows what was typed and ten rows at most, in the width of the terminal", () => {
  const state = { typed: "w", index: 1 };
  assert.deepEqual(chooserLines("Which?", state, choices, 80), ["Which? w", "  work  bash", "> web  node"]);
  assert.deepEqual(chooserLines("Which?", { typed: "q", index: 0 }, choices, 12), ["Which? q", "  none matc"]);
  const many = Array.from({ length: 30 }, (_, index) => ({ value: String(index), label: `s${index}` }));
  const lines = chooserLines("Which?", { typed: "", index: 20 }, many, 80);
  assert.deepEqual([lines.length, lines[10], lines[11]], [12, "> s20", "  30 in all"]);
});
