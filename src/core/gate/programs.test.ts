import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecord } from "./program-entry.ts";
import { programData } from "./programs-data.ts";
import { programNamed } from "./programs.ts";

test("every record follows the form", () => {
  for (const [names, record] of Object.entries(programData)) readRecord(names, record);
});

test("each program has one record", () => {
  const names = Object.keys(programData).flatMap((each) => each.split(" "));
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test("the records take at most 120 kB", () => {
  assert.ok(JSON.stringify(programData).length <= 120_000);
});

test("a program is found by its name, and nothing else is", () => {
  assert.equal(programNamed("sort"), programNamed("sort"));
  for (const name of ["constructor", "__proto__", "no-such-program"]) assert.equal(programNamed(name), undefined);
});
