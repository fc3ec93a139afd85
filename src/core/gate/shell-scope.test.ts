import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, type For, type Word } from "unbash";
import { insideBrackets, isArithmetic, numberOperand, ScopeFacts, ShellScope } from "./shell-scope.ts";
import { analyzeShell } from "./shell.ts";

const scope = (numbers: readonly string[], loops: readonly string[] = []): ShellScope =>
  new ShellScope(new Set(numbers), new Set(loops), false);

const loop = (text: string): For => parse(text).commands[0]?.command as For;

/** The path of each last word; `?` for a reason why a part is not read. */
const paths = (text: string): readonly (string | undefined)[] =>
  analyzeShell(text).actions.map((action) =>
    action.type === "command"
      ? action.words.at(-1)?.path
      : action.type === "opaque"
        ? `?${action.reason}`
        : action.text,
  );

test("arithmetic is readable if each name surely has a number", () => {
  const known = scope(["n", "late"]);
  known.noteSet([{ name: "n", value: "5" }]);
  for (const text of ["n + 1", "$n*2", "${n}<<3", "(n > 1) ? 2 : n", "n += 1, n++", "$# - 1", "${#anything} + $?"])
    assert.equal(known.isReadable(text), true, text);
  for (const text of [
    "m",
    "late",
    "n$n",
    "m$n",
    "n[0]",
    "$(ls)",
    "`ls`",
    "n'",
    '"n"',
    "${n:-m}",
    "0x1",
    "n\\",
    "${!n}",
    "@",
  ])
    assert.equal(known.isReadable(text), false, text);
});

test("a value that can fail sets nothing", () => {
  const known = scope(["n", "m"]);
  known.noteSet([
    { name: "n", value: "5" },
    { name: "m", value: undefined },
  ]);
  assert.equal(known.isNumber("n"), false);
});

test("the header of a counting loop sets its variable for the loop", () => {
  const known = scope(["i"]);
  const seen: boolean[] = [];
  assert.equal(
    known.readCounting("i = 0; i < 3; i++", () => seen.push(known.isNumber("i"))),
    true,
  );
  assert.deepEqual([...seen, known.isNumber("i")], [true, false]);
  assert.equal(
    known.readCounting("i = j; i < 3; i++", () => seen.push(true)),
    false,
  );
  assert.equal(
    known.readCounting("i = 0; i < j; i++", () => seen.push(true)),
    false,
  );
});

test("each item of a loop is known within it", () => {
  const node = loop("for f in a b; do :; done");
  const item = { text: "a", value: "a", path: "a" };
  const seen: unknown[] = [];
  const known = scope([], ["f"]);
  assert.equal(
    known.readItems(node, [item], () => seen.push(known.itemOf("f"))),
    true,
  );
  assert.deepEqual([...seen, known.itemOf("f")], [item, undefined]);
  const never = (): never => assert.fail("read");
  assert.equal(known.readItems(node, [], never), false);
  assert.equal(known.readItems(node, [{ text: "$x", value: undefined, path: undefined }], never), false);
  assert.equal(
    known.readItems(
      node,
      Array.from({ length: 17 }, () => item),
      never,
    ),
    false,
  );
  assert.equal(scope([]).readItems(node, [item], never), false);
});

test("loops within loops are read up to a limit", () => {
  const known = scope([], ["f"]);
  const items = Array.from({ length: 9 }, () => ({ text: "a", value: "a", path: "a" }));
  const node = loop("for f in a; do :; done");
  let inner: boolean | undefined;
  known.readItems(node, items, () => void (inner ??= known.readItems(node, items, () => undefined)));
  assert.equal(inner, false);
});

test("what the text sets in another way is not known", () => {
  const facts = new ScopeFacts();
  const node = loop("for f in 1 2; do :; done");
  facts.noteNode(node);
  facts.enterLoop(node);
  facts.leaveLoop();
  facts.noteSetting({ name: "n", value: "5" });
  facts.noteSetting({ name: "n", value: undefined }, "number");
  facts.noteSetting({ name: "other", value: "5" });
  facts.noteSetting({ name: "other", value: "x" });
  const known = facts.scope(new Set(["a"]));
  known?.noteSet(["n", "other"].map((name) => ({ name, value: "5" })));
  assert.deepEqual(
    ["n", "other"].map((name) => known?.isNumber(name)),
    [true, false],
  );
  assert.equal(known?.setsSplitting, false);
  facts.noteArithmetic("f = 5");
  assert.equal(
    facts.scope(new Set())?.readItems(node, [{ text: "1", value: "1", path: "1" }], () => undefined),
    false,
  );
  facts.noteCommand("alias");
  assert.equal(facts.scope(new Set()), undefined);
});

test("a word, brackets and operands of arithmetic are taken apart", () => {
  const word = (text: string): Word => {
    const command = parse(`x ${text}`).commands[0]?.command;
    assert.equal(command?.type, "Command");
    const found = command.args[0];
    assert.equal(found?.type, "Word");
    return found;
  };
  assert.deepEqual(
    ["$((1+2))", '"$((1))"', "a$((1))", "$(a)", "a"].map((text) => isArithmetic(word(text))),
    [true, true, false, false, false],
  );
  assert.deepEqual(["$((a))", "((a))", "$[a]"].map(insideBrackets), ["a", "a", "a"]);
  assert.deepEqual(["$n", '"${n}"', "n", "n=1", "'n'", "a[1]"].map(numberOperand), [
    "$n",
    "${n}",
    "n",
    undefined,
    undefined,
    undefined,
  ]);
});

test("a text is read with what it says about its variables", () => {
  for (const [text, expected] of [
    ['for f in a b/*.ts; do cat "$f"; done', ["a", "b/*.ts"]],
    ['for f in a; do cat "c/$f.d" ; done', ["c/a.d"]],
    ["for f in a; do cat $f; done", ["a"]],
    ['for f in a; do f=b; cat "$f"; done', [undefined]],
    ['for f in a; do cat "$f"; done; cat "$f"', ["a", undefined]],
    ["IFS=x; for f in axb; do cat $f; done", [undefined]],
    ["n=5; cat x$((n + 1))", ["x*"]],
    ["n=5; [[ $n -gt 3 ]] && cat x", ["x"]],
    ["n=5; [ $n -gt 3 ] && cat x", ["]", "x"]],
    ["f() { :; }; n=5; cat $((n))", [":", undefined, "?arithmetic"]],
    ["make -j$(nproc)", ["-j*", "nproc"]],
    ["cat \"$(cat <<'E'\na\nE\n)\"", ["a", "cat"]],
  ] as const)
    assert.deepEqual(paths(text), expected, text);
});

test("a subshell in a loop starts in each folder that the loop may have gone to", () => {
  assert.deepEqual(analyzeShell("for i in 1 2; do (cd a; ls); cd /b; done").directories, ["/b", "a", "/b/a"]);
  assert.equal(analyzeShell("for i in 1 2; do cd a; done").directories, null);
  assert.deepEqual(analyzeShell('for d in a/*/; do (cd "$d"); done').directories?.slice(0, 1), ["a/*"]);
});
