import assert from "node:assert/strict";
import { test } from "node:test";
import { readLineCounts, readRawChanges } from "./git-changes.ts";

const zeros = "0".repeat(7);
const raw = (status: string, ...paths: string[]): string =>
  `:100644 100644 ${zeros} ${zeros} ${status}\0${paths.join("\0")}\0`;

test("raw entries are read with their types, and renames with both names", () => {
  const text = raw("M", "a b.txt") + raw("R087", "old\tname", "new\nname") + raw("D", "gone") + raw("A", ":100644 x");
  assert.deepEqual(
    readRawChanges(text).map(({ type, path, from }) => [type, path, from]),
    [
      ["changed", "a b.txt", null],
      ["renamed", "new\nname", "old\tname"],
      ["removed", "gone", null],
      ["added", ":100644 x", null],
    ],
  );
});

test("a submodule is known by its mode", () => {
  const [change] = readRawChanges(`:160000 160000 ${zeros} ${zeros} M\0lib\0`);
  assert.equal(change?.isSubmodule, true);
});

test("an entry that was cut off is left out", () => {
  const whole = raw("M", "one") + raw("M", "two");
  assert.deepEqual(
    readRawChanges(whole.slice(0, -2)).map(({ path }) => path),
    ["one"],
  );
});

test("line counts are by the new name, and null for a binary file", () => {
  const counts = readLineCounts("3\t1\ta\tb\0-\t-\timage.png\x000\t2\t\0old\0new\0");
  assert.deepEqual(Object.fromEntries(counts), {
    "a\tb": { added: 3, removed: 1 },
    "image.png": { added: null, removed: null },
    new: { added: 0, removed: 2 },
  });
});
