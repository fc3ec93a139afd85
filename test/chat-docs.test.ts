/** The example in docs/chat.md does what it says. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

test("the example of docs/chat.md gives the messages that it names", async () => {
  const root = join(import.meta.dirname, "..");
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs", "chat.md"), "utf8"))?.[1] ?? "";
  const expected = /\/\/ => (.*)/.exec(example)?.[1] ?? assert.fail("no result is named");
  const folder = mkdtempSync(join(tmpdir(), "lectern-docs-"));
  try {
    const file = join(folder, "example.ts");
    writeFileSync(file, example.replace('"lectern/core"', JSON.stringify(pathToFileURL(join(root, "src", "core.ts")))));
    const { told } = (await import(pathToFileURL(file).href)) as { told: unknown };
    assert.deepEqual(told, JSON.parse(expected));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
