import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordEntry } from "./record-entry.ts";
import { SaidRows } from "./said-rows.ts";

const said = (...ids: string[]): RecordEntry[] =>
  ids.map((id) => ({ kind: "message", id, role: "user", text: "x", timeMs: 0 }));
const idsIn = (entries: readonly RecordEntry[]): (readonly string[])[] =>
  entries.map((entry) => (entry.kind === "taken-back" ? entry.ids : []));

function begun(): SaidRows {
  const rows = new SaidRows();
  rows.branch("a", null, said("A"), true);
  rows.branch("note", "a", [], false);
  rows.branch("b", "note", said("B"), true);
  rows.branch("c", "b", said("C", "D"), true);
  return rows;
}

test("a row that continues the branch leaves nothing, nor does one that is no turn, or is read again", () => {
  const rows = begun();
  assert.deepEqual(rows.branch("d", "c", said("E"), true), []);
  assert.deepEqual(rows.branch("e", "a", said("F"), false), []);
  assert.deepEqual(rows.branch("b", "note", said("B"), true), []);
});

test("a turn leaves the descendants of its parent, each once", () => {
  const rows = begun();
  rows.branch("other", "a", said("X"), false);
  assert.deepEqual(idsIn(rows.branch("d", "note", said("Y"), true)), [["B", "C", "D"]]);
  assert.deepEqual(idsIn(rows.branch("e", "note", [], true)), [["Y"]]);
  assert.deepEqual(idsIn(rows.branch("f", "a", [], true)), [["X"]]);
  assert.deepEqual(idsIn(begun().branch("f", null, [], true)), [["A", "B", "C", "D"]]);
});

test("a parent whose row is missing has its children", () => {
  const rows = begun();
  rows.branch("e", "lost", said("E"), true);
  rows.branch("f", "e", said("F"), true);
  assert.deepEqual(idsIn(rows.branch("g", "lost", [], true)), [["E", "F"]]);
});

test("a message is taken back with the last row that has it, and is said again with a row that is added again", () => {
  const rows = new SaidRows();
  rows.add("1", said("A", "B"));
  rows.add("2", said("B", "C"));
  assert.deepEqual(idsIn(rows.leave(({ id }) => id === "2")), [["C"]]);
  rows.add("2", said("C"));
  assert.deepEqual(idsIn(rows.leave(() => true)), [["A", "B", "C"]]);
  assert.deepEqual(
    rows.leave(() => true),
    [],
  );
});
