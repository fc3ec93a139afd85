import assert from "node:assert/strict";
import { test } from "node:test";
import { carryOut, type ActStep, type MissedAct } from "./plan.ts";

const text = { bytes: Buffer.from("text"), proof: "planned" } as const;
const enter = { bytes: Buffer.from("\r"), proof: "shown" } as const;
const missed: MissedAct = { why: "bash is in the foreground now", isBegun: false, isOther: true };

/** What is done, and what comes of it. */
async function acted(sees: boolean, misses?: ActStep): Promise<readonly [string[], object]> {
  const done: string[] = [];
  const end = await carryOut<{ next: number }>(
    { target: null, steps: [text, enter] },
    {
      isShown: async () => (done.push("shown"), sees),
      type: async (step) => {
        done.push(Buffer.from(step.bytes).toString());
        return step === misses ? missed : { next: done.length };
      },
    },
  );
  return [done, end];
}

test("each step is typed after its proof, and none after one that was missed", async () => {
  assert.deepEqual(await acted(true), [["text", "shown", "\r"], { written: { next: 3 } }]);
  assert.deepEqual(await acted(false), [["text", "shown"], { unseen: enter }]);
  assert.deepEqual(await acted(true, text), [["text"], { missed, step: text }]);
  assert.deepEqual(await acted(true, enter), [
    ["text", "shown", "\r"],
    { missed: { ...missed, isBegun: true }, step: enter },
  ]);
});
