import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { keepShape } from "./kept-shapes.ts";

test("keepShape keeps an instance alive through a full collection", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept = keptInstance();
  // A weak reference holds its target until the job ends in which it was made.
  await setImmediate();
  collect();
  assert.notEqual(kept.deref(), undefined);
});

function keptInstance(): WeakRef<object> {
  const instance = { field: 1 };
  keepShape(instance);
  return new WeakRef(instance);
}
