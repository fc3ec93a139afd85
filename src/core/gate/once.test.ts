import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { Once, type CallIdentity } from "./once.ts";

const identity = (id: string, argumentsHash = "h"): CallIdentity => ({ session: "s", id, argumentsHash });

test("a call is executed once and a repetition gets its outcome", () => {
  const once = new Once<string>();
  assert.equal(once.begin(identity("1")).type, "first");
  assert.equal(once.begin(identity("1")).type, "running");
  assert.equal(once.end(identity("1"), "done"), true);
  assert.deepEqual(once.begin(identity("1")), { type: "replayed", outcome: "done" });
  assert.equal(once.end(identity("1"), "again"), false);
  assert.deepEqual(once.begin(identity("1")), { type: "replayed", outcome: "done" });
});

test("an id with other arguments is a conflict", () => {
  const once = new Once<string>();
  once.begin(identity("1"));
  assert.equal(once.begin(identity("1", "other")).type, "conflict");
  assert.equal(once.end(identity("1", "other"), "x"), false);
  once.end(identity("1"), "done");
  assert.equal(once.begin(identity("1", "other")).type, "conflict");
});

test("the same id in another session is another call", () => {
  const once = new Once<string>();
  once.begin({ session: "a", id: "bc", argumentsHash: "h" });
  assert.equal(once.begin({ session: "ab", id: "c", argumentsHash: "h" }).type, "first");
});

test("a call that never started may begin again, an executed one may not", () => {
  const once = new Once<string>();
  once.begin(identity("1"));
  once.cancel(identity("1"));
  assert.equal(once.begin(identity("1")).type, "first");
  once.end(identity("1"), "done");
  once.cancel(identity("1"));
  assert.equal(once.begin(identity("1")).type, "replayed");
});

test("what was forgotten is said to be forgotten, until the log was asked", () => {
  const once = new Once<string>({ callsMax: 2 });
  for (const id of ["1", "2", "3"]) {
    once.begin(identity(id));
    once.end(identity(id), id);
  }
  assert.equal(once.size, 2);
  assert.equal(once.begin(identity("1")).type, "forgotten");
  assert.equal(once.begin(identity("9")).type, "forgotten");
  once.restore(identity("1"), "1");
  assert.deepEqual(once.begin(identity("1")), { type: "replayed", outcome: "1" });
  assert.equal(once.begin(identity("9"), { isNew: true }).type, "first");
});

test("running calls are never forgotten", () => {
  const once = new Once<string>({ callsMax: 2 });
  once.begin(identity("1"));
  once.begin(identity("2"));
  assert.equal(once.begin(identity("3")).type, "full");
  assert.equal(once.begin(identity("1")).type, "running");
});

test("whatever arrives in whatever order, no call is executed twice", () => {
  const step = fc.record({
    id: fc.constantFrom("1", "2", "3", "4"),
    hash: fc.constantFrom("a", "b"),
    action: fc.constantFrom("begin", "end", "cancel"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, callsMax) => {
      const once = new Once<string>({ callsMax });
      const executed = new Map<string, string>();
      const running = new Map<string, string>();
      for (const { id, hash, action } of steps) {
        const call = identity(id, hash);
        if (action === "begin") {
          const answer = once.begin(call, { isNew: !executed.has(id) });
          if (answer.type === "first") {
            assert.ok(!executed.has(id) && !running.has(id));
            running.set(id, hash);
          }
          if (answer.type === "replayed") assert.equal(answer.outcome, executed.get(id));
        } else if (action === "end" && once.end(call, hash)) {
          assert.ok(running.delete(id));
          executed.set(id, hash);
        } else if (action === "cancel") {
          once.cancel(call);
          if (running.get(id) === hash) running.delete(id);
        }
        assert.ok(once.size <= callsMax);
      }
    }),
    { numRuns: runsOf(500) },
  );
});

test("a memory that continues an earlier process asks for the log before a call is new", () => {
  const once = new Once<string>({ continues: true });
  assert.equal(once.begin(identity("1")).type, "forgotten");
  assert.equal(once.begin(identity("1"), { isNew: true }).type, "first");
  once.restore(identity("2"), "before");
  assert.deepEqual(once.begin(identity("2")), { type: "replayed", outcome: "before" });
});
