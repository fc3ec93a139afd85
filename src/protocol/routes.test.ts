import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "./operations.ts";
import { fillPath, pathParameters, routes } from "./routes.ts";

test("each route has an operation and each operation a route", () => {
  assert.deepEqual(Object.keys(operations).toSorted(), Object.keys(routes).toSorted());
});

test("no two operations share method and path", () => {
  const addresses = Object.values(routes).map((route) => `${route.method} ${route.path}`);
  assert.equal(new Set(addresses).size, addresses.length);
});

test("a path parameter is encoded and a missing one is a mistake of the caller", () => {
  assert.equal(fillPath("/v1/sessions/{session}/logs", { session: "a/b c" }), "/v1/sessions/a%2Fb%20c/logs");
  assert.throws(() => fillPath("/v1/sessions/{session}", {}), TypeError);
  assert.deepEqual(pathParameters("/v1/{a}/{b}"), ["a", "b"]);
});

test("each path parameter is an input of its operation", () => {
  for (const [name, route] of Object.entries(routes)) {
    const { input } = operations[name as keyof typeof operations];
    for (const parameter of pathParameters(route.path)) assert.ok(parameter in input.shape, `${name}: ${parameter}`);
  }
});
