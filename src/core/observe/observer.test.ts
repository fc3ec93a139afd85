import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { recordedSteps } from "../../../test/recordings.ts";
import { Observer, oscCause } from "./observer.ts";
import type { Step } from "./step.ts";

const typed = (text: string): Step => ({
  type: "input",
  bytes: new TextEncoder().encode(text),
  isSecret: false,
  offset: 3,
  timeUs: 7,
});

test("one step gives one observation with its place, and time alone has the place of what came before", () => {
  const observer = new Observer();
  const seen = observer.step({ type: "mark", event: { type: "marker", label: "a" }, offset: 5, end: 30, timeUs: 1 });
  assert.deepEqual([seen?.offset, seen?.end, seen?.cause.type], [5, 30, "mark"]);
  const tick = observer.step({ type: "tick", timeUs: 9 });
  assert.deepEqual([tick?.offset, tick?.end, tick?.timeUs], [5, 30, 9]);
});

test("a sequence that says nothing about the session is not observed", () => {
  const sequence = { offset: 0, end: 9, command: 8, data: ";https://x" };
  assert.equal(new Observer().step({ type: "osc", sequence, timeUs: 0 }), null);
});

test("the reports of the kernel stand in the observations that follow, with the one before", () => {
  const observer = new Observer();
  const report = (verdict: "raw" | "busy"): Step => ({
    type: "foreground",
    verdict,
    program: "x",
    offset: 0,
    timeUs: 0,
  });
  observer.step(report("raw"));
  assert.deepEqual(observer.step(report("busy"))?.cause, { type: "foreground", before: "raw" });
  assert.equal(observer.step(typed("a"))?.foreground?.verdict, "busy");
});

test("keys for a dialog of an agent belong to no line", () => {
  const observer = new Observer();
  observer.step({ type: "start", command: ["codex"], offset: 0, timeUs: 0 });
  const dialog =
    "  Would you like to run the following command?\n\n  $ ls\n\n› 1. Yes (y)\n  2. No (esc)\n\n  Press enter to confirm";
  const seen = observer.step({ type: "frame", frame: frameOf(dialog, { isCursorHidden: true }) });
  assert.equal(seen?.screen?.dialog?.options.length, 2);
  const input = observer.step(typed("1\r"));
  assert.deepEqual([input?.cause.type === "input" && input.cause.lines, input?.typing.line.text], [[], ""]);
});

test("an observer that was saved at any step goes on the same", () => {
  const whole = new Observer();
  let restored = new Observer();
  for (const step of recordedSteps("pi-two-80x24")) {
    restored = new Observer({}, structuredClone(restored.save()));
    assert.deepEqual(restored.step(step), whole.step(step));
  }
  assert.deepEqual(restored.save(), whole.save());
});

const read = (command: number, data: string) => oscCause({ offset: 5, end: 9, command, data }, "5f");

test("titles, program status and the status of a tab", () => {
  assert.deepEqual(read(0, "a title"), { type: "title", text: "a title" });
  assert.deepEqual(read(2, ""), { type: "title", text: "" });
  assert.deepEqual(read(7501, "state=clear:app=pi"), {
    type: "program-status",
    change: { id: "", state: "clear", app: "pi" },
  });
  assert.deepEqual(read(7501, "?"), { type: "program-status", change: null });
  assert.deepEqual(read(21337, "status=Waiting;indicator=#fff"), { type: "tab-status", status: "waiting" });
  assert.deepEqual(read(21337, "status=;detail="), { type: "tab-status", status: "" });
});

test("progress is active or not; an error or a pause says nothing", () => {
  assert.deepEqual(
    ["4;3;", "4;1;50", "4;0;", "4;2", "4;9", "hello"].map((data) => {
      const cause = read(9, data);
      return cause?.type === "progress" ? cause.isActive : null;
    }),
    [true, true, false, null, null, null],
  );
});

test("a shell mark says whether the session's shell wrote it", () => {
  const isTrusted = (data: string): boolean | null => {
    const cause = read(133, data);
    return cause?.type === "shell-mark" ? cause.mark.isTrusted : null;
  };
  assert.deepEqual([isTrusted("A;n=5f"), isTrusted("A"), isTrusted("Z")], [true, false, null]);
});

test("other sequences say nothing about the session", () => {
  assert.deepEqual([read(8, ";https://x"), read(52, "c;x")], [null, null]);
});
