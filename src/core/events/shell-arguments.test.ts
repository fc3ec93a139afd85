import assert from "node:assert/strict";
import { test } from "node:test";
import { runsScript } from "./shell-arguments.ts";

test("a shell runs a script where its command line names one, or gives it a command", () => {
  const scripts = ["bash ask.sh", "bash -c date", "sh -ec date -i", "bash --norc -o vi -lc date", "dash -- ask.sh"];
  for (const line of [...scripts, "fish --command=date", "zsh +o nomatch ask.zsh"])
    assert.ok(runsScript(line.split(" ")), line);
  const prompts = ["bash", "-zsh", "bash --rcfile my.rc", "sh -i ask.sh", "bash -c -i date", "sh -s one", "bash -l"];
  for (const line of [...prompts, "fish -C date", "bash --"]) assert.ok(!runsScript(line.split(" ")), line);
});
