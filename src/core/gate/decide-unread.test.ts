import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicy } from "./policy-files.ts";

const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

test("without a judge each call of a shell tool is denied, whatever the policy allows", () => {
  const checked = checkPolicy({ version: 1, default: "allow", opaque: "allow" });
  assert.ok(checked.ok);
  const tell = (name: string, value: object): string => {
    const decision = decide(checked.policy, { name, arguments: value, finish: "stop" }, context);
    return `${decision.effect} ${decision.source}`;
  };
  assert.equal(tell("bash", { command: "ls" }), "deny opaque");
  assert.equal(tell("exec_command", {}), "deny opaque");
  assert.equal(tell("read_file", { path: "a" }), "allow default");
});
