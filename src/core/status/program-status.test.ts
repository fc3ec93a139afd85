import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProgramStatus, ProgramStatus } from "./program-status.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const statusOf = (...reports: readonly string[]): ProgramStatus => {
  const status = new ProgramStatus();
  for (const [index, report] of reports.entries()) status.apply(report, { offset: index, timeUs: index });
  return status;
};
const idsOf = (status: ProgramStatus): string[] => status.save().map(({ id }) => id);

test("a report has a state, an app, a kind and a message", () => {
  assert.deepEqual(parseProgramStatus(`state=blocked:app=codex:kind=question:msg=${base64("héllo ✓")}:future=1`), {
    id: "",
    state: "blocked",
    app: "codex",
    kind: "question",
    message: "héllo ✓",
  });
});

test("queries, unknown states and broken values are no reports", () => {
  const broken = [
    "?",
    "app=x",
    "state=sleeping",
    "state=done:msg=A",
    `state=done:msg=${base64("a\nb")}`,
    "state=done:id=",
    "state=done:id=a//b",
    "state=done:id=a,b",
  ];
  assert.deepEqual(
    broken.map(parseProgramStatus),
    broken.map(() => null),
  );
});

test("the limits hold to the byte", () => {
  const pad = (length: number): string => `state=done:${"x".repeat(length)}`;
  const cases: readonly (readonly [report: string, isKept: boolean])[] = [
    [pad(4096 - 9 - 11), true],
    [pad(4096 - 9 - 10), false],
    [`state=done:${"k".repeat(16)}=1`, true],
    [`state=done:${"k".repeat(17)}=1`, false],
    [`state=done:msg=${base64("a".repeat(2048))}`, true],
    [`state=done:msg=${base64("a".repeat(2049))}`, false],
    [`state=done:title=${base64("t".repeat(192))}`, true],
    [`state=done:title=${base64("t".repeat(193))}`, false],
    [`state=done:app=${"a".repeat(32)}`, true],
    [`state=done:app=${"a".repeat(33)}`, false],
    [`state=done:id=${["a", "b", "c", "d", "e", "f", "g", "h"].join("/")}`, true],
    [`state=done:id=${["a", "b", "c", "d", "e", "f", "g", "h", "i"].join("/")}`, false],
    [`state=done:id=${"s".repeat(33)}`, false],
    [`state=done:id=${`${"s".repeat(32)}/`.repeat(3)}${"s".repeat(30)}`, false],
  ];
  for (const [report, isKept] of cases) assert.equal(parseProgramStatus(report) !== null, isKept, report.slice(0, 60));
});

test("a kind belongs to what is blocked", () => {
  assert.deepEqual(
    ["state=working:kind=auth", "state=blocked:kind=coffee", "state=blocked:kind=auth"].map((report) => {
      const parsed = parseProgramStatus(report);
      return parsed !== null && "kind" in parsed ? parsed.kind : null;
    }),
    ["", "", "auth"],
  );
});

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
  status.apply("state=clear:id=a", { offset: 9, timeUs: 9 });
  assert.deepEqual(idsOf(status), ["ab", ""]);
  status.apply("state=clear", { offset: 9, timeUs: 9 });
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
});
