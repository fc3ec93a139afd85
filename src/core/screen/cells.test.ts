import assert from "node:assert/strict";
import { test } from "node:test";
import { Screen } from "./screen.ts";

test("half a wide character that a resize left behind counts as a blank, in a snapshot too", () => {
  const screen = new Screen({ columns: 4, rows: 2 });
  screen.feed(new TextEncoder().encode("\u001B[?1049h\u001B[2G漢"));
  screen.resize(2, 2);
  assert.deepEqual(screen.state()["alternate rows"], ["· ", "··"]);
  assert.deepEqual(Screen.restore(screen.snapshot(0)).state(), screen.state());
});
