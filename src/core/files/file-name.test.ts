import assert from "node:assert/strict";
import { test } from "node:test";
import { numberedName, safeFileName } from "./file-name.ts";

test("a name keeps what is safe, and nothing leads out of its directory", () => {
  const names: Readonly<Record<string, string>> = {
    "screen shot (1).png": "screen-shot-1-.png",
    "../../etc/passwd": "passwd",
    "C:\\Users\\me\\a.txt": "a.txt",
    ".bashrc": "bashrc",
    "-rf": "rf",
    "..": "file",
    "": "file",
    "a\u202eb\u0000c\n.txt": "a-b-c-.txt",
    "$(touch x).sh": "touch-x-.sh",
    "Größe.pdf": "Größe.pdf",
  };
  for (const [given, wanted] of Object.entries(names)) assert.equal(safeFileName(given), wanted, given);
});

test("a long name is cut before its extension", () => {
  const name = safeFileName(`${"x".repeat(300)}.png`);
  assert.deepEqual([name.length, name.endsWith(".png")], [100, true]);
});

test("a second file of a name gets a number", () => {
  assert.deepEqual(
    [numberedName("a.tar.gz", 1), numberedName("a.png", 2), numberedName("README", 3)],
    ["a.tar.gz", "a-2.png", "README-3"],
  );
});
