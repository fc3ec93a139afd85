import assert from "node:assert/strict";
import { test } from "node:test";
import { selectLeaves } from "./pointers.ts";
import { compilePolicy, type Rule } from "./policy.ts";
import type { RuleData } from "./policy-schema.ts";
import { matchesAction, matchesCall, type CallAction, type CallFacts } from "./rules.ts";
import { policyReaders } from "./policy-text.ts";
import { ruleWords } from "./git-words.ts";
import { readCommand } from "./effects.ts";
import { literalWord, unknownWord } from "./shell-words.ts";

function ruleOf(data: Partial<RuleData>): Rule {
  const place = { line: 1, column: 1 };
  const result = compilePolicy(
    { version: 1, rules: [{ id: "a", effect: "deny", ...data }] },
    () => place,
    policyReaders,
  );
  assert.ok(result.ok, JSON.stringify(result));
  return result.policy.rules[0]!;
}

const session = { workingDirectory: "/project", home: null };
/** A call with these arguments. */
const factsOf = (value: unknown): CallFacts => ({
  tool: "bash",
  labels: ["dev"],
  arguments: value,
  values: selectLeaves(value, []),
  session,
  folder: null,
  begins: [session],
  starts: [session],
  real: null,
  made: null,
});
const facts = factsOf({});

/** `$x` is a computed word. */
const command = (text: string): CallAction => {
  const words = text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word)));
  const reading = readCommand(words);
  return { type: "command", words, ruled: ruleWords(words), transparent: false, text, ...(reading && { reading }) };
};

const onCommand = (data: Partial<RuleData>, text: string): string => matchesAction(ruleOf(data), command(text), facts);
const onArguments = (data: Partial<RuleData>, value: unknown): string => matchesCall(ruleOf(data), factsOf(value));

test("a pattern names each word, and two stars the rest", () => {
  const table: readonly (readonly [string, string, string])[] = [
    ["git status", "git status", "yes"],
    ["git status", "git status -s", "no"],
    ["git status **", "git status", "yes"],
    ["git status **", "git status -s x", "yes"],
    ["git * x", "git a x", "yes"],
    ["git *", "git", "no"],
    ["git -*", "git -C", "yes"],
    ["cat src/*", "cat src/a", "yes"],
    ["cat src/*", "cat src/../../etc/passwd", "no"],
  ];
  for (const [pattern, text, expected] of table) {
    assert.equal(onCommand({ command: pattern }, text), expected, `${pattern} ${text}`);
    assert.equal(onCommand({ command: pattern, effect: "allow" }, text), expected, `${pattern} ${text}`);
  }
});

test("an option that is restricted is found with whatever value is glued to it", () => {
  const values = ["x", "./x", "/x", "../x", "~/x", "a b", "=x", ":x", ",x", "\u00e9", "-x"];
  for (const value of values) {
    for (const word of [`-f${value}`, `-qf${value}`]) {
      const words = ["psql", word].map((each) => literalWord(each));
      const action = { type: "command", words, ruled: ruleWords(words), transparent: false, text: "" } as const;
      for (const effect of ["deny", "ask"] as const)
        assert.equal(matchesAction(ruleOf({ command: "psql **", options: "-f", effect }), action, facts), "yes", word);
    }
  }
  for (const word of ["-q/f", "-q=f", "--f/x", "f/x", "-", "--"])
    assert.equal(onCommand({ command: "psql **", options: "-f" }, `psql ${word}`), "no", word);
  assert.equal(onCommand({ command: "x **", options: "-n", effect: "allow" }, "x -fn/a"), "no");
});

test("a long option that is restricted is found behind one dash and behind two", () => {
  assert.equal(
    onCommand({ command: "terraform **", options: "--auto-approve" }, "terraform apply -auto-approve"),
    "yes",
  );
  assert.equal(
    onCommand({ command: "terraform **", options: "-auto-approve" }, "terraform apply --auto-approve=1"),
    "yes",
  );
});

test("folders that a program changes to count for its operands", () => {
  const outside = { paths: { outside: "/project" } } as const;
  const start = { workingDirectory: "/project/a", home: null };
  const at = { ...facts, session: start, starts: [start] };
  const judged = (text: string, data: Partial<RuleData> = outside): string =>
    matchesAction(ruleOf(data), command(text), at);
  assert.equal(judged("git -C .. init"), "no");
  for (const text of ["git -C .. -C .. init", "make -C.. --directory=..", "tar -C .. -cf a ../b"])
    assert.equal(judged(text), "yes", text);
  assert.equal(judged("tar xCf .. a"), "no");
  assert.equal(judged("git -C .. -C .. init", { effect: "allow", paths: { under: "/project" } }), "no");
});

test("a computed word may be anything, and any number of words", () => {
  const table: readonly (readonly [string, string, string])[] = [
    ["git status", "git $x", "maybe"],
    ["git status", "git status $x", "maybe"],
    ["git status", "git push $x", "no"],
    ["git status **", "git status $x", "yes"],
    ["git * push", "git $x push", "maybe"],
    ["rm **", "$x y", "maybe"],
    ["git status", "$x y", "no"],
  ];
  for (const [pattern, text, expected] of table)
    assert.equal(onCommand({ command: pattern }, text), expected, `${pattern} ${text}`);
});

test("an allow is for the program that PATH finds, a deny for every program of the name", () => {
  for (const [text, allow, deny] of [
    ["ls", "yes", "yes"],
    ["/usr/bin/ls", "yes", "yes"],
    ["link/../../usr/bin/ls", "no", "yes"],
    ["/usr/local/../bin/ls", "no", "yes"],
    ["/proc/self/cwd/../usr/bin/ls", "no", "yes"],
    ["/tmp/ls", "no", "yes"],
    ["ls/", "no", "no"],
    ["./ls", "no", "yes"],
    ["lsx", "no", "no"],
  ] as const) {
    assert.equal(onCommand({ command: "ls", effect: "allow" }, text), allow, text);
    assert.equal(onCommand({ command: "ls", effect: "deny" }, text), deny, text);
  }
});

test("an allow holds for every value, a deny for one", () => {
  const at = "/paths";
  const value = { paths: ["/project/a", "/etc/b"] };
  assert.equal(onArguments({ effect: "allow", arguments: [{ at, under: "/project" }] }, value), "no");
  assert.equal(onArguments({ effect: "deny", arguments: [{ at, under: "/project" }] }, value), "yes");
  assert.equal(onArguments({ effect: "deny", arguments: [{ at, outside: "/project" }] }, value), "yes");
  assert.equal(onArguments({ effect: "allow", arguments: [{ at, under: ["/project", "/etc"] }] }, value), "yes");
  assert.equal(onArguments({ effect: "deny", arguments: [{ at: "/gone", under: "/" }] }, value), "no");
});

test("values that are too long together, too many, or too long for a name may match", () => {
  const condition = { arguments: [{ at: "/a", regex: "x" }] };
  assert.equal(onArguments(condition, { a: "y".repeat(1_048_577) }), "maybe");
  assert.equal(onArguments(condition, { a: Array.from({ length: 3 }, () => "y".repeat(400_000)) }), "maybe");
  assert.equal(onArguments(condition, { a: Array.from({ length: 10_001 }, () => "y") }), "maybe");
  assert.equal(onArguments({ arguments: [{ at: "/a", glob: "*x" }] }, { a: "y".repeat(65_537) }), "maybe");
  assert.equal(onArguments(condition, { a: `${"y".repeat(100_000)}x` }), "yes");
});

test("a path that cannot be told may be anywhere", () => {
  assert.equal(onArguments({ arguments: [{ at: "/a", outside: "/project" }] }, { a: "https://example.com" }), "maybe");
  const nowhere = { ...factsOf({ a: "/x" }), session: { workingDirectory: null, home: null } };
  assert.equal(matchesCall(ruleOf({ arguments: [{ at: "/a", under: "." }] }), nowhere), "maybe");
});

test("a path is inside only where it is from each folder that the text may be in", () => {
  const starts = [session, { workingDirectory: "/tmp", home: null }];
  const by = (data: Partial<RuleData>, text: string): string =>
    matchesAction(ruleOf(data), command(text), { ...facts, starts });
  assert.equal(by({ command: "cat **", paths: { under: "/project" } }, "cat /project/x"), "yes");
  assert.equal(by({ effect: "allow", command: "cat **", paths: { under: "/project" } }, "cat /project/x"), "yes");
  assert.equal(by({ effect: "allow", command: "cat **", paths: { under: ["/project", "/tmp"] } }, "cat x"), "maybe");
  assert.equal(by({ effect: "allow", command: "cat **", paths: { outside: "/etc" } }, "cat x"), "yes");
});

test("a rule about one kind of action is not about another", () => {
  const write: CallAction = { type: "redirect", access: "write", target: literalWord("x"), text: "> x" };
  const assignment: CallAction = { type: "assignment", namesCommand: false, name: "PATH", text: "PATH=" };
  assert.equal(matchesAction(ruleOf({ redirect: "read" }), write, facts), "no");
  assert.equal(matchesAction(ruleOf({ redirect: "any" }), write, facts), "yes");
  assert.equal(matchesAction(ruleOf({ command: "**".replace("**", "*") }), write, facts), "no");
  assert.equal(matchesAction(ruleOf({ paths: { under: "." } }), write, facts), "yes");
  assert.equal(matchesAction(ruleOf({ assigns: "P*" }), assignment, facts), "yes");
  assert.equal(matchesAction(ruleOf({ assigns: "P*" }), write, facts), "no");
  assert.equal(matchesAction(ruleOf({ tool: "bash" }), write, facts), "yes");
  assert.equal(matchesAction(ruleOf({ options: "-r" }), { type: "call" }, facts), "no");
});

test("a path may be glued to any letter of a bundle, or follow an @", () => {
  const paths = { under: "/project" };
  for (const [text, allowed] of [
    ["cp -ft../x a", "no"],
    ["cp -ft.git a", "yes"],
    ["cp -f/x a", "no"],
    ["sort -uo/etc/x a", "no"],
    ["strings @../x", "no"],
    ["strings -@../x", "no"],
    ["tool --list=@../x", "no"],
    ["tool user@host", "yes"],
    [`tool -${"v".repeat(40)}`, "maybe"],
  ] as const)
    assert.equal(onCommand({ effect: "allow", command: "* **", paths }, text), allowed, text);
  for (const text of [
    "mv -bt.git/hooks x",
    "mv -t.git/hooks x",
    "tar -cf.git/hooks",
    "strings @.git/hooks",
    "x --a=@.git/hooks",
  ])
    assert.equal(onCommand({ paths: { glob: "**/.git/hooks" } }, text), "yes", text);
});

test("the paths of a command with thousands of words are not matched: an ask or deny holds, nothing is allowed", () => {
  const words = (count: number): string => `ls ${"a ".repeat(count - 1)}`.trim();
  const here = { effect: "allow", command: "ls **", paths: { under: "." } } as const;
  const elsewhere = { command: "ls **", paths: { outside: "." } } as const;
  assert.deepEqual([onCommand(here, words(2_048)), onCommand(elsewhere, words(2_048))], ["yes", "no"]);
  assert.deepEqual([onCommand(here, words(2_049)), onCommand(elsewhere, words(2_049))], ["maybe", "yes"]);
});

test("`**` between words is any number of words, none too", () => {
  const install = { command: "make ** install" };
  for (const text of ["make install", "make -j 4 install", "make install install"])
    assert.equal(onCommand(install, text), "yes", text);
  for (const text of ["make", "make installer", "make install x"]) assert.equal(onCommand(install, text), "no", text);
  assert.equal(onCommand({ command: "make ** install **" }, "make a install x"), "yes");
  assert.equal(onCommand(install, "make $x"), "maybe");
  assert.equal(onCommand({ command: "go run ** *@* **" }, "go run -v a@b c"), "yes");
  assert.equal(onCommand({ command: "go run ** *@* **" }, "go a@b"), "no");
});
