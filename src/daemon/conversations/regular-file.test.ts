import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readRegularFile } from "./regular-file.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-regular-"));
after(() => rmSync(directory, { recursive: true, force: true }));

test("a pipe, a device, a directory and a large file are refused at once", () => {
  const [file, pipe] = [join(directory, "file"), join(directory, "pipe")];
  writeFileSync(file, "words");
  execFileSync("mkfifo", [pipe]);
  assert.equal(readRegularFile(file, 5).toString(), "words");
  assert.equal(readRegularFile(file, 5, { from: 1, lengthMax: 3 }).toString(), "ord");
  assert.equal(readRegularFile(file, 5, { from: 9 }).toString(), "");
  assert.throws(() => readRegularFile(file, 4), /at most 4 bytes/);
  for (const path of [pipe, "/dev/zero", directory]) assert.throws(() => readRegularFile(path, 100), /no regular file/);
});
