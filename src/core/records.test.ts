import assert from "node:assert/strict";
import { test } from "node:test";
import { wireRequest, wireToolCall, wireTurn } from "../../test/marks.ts";
import { readMark } from "./records.ts";

test("a mark of this version is what the record says", () => {
  for (const mark of [wireTurn(), wireRequest(), wireToolCall(), { type: "marker", label: "a" }])
    assert.equal(readMark(mark), mark);
});

test("what a later version wrote is one unknown mark, and so is what is not a mark at all", () => {
  assert.deepEqual(readMark({ type: "written-later", text: "" }), { type: "unknown", name: "written-later" });
  assert.deepEqual(readMark({ type: "toString" }), { type: "unknown", name: "toString" });
  for (const value of [null, 7, "marker", [], {}, { type: 7 }])
    assert.deepEqual(readMark(value), { type: "unknown", name: "" });
});

test("a mark without a field that reducers read is unknown: it changes nothing", () => {
  const wrong = [{ text: null }, { text: 7 }, { exchange: undefined }, { usage: "many" }, { costUsd: "1" }];
  for (const fields of wrong) assert.equal(readMark({ ...wireTurn(), ...fields }).type, "unknown");
  for (const parts of [null, 7, {}, [null], [{ type: "user" }], [{ type: "user", text: 7 }]])
    assert.equal(readMark({ ...wireRequest(), parts }).type, "unknown");
});

test("a field that an older version did not write is not missed", () => {
  const { refused: _, cutChars: __, ...older } = wireTurn();
  assert.equal(readMark(older).type, "wire-turn");
});
