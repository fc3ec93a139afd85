/** `scripts/development-packages.mjs` in this checkout, and in one whose lock names a package that cannot be had. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const script = resolve(import.meta.dirname, "../scripts/development-packages.mjs");

test("in a checkout that has all packages nothing is installed or printed", () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  assert.deepEqual({ status, stderr, stdout }, { status: 0, stderr: "", stdout: "" });
});

test("if the registry cannot be reached, one line names the cause and the next step", () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-packages-"));
  try {
    mkdirSync(join(directory, "scripts"));
    mkdirSync(join(directory, "development"));
    const copy = join(directory, "scripts/development-packages.mjs");
    copyFileSync(script, copy);
    const root = { name: "root", version: "1.0.0", workspaces: ["development"] };
    const development = { name: "development", devDependencies: { absent: "1.0.0" } };
    writeFileSync(join(directory, "package.json"), JSON.stringify(root));
    writeFileSync(join(directory, "development/package.json"), JSON.stringify(development));
    const packages = {
      "": root,
      development,
      "node_modules/absent": { version: "1.0.0", dev: true },
      "node_modules/absent-linux-x64": { version: "1.0.0", dev: true, optional: true },
      "node_modules/development": { resolved: "development", link: true },
    };
    writeFileSync(join(directory, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
    const { status, stderr, stdout } = spawnSync(process.execPath, [copy], {
      encoding: "utf8",
      env: {
        ...process.env,
        npm_config_cache: join(directory, "cache"),
        npm_config_fetch_retries: "0",
        npm_config_registry: "http://127.0.0.1:1/",
      },
    });
    assert.equal(
      stdout,
      "development-packages: packages that tests, checks and packaging need are missing, installing: 1\n",
    );
    assert.equal(
      stderr,
      "development-packages: Cannot install the missing packages (ECONNREFUSED): make the npm registry reachable, " +
        'then run "npm install --workspaces --include-workspace-root --no-save"\n',
    );
    assert.equal(status, 1);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
