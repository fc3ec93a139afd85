import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { test } from "node:test";

test("a test runs in a home without anybody's start-up files", () => {
  assert.deepEqual(readdirSync(homedir()), []);
});
