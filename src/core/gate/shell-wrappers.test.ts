import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";
import { literalWord } from "./shell-words.ts";
import { startedWords } from "./shell-wrappers.ts";

const wordsOf = (...texts: readonly string[]): readonly string[] =>
  startedWords(texts.map((text) => literalWord(text))).map((word) => word.text);

test("a text among the words of an unknown program is taken apart", () => {
  assert.deepEqual(wordsOf("wrapper", "-c", "rm x"), ["-c", "rm x", "rm", "x"]);
  assert.deepEqual(wordsOf("wrapper", "--run=rm"), ["--run=rm", "--run", "rm"]);
});

test("an unknown program may start a denied command of its words; a known one does not", () => {
  const checked = checkPolicyText(`
version: 1
default: allow
opaque: ask
rules:
  - { id: no-rm, effect: deny, command: "rm **" }
  - { id: no-force, effect: deny, command: "git push **", options: [--force|-f] }
  - { id: no-copies, effect: deny, command: "cp **", paths: { outside: . } }`);
  assert.ok(checked.ok);
  const context = { workingDirectory: "/project", home: "/users/me", labels: [] };
  const effectOf = (command: string): string =>
    decide(checked.policy, { name: "bash", arguments: { command }, finish: "stop" }, context).effect;
  for (const command of [
    "wrapper rm x",
    "wrapper -- /bin/rm x",
    "wrapper 'rm x'",
    "wrapper --run='sh -c \"rm x\"'",
    "./wrapper rm x",
    "wrapper git push -f",
    "wrapper 'git push origin +main'",
    "wrapper cp a ../b",
  ])
    assert.equal(effectOf(command), "ask", command);
  for (const command of ["echo rm x", "man rm", "wrapper git push", "wrapper cp a b", "wrapper rmx", "grep -rn rm src"])
    assert.equal(effectOf(command), "allow", command);
});

test("sixty thousand characters for an unknown program are judged in linear time", () => {
  const rules = Array.from(
    { length: 20 },
    (_, at) => `{ id: r${at}, effect: deny, command: "git push **", options: [-f] }`,
  );
  const checked = checkPolicyText(`version: 1\ndefault: allow\nrules: [${rules.join(", ")}]`);
  assert.ok(checked.ok);
  const context = { workingDirectory: "/project", home: null, labels: [] };
  const command = `wrapper ${"git push ".repeat(6_600)}`;
  assert.equal(decide(checked.policy, { name: "bash", arguments: { command }, finish: "stop" }, context).effect, "ask");
});
