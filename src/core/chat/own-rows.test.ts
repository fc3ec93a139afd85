import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn } from "../agents/drawn-frame.test.ts";
import { closingText, OwnRows } from "./own-rows.ts";

const frame = (rows: readonly string[], change: object = {}) => ({ ...drawn(rows), topLine: 5, ...change });

test("all rows are the agent's once it has erased the command that started it", () => {
  let own = new OwnRows({ firstLine: 7, above: null });
  own.see(frame(["output", "$ agent", "welcome"]));
  own = new OwnRows(JSON.parse(JSON.stringify(own.save())));
  own.see(frame(["output", "$ agent", "another"]));
  assert.equal(own.firstLine, 7);
  own.see(frame(["welcome"]));
  assert.equal(own.firstLine, 5);
});

test("a command that scrolled away, or that a resize wrapped anew, was not erased", () => {
  const own = new OwnRows({ firstLine: 7, above: null });
  own.see(frame(["output", "$ agent", "welcome"]));
  own.see(frame(["welcome"], { topLine: 7 }));
  assert.equal(own.firstLine, 7);
  const resized = new OwnRows({ firstLine: 7, above: "$ agent" });
  resized.see(frame(["$ agent", "welcome"], { isResized: true }));
  resized.see(frame(["$ agent", "another"]));
  assert.equal(resized.firstLine, 7);
});

test("what an agent printed last is below its rules and above the shell's prompt", () => {
  const last = frame(["$ agent", "────────", "good", "bye", "$ "]);
  assert.equal(closingText(last, { prompt: 9, firstLine: 6, hasOwnScreen: false }), "good\nbye");
});
