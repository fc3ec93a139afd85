import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTextKernel } from "../scripts/build-text-kernel.ts";
import { textKernelModule } from "../src/core/text/text-kernel-module.ts";

test("the embedded text kernel is what its source compiles to", async () => {
  assert.equal(textKernelModule, Buffer.from(await compileTextKernel()).toString("hex"));
});
