import assert from "node:assert/strict";
import { test } from "node:test";
import { interruptKeys } from "./interrupt-keys.ts";

test("an agent is interrupted by Escape, twice where its status line says so, and other programs by Ctrl-C", () => {
  assert.deepEqual(
    [null, "claude", "opencode"].map((agent) => interruptKeys(agent)),
    [["C-c"], ["Escape"], ["Escape", "Escape"]],
  );
});
