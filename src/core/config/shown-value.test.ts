import assert from "node:assert/strict";
import { test } from "node:test";
import { shownValue } from "./shown-value.ts";

const secret = { type: "string", writeOnly: true };

test("secrets are hidden wherever the schema has them", () => {
  const schema = {
    properties: {
      name: { type: "string" },
      key: secret,
      list: { items: { anyOf: [{ type: "string" }, { properties: { key: secret } }] } },
    },
    additionalProperties: secret,
  };
  const value = { name: "a", key: "b", list: ["c", { key: "d", to: "e" }], other: "f" };
  assert.deepEqual(shownValue(value, schema), {
    name: "a",
    key: "(hidden)",
    list: ["c", { key: "(hidden)", to: "e" }],
    other: "(hidden)",
  });
});

test("where no secret is set, nothing is hidden", () => {
  assert.deepEqual(shownValue({}, { type: "object", writeOnly: true }), {});
});
