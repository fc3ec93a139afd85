/**
 * The subcommands of the records against the lists of the tools themselves: that of the installed one, and recorded ones. A subcommand
 * without a record would be judged as one that starts nothing (cargo), or cost a question (git, npm).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programNamed } from "../src/core/gate/programs.ts";

const recorded = join(import.meta.dirname, "fixtures/subcommands");

/** They run what is not read here, or are programs of their own: without a record they are code. */
const withoutRecord: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set("filter-branch for-each-repo gitk gitweb scalar shell".split(" ")),
};

function missing(program: string, listed: readonly string[]): readonly string[] {
  const sub = programNamed(program)?.sub ?? assert.fail(`${program} has no subcommands`);
  assert.ok(listed.length > 20, `${program} lists ${listed.length} subcommands`);
  return listed.filter((name) => !sub.has(name) && withoutRecord[program]?.has(name) !== true);
}

for (const file of readdirSync(recorded)) {
  const program = /^[a-z]+/.exec(file)?.[0] ?? "";
  test(`each subcommand of ${file} has a record`, () => {
    const listed = readFileSync(join(recorded, file), "utf8").trim().split("\n");
    assert.deepEqual(missing(program, listed), []);
  });
}

test("each subcommand of the installed git has a record", () => {
  const groups =
    "mainporcelain ancillarymanipulators ancillaryinterrogators plumbingmanipulators plumbinginterrogators";
  const list = `--list-cmds=${groups
    .split(" ")
    .map((group) => `list-${group}`)
    .join(",")}`;
  assert.deepEqual(missing("git", execFileSync("git", [list], { encoding: "utf8" }).trim().split("\n")), []);
});

test("each subcommand of the installed npm has a record", () => {
  const help = execFileSync("npm", ["help"], { encoding: "utf8" });
  const listed = /All commands:\s+([\s\S]+?)\n\n/.exec(help)?.[1]?.split(/[,\s]+/) ?? [];
  assert.deepEqual(missing("npm", listed), []);
});
