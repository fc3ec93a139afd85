/** The programs in the documents on status and approvals print what stands under them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { SIGNAL_KINDS, STATUS_STATES } from "../src/core/status/status.ts";
import { blocksOf, root } from "./documents.ts";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "lectern-docs-"));
after(() => rmSync(directory, { recursive: true, force: true }));
mkdirSync(join(directory, "node_modules"));
symlinkSync(root, join(directory, "node_modules/lectern"));

for (const document of ["docs/status.md", "docs/approvals.md"]) {
  const blocks = blocksOf(document);
  for (const { name, text } of blocks.filter(({ language }) => language === "ts")) {
    test(`the program ${name} in ${document} prints what stands under it`, async () => {
      writeFileSync(join(directory, name), text);
      const { stdout } = await run(process.execPath, ["-C", "source", name], { cwd: directory, timeout: 30_000 });
      const expected = blocks.find((block) => block.language === "text" && block.name === name);
      assert.equal(stdout, expected?.text);
    });
  }
}

test("docs/status.md names each state and each signal, in order", () => {
  const names = [...readFileSync(join(root, "docs/status.md"), "utf8").matchAll(/^\| `([\w-]+)` +\|/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(names, [...STATUS_STATES, ...SIGNAL_KINDS]);
});
