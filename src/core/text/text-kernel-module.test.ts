import assert from "node:assert/strict";
import { test } from "node:test";
import { textKernelModule } from "./text-kernel-module.ts";

test("textKernelModule begins as a WebAssembly module of version 1 does", () => {
  assert.match(textKernelModule, /^0061736d01000000(?:[0-9a-f]{2})+$/);
});
