import assert from "node:assert/strict";
import { test } from "node:test";
import { operationNames, operations, type Operation } from "./operations.ts";
import { fillPath, isMachinePath, machinePath, pathParameters, routeOf, splitEndpoint } from "./routes.ts";

test("the endpoints without schemas are those of the operation table", () => {
  for (const name of operationNames) assert.deepEqual(routeOf(name), splitEndpoint(operations[name].endpoint), name);
});

test("no two operations share an endpoint", () => {
  const endpoints = operationNames.map((name) => operations[name].endpoint);
  assert.equal(new Set(endpoints).size, endpoints.length);
});

test("a path parameter is encoded and a missing one is a mistake of the caller", () => {
  assert.equal(fillPath("/v1/sessions/{session}/logs", { session: "a/b c" }), "/v1/sessions/a%2Fb%20c/logs");
  assert.throws(() => fillPath("/v1/sessions/{session}", {}), TypeError);
  assert.deepEqual(pathParameters("/v1/{a}/{b}"), ["a", "b"]);
});

test("the path of an operation on another machine has the machine in front", () => {
  assert.equal(machinePath("box", "/v1/sessions/work?from=1"), "/v1/machines/box/sessions/work?from=1");
  assert.deepEqual(["/v1/machines/box/sessions", "/v1/machines"].map(isMachinePath), [true, false]);
});

test("each path parameter is an input of its operation", () => {
  for (const name of operationNames) {
    const { endpoint, input }: Operation = operations[name];
    for (const parameter of pathParameters(endpoint)) assert.ok(parameter in input.shape, `${name}: ${parameter}`);
  }
});
