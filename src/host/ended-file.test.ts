import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { readDaemonEnd } from "./ended-file.ts";

test("a daemon is replaced while the process that the file names runs, also as the first of a container", (context) => {
  const path = join(temporaryDirectory(context), "ended");
  assert.equal(readDaemonEnd(path), "none");
  const cases = { "": "down", "0": "down", "-1": "down", "99999999": "down", "no pid": "down", "1": "replaced" };
  for (const [text, end] of Object.entries({ ...cases, [String(process.pid)]: "replaced" })) {
    writeFileSync(path, text);
    assert.equal(readDaemonEnd(path), end, text);
  }
});
