import assert from "node:assert/strict";
import { test } from "node:test";
import { attributesOf, nanosOf, requestOf } from "./span.ts";

test("times are decimal text, exact to the microsecond", () => {
  assert.equal(nanosOf(1_795_656_095_630_295), "1795656095630295000");
  assert.equal(Number(nanosOf(-5)), 0);
});

test("attributes have the types of OTLP, and none without a value", () => {
  assert.deepEqual(attributesOf({ a: "x", b: 3, c: 0.5, d: true, e: ["y"], f: null, g: undefined }), [
    { key: "a", value: { stringValue: "x" } },
    { key: "b", value: { intValue: "3" } },
    { key: "c", value: { doubleValue: 0.5 } },
    { key: "d", value: { boolValue: true } },
    { key: "e", value: { arrayValue: { values: [{ stringValue: "y" }] } } },
  ]);
});

test("a request names the resource and the scope", () => {
  const { resourceSpans } = requestOf([], { resource: { "service.name": "lectern" }, version: "1.0.0" });
  assert.equal(resourceSpans[0]?.scopeSpans[0]?.scope.version, "1.0.0");
  assert.deepEqual(resourceSpans[0]?.resource.attributes, [{ key: "service.name", value: { stringValue: "lectern" } }]);
});
