import assert from "node:assert/strict";
import { test } from "node:test";
import type { WindowData } from "./agent-file.ts";
import { compileWindow } from "./chat-window.ts";
import { drawn } from "./drawn-frame.test.ts";
import { nativePattern } from "./pattern.ts";
import { RowTests } from "./row-test.ts";

/** The end of the window on a screen of 12 rows, `~` behind it while the agent works; null if it is not shown. */
function endOf(data: WindowData, ...rows: readonly string[]): string | null {
  const marks = { prompt: { text: "^>" }, spinner: { text: "^✻" }, edge: { text: "^╭" } };
  const find = compileWindow(data, new RowTests(marks, nativePattern), { compile: nativePattern, hasScrollbar: false });
  const window = find(drawn(rows));
  return window === null ? null : `${window.from}-${window.to}${window.isBusy ? "~" : ""}`;
}

const box = { steps: [{ to: "rule", rowsMax: 12 }, { to: "rule", rowsMax: 3 }, { under: "prompt" }] } as const;

test("without ways to find it the end is that of the screen", () => {
  assert.equal(endOf({}, "one"), "0-12");
  assert.equal(endOf({ above: [{ over: "blank" }] }, "one"), "0-1");
});

test("ways are tried in order, and each step must fit", () => {
  const ends = { box, cursor: { steps: [{ over: "blank" }, { up: 1 }, { here: "prompt" }] } } as const;
  assert.equal(endOf({ ends }, "one", "────", "> ", "────"), "0-1");
  assert.equal(endOf({ ends }, "one", "> "), "0-1");
  assert.equal(endOf({ ends }, "one"), null);
});

test("a spinner above the end is busy, as are a row and a title", () => {
  const above = [{ to: "spinner", rowsMax: 2, optional: "busy" }, { over: "blank" }] as const;
  assert.equal(endOf({ ends: { box }, above }, "one", "", "✻ Thinking", "────", "> ", "────"), "0-1~");
  assert.equal(endOf({ ends: { box }, above }, "one", "────", "> ", "────"), "0-1");
  assert.equal(endOf({ ends: { box }, busy: { below: { text: "esc" } } }, "one", "────", "> ", "────", "esc"), "0-1~");
  assert.equal(endOf({ ends: { box }, busy: { above: "spinner" } }, "✻", "────", "> ", "────"), "0-1~");
});

test("in a dialog nothing is busy and nothing more is left out", () => {
  const dialog = { isDialog: true, steps: [{ over: "blank" }, { to: "edge" }, { noneBelow: "rule" }] } as const;
  assert.equal(
    endOf({ ends: { dialog }, above: [{ over: "blank" }], busy: { title: "" } }, "one", "", "╭─", "x"),
    "0-2",
  );
});

test("rows that are suggested are left out up to the first that is one", () => {
  const over = [{ over: [{ text: "^ /" }, "blank"], first: { text: "^ /" } }] as const;
  assert.equal(endOf({ ends: { box }, above: over }, "one", "", " /help", " /init", "────", "> ", "────"), "0-2");
});

test("steps go down, over a background, and look at the row above", () => {
  const down = { steps: [{ to: "prompt" }, { downTo: "blank" }] } as const;
  assert.equal(endOf({ ends: { down } }, "> one", "two", "", "three"), "0-2");
  const shade = { steps: [{ to: "prompt" }, { overShade: true }] } as const;
  assert.equal(endOf({ ends: { shade } }, "one", "{=} ", "{=}> x"), "0-1");
  const single = { steps: [{ to: "prompt" }, { notOver: "prompt" }, { noneAbove: "rule" }] } as const;
  assert.equal(endOf({ ends: { single } }, "> one", "> two"), null);
  assert.equal(endOf({ ends: { single } }, "one", "> two"), "0-1");
});

test("a frame that ends right above is left out as a whole, if there is one", () => {
  const above = [{ when: { text: "^╰" }, to: "edge", optional: "quiet" }] as const;
  assert.equal(endOf({ ends: { box }, above }, "one", "╭─╮", "a", "╰─╯", "────", "> ", "────"), "0-1");
  assert.equal(endOf({ ends: { box }, above }, "one", "╭─╮", "a", "────", "> ", "────"), "0-3");
});

test("a first row that stays on top is left out", () => {
  assert.equal(endOf({ sticky: "prompt" }, "> one", "two"), "1-12");
});
