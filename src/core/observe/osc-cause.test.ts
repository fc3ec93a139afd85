import assert from "node:assert/strict";
import { test } from "node:test";
import { oscCause } from "./osc-cause.ts";

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
