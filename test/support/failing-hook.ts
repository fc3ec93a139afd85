/** A hook that fails before its test, for `runner.test.ts`. */
import { before, describe, test } from "node:test";

describe("a suite", () => {
  before(() => {
    throw new Error("the hook fails");
  });
  test("does not run", () => {});
});
