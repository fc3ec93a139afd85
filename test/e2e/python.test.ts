/** The Python client: its own tests with the Python of the system, its types, and its published form. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { blocksOf, root } from "../documents.ts";
import { CliHome } from "./cli-home.ts";

const client = join(root, "clients/python");
const python = "/usr/bin/python3";

/** One daemon for all: the tests kill it, and the client starts it again by the command on its PATH. */
const home = new CliHome();
after(() => home[Symbol.asyncDispose]());
const bin = join(home.directory, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "lectern"), `#!/bin/sh\nexec ${home.launcherEnvironment.L} "$@"\n`);
chmodSync(join(bin, "lectern"), 0o755);
await home.startDaemon("--port", "0");

async function runPython(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = client,
): Promise<string> {
  const environment = { ...home.environment, PYTHONDONTWRITEBYTECODE: "1", ...env };
  const run = promisify(execFile)(python, words, { cwd, env: environment, timeout: 170_000 });
  const { stdout, stderr } = await run.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`python3 ${words.join(" ")}: ${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

for (const module of ["test_hostile", "test_agterm", "test_client"]) {
  test(`the Python client passes its ${module}`, async () => {
    const words = ["-W", "error::ResourceWarning", "-m", "unittest", `tests.${module}`];
    assert.match(await runPython(words, { PYTHONPATH: "src" }), /\nOK/);
  });
}

test("the types of the Python client are checked", async () => {
  assert.match(await runPython(["-m", "mypy", "--strict", "--cache-dir=/dev/null", "src"]), /^Success/);
});

test("the examples of docs/python.md print what stands there", async () => {
  const blocks = blocksOf("docs/python.md").filter(({ language }) => language === "python" || language === "text");
  const programs = blocks.filter(({ language }) => language === "python");
  assert.equal(programs.length, 4);
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== "python") continue;
    assert.equal(await runPython(["-c", text], { PYTHONPATH: "src" }), blocks[index + 1]?.text, text);
  }
});

/** Both are built by the backend of pyproject.toml, as "python3 -m build" does, and without a network. */
const BUILD = [
  "from setuptools import build_meta",
  "print(build_meta.build_sdist('dist'), build_meta.build_wheel('dist'), sep='\\n')",
].join("\n");
/** pip as Debian has it, for its virtual environments. */
const PIP = [
  "import glob, runpy, sys",
  "sys.path.insert(0, sorted(glob.glob('/usr/share/python-wheels/pip-*.whl'))[-1])",
  "runpy.run_module('pip', run_name='__main__')",
].join("\n");

test("the wheel is built without a network, installed in an empty place, and runs the quick start there", async () => {
  const place = join(home.directory, "wheel");
  cpSync(client, place, { recursive: true, filter: (path) => !/__pycache__|\.egg-info|\/(build|dist)$/.test(path) });
  mkdirSync(join(place, "dist"));
  await runPython(["-c", BUILD], {}, place);
  const [wheel = "", source = ""] = readdirSync(join(place, "dist")).toSorted();
  assert.match(wheel, /^lectern-[\d.]+-py3-none-any\.whl$/);
  assert.match(source, /^lectern-[\d.]+\.tar\.gz$/);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  assert.equal(wheel.split("-")[1], version);
  const listed = await runPython(["-m", "zipfile", "-l", join(place, "dist", wheel)]);
  for (const file of ["lectern/py.typed", "lectern/_types.py", "dist-info/LICENSE"])
    assert.ok(listed.includes(file), file);
  assert.ok(!listed.includes("tests/"));
  const target = join(home.directory, "site");
  const pip = ["--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps", "--target", target];
  await runPython(["-c", PIP, ...pip, join(place, "dist", wheel)]);
  const quickStart = [
    "import lectern; from lectern import AGTerm",
    'env = AGTerm("bash", True, ready_markers=["$ ", "# ", "__AGPROMPT__ "])',
    "env.read_until_ready(timeout_ms=60000)",
    `env.send_and_read_until_ready('export PS1="__AGPROMPT__ "')`,
    'print(lectern.__file__, repr(env.send_and_read_until_ready("echo hello")))',
    "env.close()",
  ].join("\n");
  const printed = await runPython([
    "-I",
    "-c",
    `import sys; sys.path.insert(0, ${JSON.stringify(target)})\n${quickStart}`,
  ]);
  assert.equal(printed, `${target}/lectern/__init__.py 'echo hello\\nhello\\n__AGPROMPT__ '\n`);
});

test("the licence of the Python client is that of the project", () => {
  assert.equal(readFileSync(join(client, "LICENSE"), "utf8"), readFileSync(join(root, "LICENSE"), "utf8"));
});
