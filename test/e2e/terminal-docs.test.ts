/** The examples of docs/terminal.md do what the page says. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SharedHome } from "./cli-home.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/terminal.md"), "utf8");
const home = await new SharedHome().empty();

const examples = [...page.matchAll(/```ts\n([^]*?)```\n\n```text\n([^]*?)```/g)];
for (const [index, [, code = "", expected]] of examples.entries()) {
  test(`example ${index + 1} of docs/terminal.md prints what stands under it`, async () => {
    const file = join(home.directory, `example-${index}.mts`);
    if (code.includes("LecternClient")) await home.ok("run", "-d", "--", "true");
    const client = JSON.stringify(join(root, "src/client.ts"));
    const local = code.replaceAll('"lectern"', JSON.stringify(join(root, "src/index.ts")));
    writeFileSync(file, local.replaceAll('"lectern/client"', client));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...home.environment } });
    assert.equal(stdout, expected);
  });
}

test("the commands of docs/terminal.md print what stands under them", async () => {
  const session = /```console\n([^]*?)```/.exec(page)?.[1] ?? "";
  const script = session
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2).replace(/^lectern/, "$L"))
    .join("\n");
  const { stdout } = await home.shell(script);
  const expected = session.split("\n").filter((line) => !line.startsWith("$ "));
  assert.deepEqual(stdout.split("\n"), expected);
});

test("the page has examples", () => {
  assert.ok(examples.length >= 4);
});
