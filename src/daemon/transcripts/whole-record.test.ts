import assert from "node:assert/strict";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RecordRefusal } from "./record-file.ts";
import { documentLine, WholeRecord } from "./whole-record.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-document-"));
test.after(() => rmSync(root, { recursive: true }));

test("a document is given when it is whole and has changed, also shorter than before", () => {
  const path = join(root, "a.json");
  const write = (text: string): void => writeFileSync(path, text, { flag: "r+" });
  writeFileSync(path, '{\n "messages": [1, 2, 3]\n}');
  using record = new WholeRecord(path, { isBoxed: false, root, userId: process.getuid?.() ?? 0 }, documentLine);
  const read = (): string => Buffer.from(record.next()).toString();
  assert.equal(read(), '{"messages":[1,2,3]}\n');
  assert.equal(read(), "");
  // Written in place, then cut: the end of the old document follows the new one.
  write('{ "messages": [4] }');
  assert.equal(read(), "");
  truncateSync(path, '{ "messages": [4] }'.length);
  assert.equal(record.state(), "same");
  assert.equal(read(), '{"messages":[4]}\n');
});

test("a document of more than 16 MiB is refused", () => {
  const path = join(root, "b.json");
  writeFileSync(path, "");
  truncateSync(path, 16 * 1024 * 1024 + 1);
  using record = new WholeRecord(path, { isBoxed: false, root, userId: process.getuid?.() ?? 0 }, documentLine);
  assert.throws(() => record.next(), RecordRefusal);
});
