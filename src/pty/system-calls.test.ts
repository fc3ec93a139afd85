import assert from "node:assert/strict";
import { test } from "node:test";
import { asInt, knowsMachine, parseCallLine, shapeOfCall } from "./system-calls.ts";

test("the three forms of a line are told apart", () => {
  assert.deepEqual(parseCallLine("running\n"), { type: "running" });
  assert.deepEqual(parseCallLine("-1 0x7ffc 0x7f0c\n"), { type: "no-call" });
  assert.deepEqual(parseCallLine("0 0x5 0x7ffd0 0x1 0x0 0xffffffffffffffff 0x0 0x7ffc 0x7f0c\n"), {
    type: "call",
    number: 0,
    arguments: [5n, 0x7ffd0n, 1n, 0n, 0xffffffffffffffffn, 0n],
  });
});

test("a C int is the low half of a register", () => {
  assert.deepEqual([0xffffffffn, 0xffffffffffffffffn, 0xff00000004n, 30_000n].map(asInt), [-1, -1, 4, 30_000]);
});

test("each machine has its own numbers", () => {
  assert.deepEqual(shapeOfCall("x64", 270), { type: "select" });
  assert.deepEqual(shapeOfCall("arm64", 72), { type: "select" });
  assert.equal(shapeOfCall("arm64", 270), undefined);
  // A program that writes does not wait for what is typed.
  for (const [machine, reads, writes] of [
    ["x64", 0, 1],
    ["arm64", 63, 64],
  ] as const) {
    assert.deepEqual(shapeOfCall(machine, reads), { type: "descriptor" });
    assert.deepEqual(shapeOfCall(machine, writes), { type: "descriptor", writes: true });
  }
  assert.deepEqual(
    ["x64", "arm64", "ia32"].map((machine) => knowsMachine(machine)),
    [true, true, false],
  );
});
