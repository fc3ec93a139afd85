import assert from "node:assert/strict";
import { test } from "node:test";
import { tagDefaults } from "../core/events/tag-scanner.ts";
import { defaultEventTag, tagOptionsOf } from "./event-tag.ts";
import { eventTagSchema } from "./session-options.ts";

test("a session without a tag of its own has the one of the scanner, which its schema takes", () => {
  assert.deepEqual(tagOptionsOf(defaultEventTag), tagDefaults);
  assert.deepEqual(eventTagSchema.parse(defaultEventTag), defaultEventTag);
});
