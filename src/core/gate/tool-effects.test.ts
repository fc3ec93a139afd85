import assert from "node:assert/strict";
import { test } from "node:test";
import { toolEffects, wallEffects } from "./tool-effects.ts";

const named = (name: string, given: unknown): readonly string[] | undefined =>
  toolEffects({ name, arguments: given })?.map(
    ({ kind, target, tree }) => `${kind} ${target?.path ?? target?.text}${tree === undefined ? "" : ` ${tree}`}`,
  );

test("the file tools of agents read and write each path that an argument names", () => {
  assert.deepEqual(named("Read", { file_path: "/p/a.ts", limit: 10 }), ["read /p/a.ts"]);
  assert.deepEqual(named("edit", { filePath: "a", path: "../b" }), ["write a", "write ../b"]);
  assert.deepEqual(named("read", { path: " @.env" }), ["read  @.env", "read .env"]);
  assert.deepEqual(named("Write", { content: "x" }), ["write (no path)"]);
  assert.deepEqual(named("read_file", { path: 5 }), ["read 5"]);
  assert.equal(named("mcp__x__read", { path: "a" }), undefined);
});

test("a search reads what is below its folder, and a pattern is one of names", () => {
  assert.deepEqual(named("Grep", { pattern: "/api" }), ["read . below"]);
  assert.deepEqual(named("Grep", { pattern: "x", path: "src", glob: "**/*.{ts,js}" }), [
    "read src below",
    "read */*.ts",
    "read */*.js",
  ]);
  assert.deepEqual(named("Glob", { pattern: "../**" }), ["list . below", "list ../*"]);
});

test("a patch writes and deletes the files that it names; one that cannot be read is unknown as well", () => {
  const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
  assert.deepEqual(named("apply_patch", patch), ["write a", "delete b"]);
  assert.deepEqual(named("apply_patch", { input: patch }), ["write a", "delete b"]);
  assert.deepEqual(named("apply_patch", { input: patch, more: 1 }), ["unknown undefined", "write a", "delete b"]);
  assert.deepEqual(named("apply_patch", "x"), ["unknown undefined"]);
});

test("a page of the web is the network, with its address if there is one", () => {
  assert.deepEqual(named("WebFetch", { url: "https://example.com" }), ["network https://example.com"]);
  assert.deepEqual(named("WebSearch", { query: "x" }), ["network undefined"]);
});

test("arguments that leave the agent's own sandbox are settings", () => {
  const count = (given: unknown): number => wallEffects(given).length;
  assert.equal(count({ dangerouslyDisableSandbox: true }), 1);
  assert.equal(count({ sandbox_permissions: "require_escalated", with_escalated_permissions: "true" }), 2);
  assert.equal(count({ dangerouslyDisableSandbox: false, sandbox_permissions: "use_default" }), 0);
});
