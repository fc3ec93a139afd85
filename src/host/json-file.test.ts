import assert from "node:assert/strict";
import { mkdirSync, mkdtempDisposableSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { textInFile, readJsonFile, replaceFile } from "./json-file.ts";

test("a replaced file is private and whole, whatever a killed writer has left", () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "lectern-file-"));
  const directory = temporary.path;
  const path = join(directory, "a.json");
  assert.equal(textInFile(path), undefined);
  writeFileSync(`${path}.new`, "half of a longer text", { mode: 0o644 });
  replaceFile(path, '{"a":1}');
  replaceFile(path, '{"a":2}');
  assert.deepEqual(readJsonFile(path), { a: 2 });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  replaceFile(path, new Uint8Array([1]), 0o400);
  assert.equal(statSync(path).mode & 0o777, 0o400);
  assert.deepEqual(readdirSync(directory), ["a.json"]);
});

test("a missing or damaged file has no value, and one that cannot be read is an error", () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), "lectern-file-"));
  const directory = temporary.path;
  writeFileSync(join(directory, "half.json"), '{"a":');
  mkdirSync(join(directory, "folder.json"));
  for (const name of ["half.json", "folder.json", "missing.json"])
    assert.equal(readJsonFile(join(directory, name)), undefined);
  assert.throws(() => textInFile(join(directory, "folder.json")), { code: "EISDIR" });
});
