import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommand } from "./effects.ts";
import { selectLeaves } from "./pointers.ts";
import type { PathCondition, Rule } from "./policy.ts";
import { RealPaths, type FileView } from "./real-paths.ts";
import { isBehindLink, matchesPath, matchesTarget, matchesValue } from "./rule-paths.ts";
import type { CallFacts } from "./rules.ts";
import { literalWord } from "./shell-words.ts";
import { compileGlob, type Glob } from "./globs.ts";

/** `k` in the project leads to `/sec`, and `in` to its own folder `src`. */
const view: FileView = {
  realPath: (path) => path.replace(/^\/project\/k(?=\/|$)/, "/sec").replace(/^\/project\/in(?=\/|$)/, "/project/src"),
  matches: () => ["/project/src/a"],
  linkedMatches: () => ["/sec/a", "/project/src/a"],
  entriesBelow: () => [],
  linksBelow: () => ["/sec"],
};
const session = { workingDirectory: "/project", home: null };
const facts: CallFacts = {
  tool: "bash",
  labels: [],
  arguments: {},
  values: selectLeaves({}, []),
  session,
  folder: null,
  begins: [session],
  starts: [session],
  real: new RealPaths(view, session),
  made: null,
};
const asText = { ...facts, real: null };
const ruleOf = (effect: Rule["effect"]): Rule => ({ effect }) as Rule;
const globOf = (source: string): Glob => {
  const result = compileGlob(source);
  assert.ok(result.ok);
  return result.glob;
};
const any: PathCondition = { under: null, outside: null, globs: null, in: null, except: null };
const here: PathCondition = { ...any, under: ["."] };
const elsewhere: PathCondition = { ...any, outside: ["."] };

test("an allow needs the text and the file behind it, an ask or deny one of them", () => {
  for (const [text, allowed, asked] of [
    ["src/a", "yes", "no"],
    ["in/a", "yes", "no"],
    ["k/a", "no", "yes"],
    ["/sec/a", "no", "yes"],
  ] as const) {
    const operand = { text, isPattern: false };
    assert.equal(matchesPath(ruleOf("allow"), here, operand, facts), allowed, text);
    assert.equal(matchesPath(ruleOf("ask"), elsewhere, operand, facts), asked, text);
    assert.equal(matchesValue(ruleOf("allow"), here, text, facts), allowed, text);
    assert.equal(matchesValue(ruleOf("deny"), elsewhere, text, facts), asked, text);
  }
  assert.equal(matchesPath(ruleOf("allow"), here, { text: "k/a", isPattern: false }, asText), "yes");
  assert.equal(matchesPath(ruleOf("allow"), here, { text: "*/a", isPattern: true }, facts), "no");
});

test("a value is also the path that an agent reads in it: without white space around it, or an @", () => {
  for (const text of [" /sec/a", "\t/sec/a", "\u00a0/sec/a", "@/sec/a", " k/a"]) {
    assert.equal(matchesValue(ruleOf("allow"), here, text, facts), "no", text);
    assert.equal(matchesValue(ruleOf("deny"), elsewhere, text, facts), "yes", text);
    const secret = { ...any, globs: [globOf("/sec/**")] };
    assert.equal(matchesValue(ruleOf("deny"), secret, text, facts), "yes", text);
  }
  assert.equal(matchesValue(ruleOf("allow"), here, "@src/a", facts), "yes");
  assert.equal(matchesValue(ruleOf("deny"), elsewhere, "@src/a", facts), "no");
  const named = { ...any, globs: [globOf("@scope/*")] };
  assert.equal(matchesValue(ruleOf("allow"), named, "@scope/x", facts), "yes");
});

test("a glob of a deny also matches the file behind a value", () => {
  const condition = { ...any, globs: [globOf("/sec/**"), globOf("secret")] };
  assert.equal(matchesValue(ruleOf("deny"), condition, "k/x", facts), "yes");
  assert.equal(matchesValue(ruleOf("deny"), condition, "k/secret", facts), "yes");
  assert.equal(matchesValue(ruleOf("deny"), condition, "src/x", facts), "no");
  assert.equal(matchesValue(ruleOf("allow"), { ...here, under: null, globs: [globOf("src/**")] }, "in/x", facts), "no");
});

test("a walk that follows links is allowed only if they stay inside", () => {
  const answers = (text: string, rule: Rule, condition: PathCondition) =>
    readCommand(text.split(" ").map((word) => literalWord(word)))?.effects.map((effect) =>
      matchesTarget(rule, condition, effect, facts),
    );
  assert.deepEqual(answers("grep -R x .", ruleOf("allow"), here), ["no"]);
  assert.deepEqual(answers("grep -r x .", ruleOf("allow"), here), ["yes"]);
  assert.ok(answers("cp -rL a b", ruleOf("ask"), elsewhere)?.includes("yes"));
});

test("a patch of a file behind a link is seen", () => {
  const patch = (name: string): string => `*** Begin Patch\n*** Update File: ${name}\n@@\n+x\n*** End Patch\n`;
  assert.equal(isBehindLink(patch("k/a"), facts), true);
  assert.equal(isBehindLink(patch("src/a"), facts), false);
  assert.equal(isBehindLink(patch("k/a"), asText), false);
});
