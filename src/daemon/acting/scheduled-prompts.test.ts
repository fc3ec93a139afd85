import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../core/acting/receipt.ts";
import { ScheduledPrompts } from "./scheduled-prompts.ts";

const scheduled = (key: string, dueUs: number, session = "s"): Receipt => ({
  key,
  session,
  text: key,
  state: "scheduled",
  reason: null,
  steps: [{ state: "scheduled", timeUs: 0, offset: 0 }],
  dueUs,
});
const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

test("prompts of a session begin in the order of their times, one after the other, and hold up no other session", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const stop = new AbortController();
  const begun: string[] = [];
  const first = Promise.withResolvers<void>();
  let all = [scheduled("b", 2), scheduled("a", 1), scheduled("other", 3, "t"), scheduled("later", 9)];
  const prompts = new ScheduledPrompts({
    list: () => all,
    mayBegin: ({ dueUs = 0 }) => dueUs < 9,
    begin: async (receipt) => {
      begun.push(receipt.key);
      if (receipt.key === "a") await first.promise;
      all = all.filter((each) => each !== receipt);
    },
    stop: stop.signal,
  });
  const pass = async (): Promise<void> => {
    await settled();
    context.mock.timers.tick(1000);
    await settled();
  };
  void prompts.watch();
  void prompts.watch();
  await pass();
  assert.deepEqual(begun, ["a", "other"]);
  all = [...all, scheduled("second", 4, "t")];
  await pass();
  assert.deepEqual(begun, ["a", "other", "second"]);
  first.resolve();
  await settled();
  assert.deepEqual(begun, ["a", "other", "second", "b"]);
  await pass();
  assert.equal(begun.length, 4);
  all = [];
  await pass();
  all = [scheduled("new", 1)];
  const watching = prompts.watch();
  await pass();
  await watching;
  assert.equal(begun.at(-1), "new");
  all = [scheduled("never", 1)];
  void prompts.watch();
  stop.abort();
  await pass();
  assert.equal(begun.at(-1), "new");
});
