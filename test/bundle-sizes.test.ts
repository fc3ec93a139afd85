/** The weight of `lectern/gate` in a web application: `node scripts/bundle-sizes.ts` prints that of each entry point. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleSize } from "../scripts/bundle-sizes.ts";

test("lectern/gate is at most 60 KB gzipped, without the parsers of shell text and of YAML", async () => {
  const { gzipBytes, packages } = await bundleSize("gate");
  assert.deepEqual(packages, []);
  assert.ok(gzipBytes > 20_000, `${gzipBytes} bytes: something is missing`);
  assert.ok(gzipBytes <= 60_000, `${gzipBytes} bytes`);
});
