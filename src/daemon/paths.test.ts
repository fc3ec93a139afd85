import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lecternPaths } from "./paths.ts";

const user = process.getuid?.() ?? 0;

test("sockets are in the data directory, which outlives a logout, whatever XDG_RUNTIME_DIR says", () => {
  const paths = lecternPaths({ HOME: "/users/ann", XDG_RUNTIME_DIR: "/run/user/7" });
  assert.equal(paths.dataDirectory, "/users/ann/.local/share/lectern");
  assert.equal(paths.daemonSocket, "/users/ann/.local/share/lectern/run/daemon.sock");
  const elsewhere = lecternPaths({ HOME: "/users/ann", XDG_DATA_HOME: "/data" });
  assert.equal(elsewhere.runtimeDirectory, "/data/lectern/run");
  assert.equal(lecternPaths({ HOME: "/users/ann", LECTERN_HOME: "/l" }).runtimeDirectory, "/l/run");
});

test("a path that is too long for a socket gives a directory below /tmp, another for each data directory", () => {
  const directories = ["a", "b"].map(
    (letter) => lecternPaths({ LECTERN_HOME: `/${letter.repeat(120)}` }).runtimeDirectory,
  );
  const [first = "", second = ""] = directories;
  assert.notEqual(first, second);
  for (const directory of directories) assert.match(directory, new RegExp(`^/tmp/lectern-${user}/[0-9a-f]{16}$`));
  const longest = Array.from({ length: 120 }, (_, length) => lecternPaths({ LECTERN_HOME: `/${"x".repeat(length)}` }));
  for (const { runtimeDirectory } of longest) assert.ok(join(runtimeDirectory, "host-0123456789ab.sock").length <= 107);
});

test("a path that ssh would not read as it is gives a directory below /tmp for its sockets, and for those only", () => {
  const { machinesDirectory } = lecternPaths({ LECTERN_HOME: "/users/ann" });
  assert.equal(machinesDirectory, "/users/ann/ssh");
  for (const name of ["a b", "a:b", "50%", "$a", "a\\b", 'a"b', "a#b"]) {
    const paths = lecternPaths({ LECTERN_HOME: `/users/${name}` });
    assert.match(paths.machinesDirectory, new RegExp(`^/tmp/lectern-${user}/[0-9a-f]{16}-ssh$`));
    assert.equal(paths.runtimeDirectory, `/users/${name}/run`);
  }
});

test("a link to a data directory means the same sockets, also before the directory is there", (context) => {
  const root = mkdtempSync(join(tmpdir(), "lct-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  const long = join(root, "x".repeat(120));
  mkdirSync(long);
  symlinkSync(long, join(root, "y".repeat(120)));
  const byPath = lecternPaths({ LECTERN_HOME: join(long, "data") });
  const byLink = lecternPaths({ LECTERN_HOME: join(root, "y".repeat(120), "data") });
  assert.equal(byPath.runtimeDirectory, byLink.runtimeDirectory);
  mkdirSync(join(long, "data"));
  assert.equal(lecternPaths({ LECTERN_HOME: join(long, "data") }).runtimeDirectory, byPath.runtimeDirectory);
});
