import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewPolicy } from "./policy-warnings.ts";

/** The warnings about these rules, as `line:column code`. */
function warned(rules: string, head = ""): readonly string[] {
  const reviewed = reviewPolicy(`version: 1\n${head}rules:\n${rules}`);
  assert.ok(reviewed.ok, JSON.stringify(reviewed));
  return reviewed.warnings.map(({ code, column, line }) => `${line}:${column} ${code}`);
}

const codes = (rules: string, head = ""): readonly string[] =>
  warned(rules, head).map((warning) => warning.replace(/^\S+ /, ""));

test("a rule that can never match is warned about, with its line and column", () => {
  assert.deepEqual(warned("  - { id: a, effect: deny, command: git push, options: [--force] }"), [
    "3:37 never-matches",
  ]);
  for (const rule of [
    "{ id: a, effect: deny, session: work }",
    "{ id: a, effect: deny, paths: { under: ./x, outside: . } }"
      .replace("./x", "~/x")
      .replace("outside: .", "outside: ~/x"),
    "{ id: a, effect: deny, arguments: [{ at: /x, exists: false, equals: 1 }] }",
    "{ id: a, effect: deny, paths: { under: /a/b, outside: [/c, /a] } }",
  ]) {
    assert.deepEqual(codes(`  - ${rule}`), ["never-matches"], rule);
  }
  for (const rule of [
    "{ id: a, effect: deny, command: git push **, options: [--force] }",
    "{ id: a, effect: deny, command: git push *, options: [--force] }",
    "{ id: a, effect: deny, command: git push -f, options: [-f] }",
    "{ id: a, effect: deny, session: team=a }",
    "{ id: a, effect: deny, paths: { under: /a, outside: /a/b } }",
  ]) {
    assert.deepEqual(codes(`  - ${rule}`), [], rule);
  }
});

test("a misspelt tool, and a deny that holds for the shell tool of one agent only, are warned about", () => {
  assert.deepEqual(codes("  - { id: a, effect: deny, tool: Wrtie }"), ["unknown-tool"]);
  assert.deepEqual(codes("  - { id: a, effect: deny, tool: mcp__own__thing }"), []);
  assert.deepEqual(codes("  - { id: a, effect: deny, tool: bash, command: rm ** }"), ["not-covered"]);
  assert.deepEqual(codes("  - { id: a, effect: deny, command: rm ** }"), []);
  assert.deepEqual(codes('  - { id: a, effect: deny, tool: "*", command: rm ** }'), []);
  const halves = `  - { id: a, effect: deny, tool: [Bash, bash, shell, shell_command, local_shell, container.exec], command: rm ** }
  - { id: b, effect: deny, tool: [run_shell_command, execute_command, exec_command, run_commands, Monitor, monitor], command: rm ** }`;
  assert.deepEqual(codes(halves), []);
});

test("an allow that lets an agent write what is executed later is warned about, unless another rule prevents it", () => {
  const write = "  - { id: w, effect: allow, redirect: write, paths: { under: . } }";
  assert.deepEqual(codes(write), ["writes-executed"]);
  const places = '["**/.git/**", "**/.husky/**", "**/.github/**", "**/.vscode/**", "**/.claude/**", "**/package.json"]';
  assert.deepEqual(codes(`${write}\n  - { id: no, effect: deny, paths: { glob: ${places} } }`), []);
  assert.deepEqual(codes("  - { id: w, effect: allow, tool: write_file }"), ["writes-executed"]);
  assert.deepEqual(warned("  - { id: no, effect: deny, command: rm ** }", "default: allow\n"), [
    "2:10 writes-executed",
  ]);
});

test("an allow for a program that writes, runs or sends by a word that is left open is warned about, if the policy lets it", () => {
  const find = "  - { id: f, effect: allow, command: find ** }";
  assert.deepEqual(codes(find), ["more-than-named"]);
  const options = '["-delete|-fls|-fprint|-fprint0|-fprintf"]';
  assert.deepEqual(codes(`${find}\n  - { id: no, effect: ask, command: find **, options: ${options} }`), []);
  for (const command of [
    "git **",
    "git diff **",
    "git mv **",
    "sort **",
    "tar **",
    "tree **",
    "npm **",
    "xxd **",
    "uniq **",
    "split **",
    "rm **",
    "dd **",
  ])
    assert.deepEqual(codes(`  - { id: a, effect: allow, command: ${command} }`), ["more-than-named"], command);
  for (const command of [
    "git status **",
    "env **",
    "make **",
    "cat **",
    "grep **",
    "ls **",
    "sort *",
    "unknown-program **",
  ])
    assert.deepEqual(codes(`  - { id: a, effect: allow, command: ${command} }`), [], command);
});

test("the warning has a command that is allowed, and what it does", () => {
  const reviewed = reviewPolicy("version: 1\nrules: [{ id: a, effect: allow, command: git diff ** }]");
  assert.ok(reviewed.ok);
  assert.match(
    reviewed.warnings[0]?.message ?? "",
    /^"git diff \*\*" also allows "git diff --output ~\/.bashrc", which writes ~\/.bashrc: /,
  );
});
