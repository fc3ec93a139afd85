import assert from "node:assert/strict";
import { test } from "node:test";
import { plainSummary } from "./summary.ts";

test("plainSummary leaves the words of signals to the evidence", () => {
  assert.equal(plainSummary("foreground: busy: bash"), undefined);
  assert.equal(plainSummary("nothing says what it does"), undefined);
  assert.equal(plainSummary(""), undefined);
  assert.equal(plainSummary("exit code 3: no such file"), "exit code 3: no such file");
});
