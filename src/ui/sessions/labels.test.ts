import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLabels, labelChanges, parseLabels } from "./labels.ts";

test("parseLabels takes pairs and bare keys, and formatLabels writes them the same way", () => {
  const labels = parseLabels("project=web  urgent, note=a=b");
  assert.deepEqual(labels, { project: "web", urgent: "", note: "a=b" });
  assert.equal(formatLabels(labels), "project=web urgent note=a=b");
});

test("labelChanges takes away what is gone and keeps still about what stays", () => {
  assert.deepEqual(labelChanges({ a: "1", b: "2", c: "" }, { a: "1", b: "3", d: "" }), { c: null, b: "3", d: "" });
});
