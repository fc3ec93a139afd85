/** The README and the page on operating do what they say: each of their blocks runs literally. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { blocksOf, root } from "../documents.ts";
import { CliHome } from "./cli-home.ts";

const run = promisify(execFile);

/** A home with `lectern`, and a file with the words of bash that run each line as a shell does in which they are typed. */
function withCommand(home: CliHome): { readonly env: Record<string, string>; readonly bin: string } {
  const bin = join(home.directory, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "lectern"), `#!/bin/sh\nexec ${home.launcherEnvironment.L} "$@"\n`, { mode: 0o755 });
  return { env: { PATH: `${bin}:${home.environment["PATH"]}` }, bin };
}

/** Runs the lines behind `$ ` in one shell, and compares what each prints with the lines under it. */
async function runsAsShown(home: CliHome, document: string): Promise<void> {
  const { env } = withCommand(home);
  const steps = blocksOf(document)
    .filter(({ language }) => language === "console")
    .flatMap(({ text }) => text.split(/^\$ /m).slice(1));
  assert.ok(steps.length > 5);
  const end = "--- end of step ---\n";
  const script = steps.map((step) => `${step.split("\n", 1).join()}\nprintf '%s' '${end}'\n`).join("");
  const { stdout } = await home.shell(`exec 2>&1\n${script}`, env);
  const printed = stdout.split(end);
  for (const [index, step] of steps.entries()) {
    const [command = "", ...shown] = step.split("\n");
    assert.equal(printed[index], shown.join("\n").replace(/\n+$/, "\n"), command);
  }
}

test("the first lines of the README start a session in a fresh clone, and its tour prints what it shows", async () => {
  await using home = new CliHome();
  const [first] = blocksOf("README.md");
  assert.equal(first?.language, "sh");
  const clone = join(home.directory, "clone");
  await run("git", ["clone", "-q", "--local", root, clone]);
  // The packages are those of this clone: their download is not a promise of the README.
  const { env, bin } = withCommand(home);
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n[ "$*" = ci ] && ln -s ${root}/node_modules ${clone}\n`, { mode: 0o755 });
  writeFileSync(join(home.directory, "first.sh"), first.text);
  const { stdout, stderr } = await home.shell("cd clone && exec bash -O expand_aliases ../first.sh", env);
  assert.equal(stdout, "work\n", stderr);
  await runsAsShown(home, "README.md");
});

test("the page on operating backs up, restores and uninstalls as it shows", async () => {
  await using home = new CliHome();
  await runsAsShown(home, "docs/operating.md");
});

test("the TypeScript of the README runs as it stands there, and starts the daemon", async () => {
  await using home = new CliHome();
  const programs = blocksOf("README.md").filter(({ language }) => language === "ts");
  mkdirSync(join(home.directory, "node_modules"));
  symlinkSync(root, join(home.directory, "node_modules/lectern"));
  const printed: string[] = [];
  for (const { text } of programs) {
    writeFileSync(join(home.directory, "example.mts"), text);
    const { stdout } = await run(process.execPath, ["-C", "source", "example.mts"], {
      cwd: home.directory,
      env: home.environment,
      timeout: 60_000,
    });
    printed.push(stdout);
  }
  assert.equal(printed.length, 2);
  assert.match(printed[0] ?? "", /output: 'hello\\n', exitCode: 1, product: '42'/);
  assert.match(printed[1] ?? "", /42/);
});

test("each document is in one of the three paths of the start page", () => {
  const start = readFileSync(join(root, "docs/start.md"), "utf8");
  assert.deepEqual(start.match(/^## .+$/gm), ["## Use", "## Build", "## Operate"]);
  const missing = globSync("*.md", { cwd: join(root, "docs") }).filter((file) => !start.includes(`](${file})`));
  assert.deepEqual(missing, ["start.md"]);
});
