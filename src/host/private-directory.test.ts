import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createPrivateFile, ensurePrivateDirectory, readPrivateFile } from "./private-directory.ts";

function temporary(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "lectern-dir-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("a directory is made with its parents, closed to others, and found again", () => {
  using root = temporary();
  const path = join(root.path, "a/b/c");
  ensurePrivateDirectory(path);
  ensurePrivateDirectory(path);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test("a place that takes no directories is an error with its reason, and it ends", () => {
  assert.throws(() => ensurePrivateDirectory("/proc/lectern/data"), {
    code: "UNSAFE_PERMISSIONS",
    message: /\/proc\/lectern/,
  });
  using root = temporary();
  writeFileSync(join(root.path, "file"), "");
  assert.throws(() => ensurePrivateDirectory(join(root.path, "file/data")), { code: "UNSAFE_PERMISSIONS" });
  assert.throws(() => ensurePrivateDirectory(join(root.path, "file")), {
    code: "UNSAFE_PERMISSIONS",
    message: /not a directory/,
  });
});

test("a directory that others can enter, or that is a link, is refused with the mend", () => {
  using root = temporary();
  const open = join(root.path, "open");
  mkdirSync(open);
  chmodSync(open, 0o755);
  assert.throws(() => ensurePrivateDirectory(open), { code: "UNSAFE_PERMISSIONS", message: /0755.*chmod 700/ });
  symlinkSync(open, join(root.path, "link"));
  assert.throws(() => ensurePrivateDirectory(join(root.path, "link")), { code: "UNSAFE_PERMISSIONS" });
});

test("a secret is not read from a pipe, nor from a file that is far too large", () => {
  using root = temporary();
  const [pipe, large] = [join(root.path, "pipe"), join(root.path, "large")];
  execFileSync("mkfifo", ["-m", "600", pipe]);
  assert.throws(() => readPrivateFile(pipe), { code: "UNSAFE_PERMISSIONS", message: /not a file; move it away/ });
  createPrivateFile(large, "");
  truncateSync(large, 6_000_000_000);
  assert.throws(() => readPrivateFile(large), {
    code: "UNSAFE_PERMISSIONS",
    message: /6000000000 bytes, at most 1048576 are read; move it away/,
  });
});

test("a secret is read only from a file of one's own that nobody else can read", () => {
  using root = temporary();
  const path = join(root.path, "token");
  assert.equal(readPrivateFile(path), undefined);
  createPrivateFile(path, "secret");
  assert.equal(readPrivateFile(path), "secret");
  assert.throws(() => createPrivateFile(path, "other"), { code: "EEXIST" });
  chmodSync(path, 0o640);
  assert.throws(() => readPrivateFile(path), { code: "UNSAFE_PERMISSIONS", message: /0640.*chmod 600/ });
  symlinkSync(path, join(root.path, "link"));
  assert.throws(() => readPrivateFile(join(root.path, "link")), {
    code: "UNSAFE_PERMISSIONS",
    message: /symbolic link/,
  });
});
