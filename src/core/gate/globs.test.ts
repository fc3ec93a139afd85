import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileGlob } from "./globs.ts";

function matches(pattern: string, text: string): boolean {
  const result = compileGlob(pattern);
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result.glob.matches(text);
}

function eachMatches(
  pattern: string,
  table: { readonly yes: readonly string[]; readonly no: readonly string[] },
): void {
  for (const text of table.yes) assert.equal(matches(pattern, text), true, `${pattern} ${text}`);
  for (const text of table.no) assert.equal(matches(pattern, text), false, `${pattern} ${text}`);
}

test("without a slash a star is any text", () => {
  eachMatches("mcp__*", { yes: ["mcp__", "mcp__a__b", "mcp__a/b"], no: ["mcp_", "xmcp__a"] });
  eachMatches("*", { yes: ["", "a/b", "\n"], no: [] });
  eachMatches("a?c*e", { yes: ["abce", "a/c/e"], no: ["ace", "abcd"] });
});

test("with a slash a star stays in its folder and two stars do not", () => {
  eachMatches("/src/*.ts", {
    yes: ["/src/a.ts", "/src/./a.ts", "/x/../src/a.ts"],
    no: ["/src/a/b.ts", "/src/../a.ts"],
  });
  eachMatches("/src/**", { yes: ["/src/a", "/src/a/b", "//src//a/"], no: ["/src", "/srcs/a", "/src/../etc"] });
  eachMatches("/src/?/x", { yes: ["/src/a/x"], no: ["/src///x", "/src/ab/x"] });
});

test("two stars with their slash are any number of folders", () => {
  eachMatches("**/secret", { yes: ["secret", "/secret", "a/secret", "/a/b/secret"], no: ["asecret", "a/secrets"] });
  eachMatches("/a/**/b", { yes: ["/a/b", "/a/x/b", "/a/x/y/b"], no: ["/a/xb", "/ab"] });
  eachMatches("src/a**/b", { yes: ["src/a/b", "src/ax/y/b"], no: ["src/b", "src/ab"] });
});

test("a path that climbs out is not in the folder that it names", () => {
  eachMatches("./src/*", { yes: ["src/a", "./src/a", "././src/a"], no: ["/src/a", "../src/a"] });
  eachMatches("/a/././b//c/", { yes: ["/a/b/c", "/a/b/c/"], no: ["/a/c"] });
  eachMatches("src/**", { yes: ["src/a", "./src/a", "x/../src/a"], no: ["src/../../etc/passwd", "../src/a"] });
});

test("a backslash makes the next character literal", () => {
  eachMatches("a\\*b", { yes: ["a*b"], no: ["axb"] });
  eachMatches("a\\[b\\]\\\\", { yes: ["a[b]\\"], no: [] });
});

test("brackets, braces and a last backslash are refused with what to write instead", () => {
  for (const pattern of ["a[bc]", "{a,b}", "x]", "a\\"]) assert.equal(compileGlob(pattern).ok, false, pattern);
  assert.equal(compileGlob("a".repeat(1_001)).ok, false);
});

test("many stars over a long text end at once", () => {
  assert.equal(matches(`${"*a".repeat(100)}*b`, "a".repeat(5_000)), false);
});

test("a literal text matches itself and nothing longer", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const escaped = text.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
      if (text.includes("/")) return;
      assert.equal(matches(escaped, text), true);
      assert.equal(matches(escaped, `${text}x`), false);
    }),
  );
});

test("a glob without slashes agrees with the same regular expression", () => {
  const alphabet = fc.constantFrom("a", "b", "*", "?");
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 8 }), fc.stringMatching(/^[ab]{0,10}$/), (parts, text) => {
      const expression = parts.map((part) => (part === "*" ? ".*" : part === "?" ? "." : part)).join("");
      assert.equal(matches(parts.join(""), text), new RegExp(`^${expression}$`).test(text));
    }),
  );
});

test("a path with wildcards may match where some name in their place does", () => {
  const may = (source: string, path: string): boolean => {
    const result = compileGlob(source);
    assert.ok(result.ok);
    return result.glob.mayMatch(path);
  };
  for (const path of ["/a/.s*h/id", "/*/.ssh/id", "/a/.ssh/*", "/a/.ss*/i*d"])
    assert.equal(may("**/.ssh/**", path), true, path);
  for (const path of ["/a/s*h/id", "/a/*/id", "/a/.t*/id", "/a/*.ts"])
    assert.equal(may("**/.ssh/**", path), false, path);
  assert.equal(may("/etc/p?sswd", "/e*/pass*"), true);
  assert.equal(may("/etc/passwd", "/e*"), false);
  assert.equal(may("/etc/passwd", `/${"x".repeat(1_000)}*`), true);
});

test("a glob tells whether it could match below a folder", () => {
  for (const [source, folder, expected] of [
    ["**/.ssh/**", "/users/me", "anywhere"],
    ["**/.ssh/**", "/users/me/.ssh", "yes"],
    ["**/.ssh", "/users/me/.ssh", "anywhere"],
    ["**/keys/prod/*", "/a/keys", "yes"],
    ["**/keys/prod/*", "/a/keys/prod", "yes"],
    ["**/keys/prod/*", "/a/keys/test", "anywhere"],
    ["*.pem", "/a", "anywhere"],
    ["**/*.pem", "/a", "anywhere"],
    ["/etc/shadow", "/etc", "yes"],
    ["/etc/shadow", "/", "yes"],
    ["/etc/shadow", "/et", "no"],
    ["/etc/shadow", "/etc/shadow", "no"],
    ["/users/*/.ssh/**", "/users", "yes"],
    ["/users/*/.ssh/**", "/users/me", "yes"],
    ["/users/*/.ssh/**", "/users/me/a", "no"],
    ["/a/**", "/a/b", "yes"],
    ["/a/**", "/b", "no"],
  ] as const) {
    const result = compileGlob(source);
    assert.equal(result.ok && result.glob.below(folder), expected, `${source} ${folder}`);
  }
});
