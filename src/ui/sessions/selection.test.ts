import assert from "node:assert/strict";
import { test } from "node:test";
import { toggled, toggledAll, type SelectedSessions } from "./selection.ts";

const shown = ["a", "b", "c", "d"];
const none: SelectedSessions = { isOn: true, ids: new Set(), last: undefined };
const text = ({ ids }: SelectedSessions): string => [...ids].join("");

test("a row is selected and not selected by turns", () => {
  const one = toggled(none, "b");
  assert.equal(text(one), "b");
  assert.equal(text(toggled(one, "b")), "");
});

test("a range goes from the row that was selected last, up or down", () => {
  assert.equal(text(toggled(toggled(none, "b"), "d", shown)), "bcd");
  assert.equal(text(toggled(toggled(none, "c"), "a", shown)), "cab");
  assert.equal(text(toggled(none, "c", shown)), "c");
  assert.equal(text(toggled({ ...none, last: "gone" }, "c", shown)), "c");
});

test("all that are shown are selected, and then none", () => {
  const all = toggledAll(toggled(none, "b"), shown);
  assert.equal(text(all), "abcd");
  assert.equal(text(toggledAll(all, shown)), "");
  assert.equal(text(toggledAll(none, [])), "");
});
