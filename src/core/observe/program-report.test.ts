import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProgramStatus } from "./program-report.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

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

test("a report has a state, an app, a kind and a message", () => {
  assert.deepEqual(parseProgramStatus(`state=blocked:app=codex:kind=question:msg=${base64("héllo ✓")}:future=1`), {
    id: "",
    state: "blocked",
    app: "codex",
    kind: "question",
    message: "héllo ✓",
  });
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
