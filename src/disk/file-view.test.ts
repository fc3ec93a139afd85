import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DiskView } from "./file-view.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "lectern-view-")));
after(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ["a/b", "out/deep", "a/.hidden"]) mkdirSync(join(root, folder), { recursive: true });
for (const file of ["a/b/f.txt", "out/o.txt", "out/deep/d.txt"]) writeFileSync(join(root, file), "");
for (const [target, name] of [
  ["../out", "a/link"],
  ["/dev/../etc/./hostname", "a/absolute"],
  ["link", "a/chain"],
  ["../out/none/x", "a/dangling"],
  ["ring", "a/ring"],
  ["../b", "a/b/here"],
  ["../a/b", "out/back"],
  ["/proc/self/cwd", "a/kernel"],
] as const)
  symlinkSync(target, join(root, name));

test("a path is what the kernel would open, also where it does not exist yet", () => {
  const view = new DiskView();
  for (const [path, expected] of [
    ["a/b/f.txt", "a/b/f.txt"],
    ["a/link/o.txt", "out/o.txt"],
    ["a/chain/deep/d.txt", "out/deep/d.txt"],
    ["a/link/../x", "x"],
    ["a/link/deep/../../x", "x"],
    ["a/b/../link", "out"],
    ["a/dangling", "out/none/x"],
    ["a/link/new/../../x", "x"],
    ["a/none/../link/n", "out/n"],
    ["a//./link/", "out"],
  ] as const)
    assert.equal(view.realPath(`${root}/${path}`), join(root, expected), path);
  assert.equal(view.realPath(`${root}/a/absolute`), realpathSync("/etc/hostname"));
  assert.equal(view.realPath("/.."), "/");
  for (const path of ["a/ring", "a/ring/x", "a/kernel/x"])
    assert.equal(view.realPath(`${root}/${path}`), undefined, path);
});

test("a pattern gives the files behind the links that it matches, and no others", () => {
  const matches = (pattern: string): readonly string[] | undefined =>
    new DiskView().linkedMatches(`${root}/${pattern}`)?.map((path) => path.slice(root.length + 1));
  assert.deepEqual(matches("a/b/*.txt"), []);
  assert.deepEqual(matches("a/l*/*.txt"), ["out/o.txt"]);
  assert.deepEqual(matches("a/link/*/d.txt"), ["out/deep/d.txt"]);
  assert.deepEqual(matches("a/li*/../a"), ["a"]);
  assert.deepEqual(matches("none/*"), []);
  assert.equal(matches("a/k*"), undefined);
  assert.deepEqual(matches("a/r*"), []);
});

test("a pattern has the names that it expands to, also through a link", () => {
  const matches = (pattern: string): readonly string[] | undefined =>
    new DiskView().matches(`${root}/${pattern}`)?.map((path) => path.slice(root.length + 1));
  assert.deepEqual(matches("a/li*/*.txt"), ["a/link/o.txt"]);
  assert.deepEqual(matches("a/link/*/d.txt"), ["a/link/deep/d.txt"]);
  assert.deepEqual(matches("none/*"), []);
});

test("a walk finds the links below a folder and below their targets, and ends in a ring", () => {
  const below = (folder: string): readonly string[] | undefined =>
    new DiskView()
      .linksBelow(`${root}/${folder}`)
      ?.map((path) => path.slice(root.length + 1))
      .toSorted();
  assert.deepEqual(below("a/b"), ["a/b"]);
  assert.deepEqual(below("out/deep"), []);
  assert.deepEqual(below("out"), ["a/b"]);
  assert.deepEqual(below("a/link"), ["a/b"]);
});

test("everything below a folder is found, and no link is followed", () => {
  const below = (folder: string) => new DiskView().entriesBelow(`${root}/${folder}`)?.toSorted();
  assert.deepEqual(
    below("out"),
    ["back", "deep", "deep/d.txt", "o.txt"].map((name) => join(root, "out", name)),
  );
  for (const name of ["a/b/f.txt", "none"]) assert.deepEqual(below(name), []);
});

test("what is over the limits is unknown", () => {
  assert.equal(new DiskView({ entriesMax: 2 }).entriesBelow(`${root}/out`), undefined);
  assert.equal(new DiskView({ entriesMax: 2 }).linksBelow(`${root}/out`), undefined);
  assert.equal(new DiskView({ entriesMax: 2 }).linkedMatches(`${root}/out/*`), undefined);
  assert.equal(new DiskView({ entriesMax: 2 }).matches(`${root}/out/*`), undefined);
  assert.equal(new DiskView({ pathsMax: 1 }).realPath(`${root}/a/b/f.txt`), undefined);
});
