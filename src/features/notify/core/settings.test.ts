import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTICE_KINDS } from "./notice.ts";
import { ruleDefaults } from "./settings.ts";

test("a rule that names only its channels reports every kind after 20 s, without the question", () => {
  assert.deepEqual([ruleDefaults.on, ruleDefaults.afterMs, ruleDefaults.content], [NOTICE_KINDS, 20_000, "title"]);
});
