import assert from "node:assert/strict";
import { test } from "node:test";
import { writesAlone } from "./writes-alone.ts";

test("a program and a script write alone; a shell, a pager and an agent do not", () => {
  for (const command of [["./build.sh"], ["python3", "-q"], ["bash", "-lc", "make"], ["/bin/sh", "run.sh"]])
    assert.equal(writesAlone(command), true, command.join(" "));
  for (const command of [
    ["bash"],
    ["-zsh"],
    ["/usr/bin/fish", "-l"],
    ["less", "file"],
    ["/opt/bin/claude"],
    ["ssh", "host"],
  ])
    assert.equal(writesAlone(command), false, command.join(" "));
});
