import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "./approval.ts";
import { fullestReading, type QuestionReading } from "./fullest-reading.ts";

const yes = { id: "1", label: "Yes", effect: "allow" } as const;
const no = { id: "2", label: "No, and tell why", effect: "deny" } as const;
const reading = (details: string, more: Partial<QuestionReading> = {}): QuestionReading => ({
  ...noSubject,
  question: "Run it?",
  details,
  command: details,
  options: [yes, no],
  isComplete: true,
  ...more,
});
const whole = reading("rm -rf build && npm test\nnpm run lint");

test("other line breaks are the same reading, and a part that says so changes nothing", () => {
  assert.deepEqual(fullestReading(whole, reading("rm -rf build &&\nnpm test\nnpm run lint")), whole);
  const folded = reading("rm -rf build\n[… 2 lines] ^a view all", { isComplete: false, options: [yes] });
  assert.deepEqual(fullestReading(whole, folded), whole);
  assert.equal(fullestReading(folded, whole)?.command, whole.command);
  assert.deepEqual(fullestReading(folded, whole)?.options, [yes, no]);
});

test("a difference that no sign explains is another dialog", () => {
  assert.equal(fullestReading(whole, reading("rm -rf b")), null);
  assert.equal(fullestReading(whole, reading("rm -rf other\n… +3 lines", { isComplete: false })), null);
  assert.equal(fullestReading(whole, { ...whole, question: "Write it?" }), null);
  assert.equal(fullestReading(whole, { ...whole, options: [yes, { ...no, label: "Never" }] }), null);
});
