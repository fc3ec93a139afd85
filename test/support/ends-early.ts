/** A test that ends its process as if all were well, for `runner.test.ts`. */
import { test } from "node:test";

test("passes", () => {});
test("ends the process", async () => {
  setTimeout(() => process.exit(0), 300);
  await new Promise<never>(() => undefined);
});
