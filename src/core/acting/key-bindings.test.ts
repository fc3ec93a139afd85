import assert from "node:assert/strict";
import { test } from "node:test";
import { keyBindings, quotedKeys } from "./key-bindings.ts";

const keysOf = (text: string, program = "python3"): string[] =>
  keyBindings(text, { program, include: () => null }).map(({ keys }) => keys);

test("macros and commands of characters are found, in either form", () => {
  assert.deepEqual(keysOf(String.raw`"(": "\C-v(\C-v)\C-b"`), ["("]);
  assert.deepEqual(keysOf(String.raw`"\"": "\C-v\"\C-v\"\C-b"`), ['"']);
  assert.deepEqual(keysOf('q: end-of-file\nspace: "x"\n"jk": vi-movement-mode\n"\\x5b": "a"'), ["q", " ", "jk", "["]);
  assert.deepEqual(keysOf(String.raw`"\\": "/"`), ["\\"]);
});

test("the keys that end a line are found where they do something else", () => {
  assert.deepEqual(keysOf(String.raw`"\C-j": menu-complete`), ["\n"]);
  assert.deepEqual(keysOf(String.raw`Control-m: "x"`), ["\r"]);
  assert.deepEqual(keysOf('"\\C-j": accept-line\nReturn: accept-line'), []);
});

test("other keys, settings and the keymap of vi's commands do not matter", () => {
  const text = String.raw`
    set editing-mode vi
    "\e[A": history-search-backward
    Control-p: previous-history
    "\M-(": "x"
    "\C-xq": "y"
    # "(": "z"
    "a": self-insert
    set keymap vi-command
    "k": history-search-backward
    set keymap vi-insert
    ")": "w"`;
  assert.deepEqual(keysOf(text), [")"]);
});

test("conditions on the program are evaluated, and others are taken to be met", () => {
  const text = '$if Bash\n"a": "1"\n$else\n"b": "2"\n$endif\n$if mode=vi\n"c": "3"\n$else\n"d": "4"\n$endif';
  assert.deepEqual(keysOf(text), ["b", "c", "d"]);
  assert.deepEqual(keysOf(text, "bash"), ["a", "c", "d"]);
  assert.deepEqual(keysOf('$if Python\n$if term=xterm\n"e": "5"\n$endif\n$endif'), ["e"]);
});

test("included files are read, up to a depth", () => {
  const include = (path: string): string => `$include ${path}\n"${path}": "x"`;
  assert.deepEqual(
    keyBindings("$include p", { program: "gdb", include }).map(({ keys }) => keys),
    ["p"],
  );
});

test("a later binding replaces an earlier one", () => {
  assert.deepEqual(keysOf('"(": "x"\n"(": self-insert'), []);
});

test("a bound key is typed behind Ctrl-V, and no other is", () => {
  const bindings = keyBindings('"(": "x"\n"if": "y"', { program: "gdb", include: () => null });
  assert.equal(quotedKeys("print(i)", { program: "gdb", enter: "\n", bindings }), "print\u0016(i)");
  assert.equal(quotedKeys("iif(", { program: "gdb", enter: "\n", bindings }), "\u0016i\u0016if\u0016(");
  assert.equal(quotedKeys("f(", { program: "irb", enter: "\n", bindings }), bindings[0]);
  assert.equal(quotedKeys("1 + 1", { program: "gdb", enter: "\n", bindings }), "1 + 1");
});

test("a binding of Ctrl-V or of the end of a line stands against it", () => {
  const read = (text: string) => keyBindings(text, { program: "gdb", include: () => null });
  const bindings = read('"\\C-v": yank\n"(": "x"');
  assert.deepEqual(quotedKeys("f(", { program: "gdb", enter: "\n", bindings }), { keys: "\u0016", action: "yank" });
  assert.equal(quotedKeys("f", { program: "gdb", enter: "\n", bindings }), "f");
  assert.deepEqual(read('"\\C-v": quoted-insert'), []);
  const ends = read("Control-j: menu-complete");
  assert.deepEqual(quotedKeys("f", { program: "gdb", enter: "\n", bindings: ends }), {
    keys: "\n",
    action: "menu-complete",
  });
  assert.equal(quotedKeys("f", { program: "gdb", enter: "\r", bindings: ends }), "f");
});
