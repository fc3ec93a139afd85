import assert from "node:assert/strict";
import { test } from "node:test";
import { isTyped, Typing } from "./typing.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shell = { isSecret: false, isAgent: false };
const typed = (...pieces: readonly string[]): (string | null)[] => {
  const typing = new Typing();
  return pieces
    .flatMap((piece) => typing.input(bytes(piece), shell).lines)
    .map(({ text, isKnown }) => (isKnown ? text : null));
};

test("a line ends with Enter, wherever the keys were cut", () => {
  assert.deepEqual(typed("l", "s -", "1\r", "pwd\n"), ["ls -1", "pwd"]);
});

test("Backspace, Ctrl-U, Ctrl-W and Ctrl-C change the line", () => {
  assert.deepEqual(typed("lz\u007Fs\r", "rm\u0015ls\r", "git push\u0017pull\r", "no\u0003yes\r"), [
    "ls",
    "ls",
    "git pull",
    "yes",
  ]);
});

test("a line out of the history or completed by the shell is not known", () => {
  assert.deepEqual(typed("\u001B[A\r", "cl\t\r", "ls\r"), [null, null, "ls"]);
});

test("a key in another encoding leaves a line that is not known", () => {
  assert.deepEqual(typed("rm \u001B[99;5uls\r", "x\u001B[27;5;117~\r", "\u001B[13u\r", "ls\r"), [
    null,
    null,
    null,
    null,
    "ls",
  ]);
});

test("what the terminal answers by itself is not typed", () => {
  assert.deepEqual(typed("l\u001B[?1;2c\u001B[12;3Rs\u001B[I\u001B]11;rgb:0/0/0\u001B\\\r"), ["ls"]);
});

test("a line end within a paste is text, and so is a line feed that is typed to an agent", () => {
  assert.deepEqual(typed("\u001B[200~one\rtwo\u001B[201~\r"), ["one\ntwo"]);
  const { lines } = new Typing().input(bytes("one\ntwo\r"), { isSecret: false, isAgent: true });
  assert.deepEqual(lines, [{ text: "one\ntwo", isKnown: true }]);
});

test("the last pastes are kept, whatever pieces they come in", () => {
  const typing = new Typing();
  typing.input(bytes("\u001B[200~a\r\nb"), shell);
  const restored = new Typing(JSON.parse(JSON.stringify(typing.save())));
  restored.input(bytes("\u001B[201~"), shell);
  assert.deepEqual(restored.pastes, ["a\nb"]);
});

test("of a very long line the end is kept, and it is not known", () => {
  const typing = new Typing();
  typing.input(new Uint8Array(5000).fill(0x61), shell);
  assert.deepEqual([typing.line.text.length, typing.line.isKnown], [4096, false]);
});

test("a secret is no line", () => {
  const typing = new Typing();
  const { items, lines } = typing.input(bytes("***\r"), { isSecret: true, isAgent: false });
  assert.deepEqual([items.length, lines, typing.line.text], [2, [], ""]);
});

test("the first keys of a line are told from those that follow", () => {
  const typing = new Typing();
  assert.deepEqual(
    ["l", "s", "\r", "\r"].map((keys) => typing.input(bytes(keys), shell).isFirst),
    [true, false, false, true],
  );
});

test("another program reads nothing of what was begun before", () => {
  const typing = new Typing();
  typing.input(bytes("cla\u001B[200~pasted"), shell);
  typing.reset({ mayHold: false });
  assert.deepEqual(typing.input(bytes("ls\r"), shell).lines, [{ text: "ls", isKnown: true }]);
  typing.reset({ mayHold: true });
  assert.deepEqual(typing.input(bytes("ls\r"), shell).lines, [{ text: "ls", isKnown: false }]);
});

test("answers and reports of the terminal are not typed", () => {
  assert.deepEqual(
    ["\u001B[?1;2c", "\u001B[I", "\u001B[12;40R\u001B[O"].map((sent) => isTyped(bytes(sent))),
    [false, false, false],
  );
  assert.deepEqual(
    ["a", "\r", "\u001B[A", "\u001B[?1;2cx"].map((sent) => isTyped(bytes(sent))),
    [true, true, true, true],
  );
});

test("Escape in an empty box of an agent writes nothing; a shell may insert a word", () => {
  const isKnown = (isAgent: boolean): boolean | undefined => {
    const typing = new Typing();
    typing.input(bytes("\u001B"), { isSecret: false, isAgent });
    return typing.input(bytes("/exit\r"), { isSecret: false, isAgent }).lines[0]?.isKnown;
  };
  assert.deepEqual([isKnown(true), isKnown(false)], [true, false]);
});

test("the first key behind a program that has ended is the first of a line, also where the line may hold more", () => {
  const typing = new Typing();
  const press = (text: string) => typing.input(new TextEncoder().encode(text), { isSecret: false, isAgent: false });
  typing.reset({ mayHold: true });
  assert.deepEqual([press("e").isFirst, press("c").isFirst, typing.line.isKnown], [true, false, false]);
  press("\r");
  assert.deepEqual([press("\u001B[A").isFirst, press("x").isFirst], [true, false]);
});
