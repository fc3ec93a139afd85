import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleWords } from "./git-words.ts";
import { readCommand } from "./effects.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";

const words = (text: string): readonly ShellWord[] =>
  text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word)));
const shown = (list: readonly ShellWord[]): string => list.map((word) => word.text).join(" ");

test("options of git itself are removed for rules that restrict, and harmless ones for rules that allow", () => {
  for (const [text, restricted, allowed] of [
    ["git -C . push x", "git push x", "git -C . push x"],
    ["git --no-pager diff", "git diff", "git diff"],
    ["git --git-dir a --work-tree=b -p log", "git log", "git --git-dir a --work-tree=b -p log"],
    ["git -c alias.p=push push", "git push", "git -c alias.p=push push"],
    ["/usr/bin/git -P status", "/usr/bin/git status", "/usr/bin/git status"],
    ["ls -C .", "ls -C .", "ls -C ."],
  ] as const) {
    const ruled = ruleWords(words(text));
    assert.deepEqual([shown(ruled.restricted), shown(ruled.allowed)], [restricted, allowed], text);
  }
});

test("a program of git is the subcommand of its name for rules that restrict, and itself for rules that allow", () => {
  for (const name of ["git-push", "/usr/lib/git-core/git-push", "./git-push"]) {
    const ruled = ruleWords(words(`${name} origin +main`));
    assert.equal(shown(ruled.restricted), "git push origin +main");
    assert.equal(shown(ruled.allowed), `${name} origin +main`);
    assert.deepEqual(ruled.others.map(shown), [`${name} origin +main`]);
    assert.equal(shown(ruled.options), "--force");
  }
  for (const text of ["git-push.sh x", "mygit-push x", "git-/x", "git x"])
    assert.deepEqual(ruleWords(words(text)).others, [], text);
});

test("the operands of a push or a fetch amount to options", () => {
  for (const [text, options] of [
    ["git fetch origin +main:main", "--force"],
    ["git pull origin +refs/heads/*:refs/heads/*", "--force"],
    ["git fetch origin +main", ""],
    ["git fetch origin main:main", ""],
    ["git fetch origin +refs/heads/*:refs/remotes/origin/*", ""],
    ["git push origin +main", "--force"],
    ["git push --mirror", "--force"],
    ["git push origin :main", "--delete"],
    ["git push -o -- -f", "-f"],
    ["git push origin main", ""],
    ["git add +x", ""],
  ] as const) {
    assert.equal(shown(ruleWords(words(text)).options), options, text);
  }
});

const isCode = (command: readonly ShellWord[]): boolean =>
  readCommand(command)?.launches.some(({ type }) => type === "opaque") === true;

test("an alias, a setting or an option that can run a program is code", () => {
  for (const text of [
    "git p",
    "git $x",
    "git -c core.pager=x log",
    "git --exec-path=x log",
    "git rebase -x y",
    "git bisect run x",
  ])
    assert.equal(isCode(words(text)), true, text);
  for (const text of [
    "git",
    "git --version",
    "git log",
    "git -c user.name=x commit",
    "git -c core.pager=cat log",
    "git rebase y",
  ])
    assert.equal(isCode(words(text)), false, text);
});

test("git config that sets a program, or what may name one, is code", () => {
  for (const text of [
    "config alias.x !rm",
    "config set core.pager x",
    "config --global --add core.hooksPath .",
    "config -f x filter.a.clean x",
    "config core.fsmonitor -- --list",
    "config core.fsmonitor --list",
    "config core.hooksPath --x",
    "config --file --get alias.x y",
    "config set --all alias.x --get",
    "config --type path include.path x",
    "config --edit",
    "config $x",
  ])
    assert.equal(isCode(words(`git ${text}`)), true, text);
  for (const text of [
    "config user.email me@localhost",
    "config --global core.pager cat",
    "config --get alias.x",
    "config alias.x",
    "config get alias.x",
    "config --list",
    "config --unset alias.x",
    "config --type bool --get core.bare",
  ])
    assert.equal(isCode(words(`git ${text}`)), false, text);
});
