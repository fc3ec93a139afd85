/** A test whose own limit cannot end it, for `test/runner.test.ts`: it gives its process nothing else to do. */
import { test } from "node:test";

test("blocks", () => {
  for (;;);
});
