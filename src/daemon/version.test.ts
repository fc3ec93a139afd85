import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { buildVersion, packageVersion } from "./version.ts";

const root = resolve(import.meta.dirname, "../..");

test("in a clone, the version of a build has the commit", (context) => {
  if (!existsSync(resolve(root, ".git"))) return context.skip("this is not a clone");
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  assert.equal(buildVersion(), `${packageVersion()}+${commit.slice(0, 12)}`);
});
