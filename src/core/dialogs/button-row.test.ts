import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { lastButtonRow } from "./button-row.ts";
import { dialogRows } from "./dialog-rows.ts";

const known = [
  ["Allow once", "Allow always", "Reject"],
  ["Confirm", "Cancel"],
];
const read = (text: string) => {
  const { lines } = frameOf(text);
  const row = lastButtonRow(lines, dialogRows(lines), known);
  return row?.options.map(({ id, label, isSelected }) => `${isSelected ? "*" : ""}${id} ${label}`) ?? null;
};

test("the lit button is the one that looks different from the others", () => {
  assert.deepEqual(read("ask\n Allow once  \u001B[44m Allow always \u001B[0m  Reject"), [
    "1 Allow once",
    "*2 Allow always",
    "3 Reject",
  ]);
});

test("of two buttons the one on a background of its own is lit", () => {
  assert.deepEqual(read("ask\n  Confirm   \u001B[7mCancel\u001B[0m"), ["1 Confirm", "*2 Cancel"]);
});

test("buttons with keys are answered by their keys", () => {
  assert.deepEqual(read("Approve tool call?\n [y] Approve   [n] Deny"), ["y Approve", "n Deny"]);
});

test("words in a text are no buttons", () => {
  assert.equal(read("Use [y] Approve to go on"), null);
  assert.equal(read("Reject what you cannot Allow once"), null);
});
