import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonTree } from "./json-tree.ts";

test("JsonTree grows its root in place", () => {
  const tree = new JsonTree();
  tree.open({});
  const root = tree.root;
  tree.key = "a";
  tree.open([]);
  tree.put("x");
  tree.replace("xy");
  assert.deepEqual(root, { a: ["xy"] });
  assert.equal(tree.closers(), "]}");
  assert.equal(tree.depth, 2);
  tree.close();
  assert.equal(tree.key, "a");
  assert.ok(tree.inObject);
});

test("JsonTree points at the last value and at the next one", () => {
  const tree = new JsonTree();
  assert.equal(tree.valuePath(true), "");
  tree.open([]);
  assert.equal(tree.valuePath(true), "/0");
  tree.open({});
  tree.key = "a/b~";
  assert.equal(tree.containerPath(), "/0");
  assert.equal(tree.valuePath(true), "/0/a~1b~0");
});
