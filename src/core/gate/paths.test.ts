import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { isUnder, normalizePath, resolvePath } from "./paths.ts";

const context = { workingDirectory: "/project/src", home: "/users/me" };
const under = (text: string): string => isUnder(text, "/project", context);

test("a path below the root is under it, and so is the root", () => {
  for (const path of [
    "/project",
    "/project/",
    "/project/a/b",
    "//project//a",
    "/project/./a",
    "a",
    "../a",
    "..",
    ".",
    "",
  ]) {
    assert.equal(under(path), "yes", path);
  }
});

test("tricks with dots and names do not get under the root", () => {
  for (const path of [
    "/project/../etc/passwd",
    "/project/a/../../etc",
    "../../etc",
    "/projectile",
    "/project-old/x",
    "/PROJECT/x",
    "/",
    "/..",
    "/project/..",
    "/project/a/b/../../..",
    "file:///etc/passwd",
    "file:///project/%2e%2e/etc",
    "file://localhost/project/../etc",
    "~",
    "~/project",
  ]) {
    assert.equal(under(path), "no", path);
  }
});

test("what cannot be told is neither under nor outside", () => {
  for (const path of [
    "~root/x",
    "https://example.com/project",
    "C:\\project",
    "..\\..\\etc",
    "/project/a\0/../../etc",
    "file://host/project/a",
    "file:///project/%zz",
    "file:project/a",
    "file:///project/a?x",
    "file:///project/%5c..%5c..",
  ]) {
    assert.equal(under(path), "maybe", path);
  }
  assert.equal(isUnder("a", "/project", { workingDirectory: null, home: null }), "maybe");
  assert.equal(isUnder("a", "/project", { workingDirectory: "src", home: null }), "maybe");
  assert.equal(isUnder("~/a", "/project", { workingDirectory: "/", home: null }), "maybe");
});

test("everything is under the root of the file system", () => {
  assert.equal(isUnder("/etc/passwd", "/", context), "yes");
});

test("a home directory is used where it is known", () => {
  assert.equal(resolvePath("~/../x", context), "/users/x");
  assert.equal(resolvePath("file:///a%20b", context), "/a b");
});

test("normalizePath agrees with the path module of Node", () => {
  const path = fc
    .array(fc.constantFrom("/", ".", "..", "a", "b.c", "//"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(path, (text) => {
      const expected = posix.normalize(text);
      assert.equal(normalizePath(text), expected.length > 1 ? expected.replace(/\/$/, "") : expected);
    }),
  );
});
