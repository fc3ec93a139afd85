import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

test("a test runs in a home without anybody's start-up files, in which fish finds that it need not read the manual pages", () => {
  assert.deepEqual(readdirSync(homedir()), [".local"]);
  assert.deepEqual(readdirSync(join(homedir(), ".local/share")), ["fish"]);
  assert.deepEqual(readdirSync(join(homedir(), ".local/share/fish")), ["generated_completions"]);
});
