import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "./built-in-agents.ts";
import { findInputBox, lastRow, textAtPlace } from "./input-box.ts";

const boxesOf = (agent: string) => builtInAgents.named(agent)?.boxes ?? [];
const rule = "─".repeat(40);
const linesOf = (text: string) => frameOf(text, { columns: 40, rows: 12 }).lines;

test("a box is a prompt between two rules, with what stands under it", () => {
  const lines = linesOf(`● done\n${rule}\n❯ one\n  two\n${rule}\n  ? for shortcuts`);
  const box = findInputBox(lines, boxesOf("claude"));
  assert.deepEqual(box, { top: 1, first: 2, last: 3, bottom: 4 });
  assert.equal(textAtPlace(lines, box, { in: "above", rows: 2 }), "● done");
  assert.match(textAtPlace(lines, box, { in: "below", rows: 2 }), /\? for shortcuts/);
  assert.equal(textAtPlace(lines, box, { in: "end", rows: 1 }), "  ? for shortcuts");
});

test("a box ends at the first edge under its prompt, where a copy of the footer was left below", () => {
  const [top, bottom] = ["▄".repeat(40), "▀".repeat(40)];
  const lines = linesOf(`answer\n${top}\n > a draft\n${bottom}\n ~/proj\n/directory)\n > another\n${bottom}`);
  assert.deepEqual(findInputBox(lines, boxesOf("gemini")), { top: 1, first: 2, last: 2, bottom: 3 });
});

test("a box without borders ends at a blank row", () => {
  const lines = linesOf("› Ask Codex to do anything\n\n  ? for shortcuts");
  assert.deepEqual(findInputBox(lines, boxesOf("codex")), { top: 0, first: 0, last: 0, bottom: 1 });
});

test("what was said before is no box: other rows stand between it and the end", () => {
  assert.equal(findInputBox(linesOf("› do it\n\n• Done.\n\n$ "), boxesOf("codex")), null);
});

test("a list of options is no box", () => {
  assert.equal(findInputBox(linesOf("› 1. Yes\n  2. No\n\n  Press enter to confirm"), boxesOf("codex")), null);
});

test("a box without a prompt lies between two edges, the upper of which may carry a spinner", () => {
  const lines = linesOf(`── ⠸ Working ${"─".repeat(20)}\n\n${rule}\n~/proj\n0.0%/200k (auto)`);
  const box = findInputBox(lines, boxesOf("pi"));
  assert.deepEqual(box, { top: 0, first: 1, last: 1, bottom: 2 });
  assert.match(textAtPlace(lines, box, { in: "top", rows: 1 }), /Working/);
});

test("places around a box that is not there are empty", () => {
  const lines = linesOf("hello");
  assert.deepEqual(
    (["above", "top", "below"] as const).map((place) => textAtPlace(lines, null, { in: place, rows: 3 })),
    ["", "", ""],
  );
  assert.equal(lastRow(lines), 0);
  assert.equal(lastRow([]), -1);
});
