import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProgramStatus } from "../observe/program-report.ts";
import { ProgramRecords } from "./program-records.ts";

function apply(records: ProgramRecords, text: string, at: number): void {
  const report = parseProgramStatus(text);
  if (report !== null) records.apply(report, { offset: at, timeUs: at });
}
const statusOf = (...reports: readonly string[]): ProgramRecords => {
  const status = new ProgramRecords();
  for (const [index, report] of reports.entries()) apply(status, report, index);
  return status;
};
const idsOf = (status: ProgramRecords): string[] => status.save().map(({ id }) => id);

test("a report replaces its record, clear removes it and what is below", () => {
  const status = statusOf(
    "state=working:app=pi",
    "state=working:id=a",
    "state=done:id=a/b",
    "state=done:id=ab",
    "state=idle",
  );
  assert.deepEqual(idsOf(status), ["a", "a/b", "ab", ""]);
  assert.equal(status.strongest?.app, "");
  apply(status, "state=clear:id=a", 9);
  assert.deepEqual(idsOf(status), ["ab", ""]);
  apply(status, "state=clear", 9);
  assert.equal(status.strongest, null);
});

test("at most 256 records are kept, the newest", () => {
  const status = statusOf(...Array.from({ length: 300 }, (_, index) => `state=working:id=r${index}`));
  assert.equal(status.save().length, 256);
  assert.equal(idsOf(status)[0], "r44");
});

test("a prompt of the shell ends what was going on, not how it ended", () => {
  const status = statusOf("state=working", "state=blocked:id=b", "state=done:id=d", "state=error:id=e");
  status.dropActivity();
  assert.deepEqual(idsOf(status), ["d", "e"]);
});

test("something that is blocked counts most, then what the program says of itself", () => {
  assert.equal(statusOf("state=working", "state=blocked:id=task").strongest?.state, "blocked");
  assert.equal(statusOf("state=idle", "state=working:id=background").strongest?.state, "idle");
  assert.equal(statusOf("state=done:id=a", "state=working:id=b").strongest?.state, "working");
  assert.equal(statusOf("state=done:id=a", "state=error:id=b").strongest?.state, "error");
});
