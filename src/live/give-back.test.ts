import assert from "node:assert/strict";
import { test } from "node:test";
import { giveMemoryBack } from "./give-back.ts";

test("what nobody holds is collected, and no other code can do that", () => {
  const makeGarbage = (): WeakRef<object> => new WeakRef({ text: "x".repeat(1000) });
  const garbage = makeGarbage();
  return new Promise<void>((resolve) => {
    setImmediate(() => {
      giveMemoryBack();
      assert.equal(garbage.deref(), undefined);
      assert.equal("gc" in globalThis, false);
      resolve();
    });
  });
});
