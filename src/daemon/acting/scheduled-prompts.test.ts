import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../core/acting/receipt.ts";
import type { SessionStatus } from "../../core/status/status.ts";
import { ScheduledPrompts } from "./scheduled-prompts.ts";

const startUs = Date.UTC(2026, 10, 26, 12) * 1000;
const scheduled = (key: string, schedule: Pick<Receipt, "dueUs" | "afterLimit">): Receipt => ({
  key,
  session: "s",
  text: key,
  state: "scheduled",
  reason: null,
  steps: [{ state: "scheduled", timeUs: startUs, offset: 0 }],
  ...schedule,
});
const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

test("prompts come in the order of their times, one after the other, and not if they were removed", async (context) => {
  context.mock.timers.enable({ apis: ["Date", "setTimeout"], now: startUs / 1000 });
  const told: string[] = [];
  let status: Pick<SessionStatus, "state" | "limit"> = { state: "waiting", limit: { untilUs: null, text: "limit" } };
  const first = Promise.withResolvers<void>();
  const prompts = new ScheduledPrompts({
    statusOf: () => status,
    onEnd: async ({ key }, { step }) => {
      told.push(`${key} ${step}`);
      if (key === "a") await first.promise;
    },
  });
  context.after(() => prompts.close());
  prompts.add(scheduled("b", { dueUs: startUs + 120e6 + 2 }));
  prompts.add(scheduled("a", { dueUs: startUs + 120e6 + 1 }));
  const removed = scheduled("removed", { dueUs: startUs + 60e6 });
  prompts.add(removed);
  prompts.remove(removed);
  context.mock.timers.tick(60_000);
  context.mock.timers.tick(60_000);
  context.mock.timers.tick(1);
  await settled();
  assert.deepEqual(told, ["a due"]);
  first.resolve();
  await settled();
  assert.deepEqual(told, ["a due", "b due"]);
  prompts.add(scheduled("limited", { afterLimit: true }));
  context.mock.timers.tick(1000);
  await settled();
  assert.equal(told.length, 2);
  status = { state: "waiting" };
  context.mock.timers.tick(1000);
  await settled();
  assert.equal(told.at(-1), "limited due");
});
