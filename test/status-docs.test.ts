/** docs/status.md has the states and signals of the code. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SIGNAL_KINDS, STATUS_STATES } from "../src/core/status/status.ts";
import { root } from "./documents.ts";

test("docs/status.md names each state and each signal, in order", () => {
  const names = [...readFileSync(join(root, "docs/status.md"), "utf8").matchAll(/^\| `([\w-]+)` +\|/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(names, [...STATUS_STATES, ...SIGNAL_KINDS]);
});
