/** Each program of the documents that has a name prints what is under it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { stopDaemon } from "../src/daemon/daemon-process.ts";
import { lecternPaths } from "../src/daemon/paths.ts";
import { LecternClient } from "../src/index.ts";
import { blocksOf, root } from "./documents.ts";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "lectern-docs-"));
const home = join(directory, "home");
after(async () => {
  const client = await LecternClient.connect({ home, start: false });
  await stopDaemon(client, lecternPaths({ LECTERN_HOME: home }), { programs: true });
  // A pty host writes its last file after the daemon has ended.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
});
mkdirSync(join(directory, "node_modules"));
symlinkSync(root, join(directory, "node_modules/lectern"));
symlinkSync(join(root, "node_modules/@trpc"), join(directory, "node_modules/@trpc"));

for (const document of globSync("docs/*.md", { cwd: root }).toSorted()) {
  const blocks = blocksOf(document);
  for (const { name, text: printed } of blocks.filter((block) => block.language === "text" && block.name !== "")) {
    test(`the program ${name} in ${document} prints what is under it`, async () => {
      const program = blocks.find((block) => block.language === "ts" && block.name === name);
      writeFileSync(join(directory, name), program?.text ?? assert.fail("There is no such program"));
      const { stdout } = await run(process.execPath, ["-C", "source", name], {
        cwd: directory,
        env: { ...process.env, LECTERN_HOME: home },
        timeout: 120_000,
      });
      assert.equal(stdout, printed);
    });
  }
}
