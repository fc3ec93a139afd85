import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { isPatternUnder, isUnder, mayExpandTo, normalizePath, resolvePath } from "./paths.ts";

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

test("the links of the kernel are seen through, or unknown", () => {
  const start = { workingDirectory: "/a/b", home: null };
  for (const [text, path] of [
    ["/proc/self/root/etc/x", "/etc/x"],
    ["/proc/1/root/../etc", "/etc"],
    ["/proc/1/task/2/root", "/"],
    ["/proc/self/cwd/../x", "/a/x"],
    ["../../proc/*/root/etc", "/etc"],
    ["/proc/self/root/proc/self/root/etc", "/etc"],
    ["/proc/2/cwd/x", undefined],
    ["/proc/self/fd/3/x", undefined],
    ["/dev/fd/3", undefined],
    ["/proc/cpuinfo", "/proc/cpuinfo"],
    ["/dev/null", "/dev/null"],
  ] as const) {
    assert.equal(resolvePath(text, start), path, text);
  }
});

test("a path with wildcards is under a folder only where no name could lead elsewhere", () => {
  const start = { workingDirectory: "/a", home: null };
  for (const [text, root, expected] of [
    ["/a/*.ts", "/a", "yes"],
    ["b*/c", "/a", "yes"],
    ["/a/b*/c", "/a/bc", "maybe"],
    ["/et*", "/etc", "maybe"],
    ["/e*/x", "/etc", "maybe"],
    ["/p*/self/root/etc/x", "/etc", "maybe"],
    ["/proc/self/r*t/etc", "/etc", "maybe"],
    ["/a/*", "/b", "no"],
    ["/a/c*", "/a/bc", "no"],
    ["/a/*", "/a/.git", "no"],
    ["/a/*", "/", "yes"],
  ] as const) {
    assert.equal(isPatternUnder(text, root, start), expected, text);
  }
});

test("a pattern expands to the names that have its parts in their order, none of them twice", () => {
  const names = { "a*": ["a", "ab"], "*": ["a"], "*.ts": ["a.ts"], "a*b*c": ["abc", "a1b2c"], ".*": [".env"] };
  for (const [pattern, own] of Object.entries(names))
    for (const name of own) assert.ok(mayExpandTo(pattern, name), `${pattern} ${name}`);
  const others = { "a*": ["b"], "*": [".env"], "*ab*ab": ["ab", "aba"], "a*b*c": ["acb", "ab"], "*.ts": ["a.tsx"] };
  for (const [pattern, own] of Object.entries(others))
    for (const name of own) assert.ok(!mayExpandTo(pattern, name), `${pattern} ${name}`);
});
