import assert from "node:assert/strict";
import { test } from "node:test";
import { PartialArguments } from "./partial-arguments.ts";

const part = (jsonPath: string, value: string | number, more = {}): object => ({
  jsonPath,
  ...(typeof value === "string" ? { stringValue: value } : { numberValue: value }),
  ...more,
});

test("PartialArguments writes text in order of arrival", () => {
  const partial = new PartialArguments();
  assert.equal(partial.feed([part("$.a", 1)]), '{"a":1');
  assert.equal(partial.feed([part("$.b[0].c", "x", { willContinue: true })]), ',"b":[{"c":"x');
  assert.equal(partial.feed([part("$.b[0].c", '"\n', { willContinue: true })]), String.raw`\"\n`);
  assert.equal(partial.feed([part("$.b[1]['d.e']", 2), part('$.b[1]["f"]', 3)]), '"},{"d.e":2,"f":3');
  assert.equal(partial.feed([part("$.g", "h")]), '}],"g":"h"');
  assert.equal(partial.end(), String.raw`{"a":1,"b":[{"c":"x\"\n"},{"d.e":2,"f":3}],"g":"h"}`);
});

test("PartialArguments gives the whole anew where parts jump back", () => {
  const partial = new PartialArguments();
  partial.feed([part("$.a.b", 1), part("$.c", 2), part("$.a.d", 3)]);
  assert.equal(partial.end(), '{"a":{"b":1,"d":3},"c":2}');
  const strings = new PartialArguments();
  strings.feed([part("$.a", "x", { willContinue: true }), part("$.b", 1), part("$.a", "y")]);
  assert.equal(strings.end(), '{"a":"xy","b":1}');
});

test("PartialArguments without parts is an empty object", () => {
  assert.equal(new PartialArguments().end(), "{}");
});

test("PartialArguments refuses paths that cannot be", () => {
  const paths = ["", "a", "$", "$.", "$..a", "$[0]", "$.a[1]", "$.a[-1]", "$.a[x]", "$.a[0]x", `$${".a".repeat(600)}`];
  for (const path of paths) assert.equal(new PartialArguments().feed([part(path, 1)]), undefined, path);
  const twice = new PartialArguments();
  assert.equal(twice.feed([part("$.a", 1), part("$.a", 2)]), undefined);
  const through = new PartialArguments();
  assert.equal(through.feed([part("$.a", 1), part("$.a.b", 2)]), undefined);
});

test("PartialArguments keeps __proto__ an own key", () => {
  const partial = new PartialArguments();
  partial.feed([part("$.__proto__.x", 1), part("$.a", 2), part("$.__proto__.y", 3)]);
  assert.equal(partial.end(), '{"__proto__":{"x":1,"y":3},"a":2}');
  assert.equal(({} as { x?: number }).x, undefined);
});
