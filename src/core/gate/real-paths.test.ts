import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizePath } from "./paths.ts";
import { RealPaths, type FileView } from "./real-paths.ts";

/** `/project` is a link to `/data/project`, and `k` in it leads to `/sec`. */
const view: FileView = {
  realPath: (path) => {
    if (path.includes("ring")) return undefined;
    const followed = path.replace(/^.*\/k\/\.\./, "").replace(/^.*\/k(?=\/|$)/, "/sec");
    return normalizePath(followed.replace(/^\/project(?=\/|$)/, "/data/project"));
  },
  matches: () => [],
  linkedMatches: (pattern) => (pattern === "/project/k/*" ? ["/sec/a", "/sec/b"] : []),
  entriesBelow: () => [],
  linksBelow: (folder) => (folder === "/project/many" ? undefined : ["/sec", "/data/project/src"]),
};
const session = { workingDirectory: "/project", home: "/users/me" };
const real = new RealPaths(view, session);

test("a file that is where its text says is not told apart, by whichever name its folder goes", () => {
  for (const text of ["src/a", "/project/src/a", "./src/../src/a", "/etc/hosts"])
    assert.deepEqual(real.behind(text, session, false), [], text);
  assert.deepEqual(real.behind("/data/project/src", session, false), ["/project/src"]);
});

test("a link gives the file behind it, and an unknown one nothing", () => {
  assert.deepEqual(real.behind("k/a", session, false), ["/sec/a"]);
  assert.deepEqual(real.behind("k/../x", session, false), ["/x"]);
  assert.deepEqual(real.behind("k/*", session, true), ["/sec/a", "/sec/b"]);
  assert.equal(real.behind("ring/a", session, false), undefined);
  assert.equal(real.behind("a", { workingDirectory: null, home: null }, false), undefined);
  assert.equal(real.behind("/proc/self/cwd/../x", session, false), undefined);
  assert.deepEqual(real.behind("x".repeat(5_000), session, false), []);
});

test("a walk gives what the links below lead to, in the words of the session", () => {
  assert.deepEqual(real.behindLinksBelow(".", session), ["/sec", "/project/src"]);
  assert.equal(real.behindLinksBelow("many", session), undefined);
});

test("a root is itself and the folder behind it, and a path is named from here if it is here", () => {
  assert.equal(real.isBelow("/project/src", "."), "yes");
  assert.equal(real.isBelow("/sec/a", "."), "no");
  assert.equal(real.isBelow("/sec/a", "/project/k"), "yes");
  assert.equal(real.isBelow("/sec/a", "\\x"), "maybe");
  assert.equal(real.fromHere("/project/src/a"), "src/a");
  assert.equal(real.fromHere("/sec/a"), "/sec/a");
});

test("a note says what a link did, once", () => {
  real.takeNote();
  real.behind("k/a", session, false);
  assert.equal(real.takeNote(), "a link in or below k/a leads to /sec/a");
  assert.equal(real.takeNote(), undefined);
  real.behindLinksBelow("many", session);
  assert.match(real.takeNote() ?? "", /many are too many to follow/);
});
