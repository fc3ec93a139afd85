/** A zsh takes commands from its directory of acts: the widget of `shell/zsh/.zshenv` on a real terminal, without a reader of ours. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACT_KEY, ActShell } from "../../test/support/act-shell.ts";
import { anyCommands, readableCommands } from "../../test/support/any-commands.ts";

const startup = "PS1='z> '\nHISTFILE=~/history HISTSIZE=1000 SAVEHIST=1000\nsetopt incappendhistory\n";
const open = async (rc = ""): Promise<ActShell> =>
  await ActShell.start(["zsh", "-d"], { files: { ".zshrc": `${startup}${rc}` } });

const keymaps: Readonly<Record<string, string>> = {
  emacs: "bindkey -e",
  viins: "bindkey -v",
  vicmd: "bindkey -v\nzle-line-init() { zle -K vicmd }\nzle -N zle-line-init",
  mine: "bindkey -N mine emacs\nbindkey -A mine main",
};

for (const [name, rc] of Object.entries(keymaps)) {
  test(`the keymap ${name} runs exactly the bytes of a command, whatever they are`, async () => {
    await using shell = await open(rc);
    for (const { command, text } of anyCommands("zsh", 1, 20)) {
      const { answer, output, code } = await shell.act(command);
      assert.deepEqual([answer, output, code], ["taken", "", "7"]);
      assert.ok(shell.read("out") === text, JSON.stringify(text));
    }
  });
}

test("a line that a person may read is the line of the shell, and stands in the history as it is", async () => {
  await using shell = await open();
  let lines = "";
  for (const { command, text } of readableCommands("zsh", 1, 30)) {
    const { answer, code } = await shell.act(command, { shown: command.toString() });
    assert.deepEqual([answer, code], ["taken", "0"]);
    assert.ok(shell.read("out") === text, JSON.stringify(text));
    lines += `${command.toString()}\n`;
  }
  await shell.typed("fc -ln 1 >lines");
  assert.equal(Buffer.from(shell.read("lines"), "latin1").toString(), lines);
  assert.doesNotMatch(shell.text, /__lectern_text/);
});

test("a plain line is a typed line; the history and $? are those of one", async () => {
  await using shell = await open();
  assert.deepEqual(await shell.act("(exit 3) | false", { way: "plain" }), { answer: "taken", output: "", code: "1" });
  const { output } = await shell.act("echo $? $pipestatus", { way: "plain" });
  assert.equal(output, "1 3 1\n");
  assert.equal((await shell.act("echo '!' \t$?", { shown: "echo '!'  $?" })).output, "! 0\n");
  assert.equal(shell.read("history"), "(exit 3) | false\necho $? $pipestatus\necho '!' \t$?\n");
});

test("a draft is left as it is, and is told", async () => {
  await using shell = await open();
  shell.type("echo draf\u00c3\u00a9");
  await shell.until(/\u00a9/);
  assert.equal((await shell.act("echo no")).answer, `draft;${Buffer.from("echo drafé").toString("hex")}`);
  assert.equal((await shell.typed("")).output, "draf\u00c3\u00a9\n");
});

test("a line that goes on is left as it is", async () => {
  await using shell = await open();
  shell.type("echo 'a\r");
  await shell.until(/133;P;k=s/);
  assert.equal((await shell.act("echo no")).answer, "more");
  assert.equal((await shell.typed("b'")).output, "a\nb\n");
});

test("an act is taken once, and one that was withdrawn never", async () => {
  await using shell = await open();
  const once = shell.put("echo once >>count");
  shell.type(ACT_KEY.repeat(3));
  await shell.until(new RegExp(`Act=${once};taken[^]*133;C[^]*133;B`));
  await shell.typed("true");
  assert.equal(shell.read("count"), "once\n");
  const id = shell.put("echo twice >>count");
  assert.ok(shell.withdraw(id));
  shell.type(ACT_KEY);
  await shell.typed("true");
  assert.equal(shell.read("count"), "once\n");
});

/** Options and definitions that change what a typed line means, or what a function does. */
const settings = [
  "setopt histverify correctall histignorespace",
  "setopt ksharrays shwordsplit",
  "setopt nounset warncreateglobal",
  "emulate ksh",
  "histchars='$e\"'",
  "readonly histchars='@^#' zshaddhistory_functions HISTFILE",
  "alias -g eval='echo no'",
  "eval() { echo no }; print() { echo no }; printf() { echo no }",
  "zle-line-finish() { [[ $BUFFER == fc* ]] || BUFFER='echo no' }; zle -N zle-line-finish",
  "keymaps=x widgets=y REPLY=z",
];

for (const setting of settings) {
  test(`a command runs as it is, and stands once in the history, after "${setting}"`, async () => {
    await using shell = await open(setting);
    const one = await shell.act("echo 'a!' '^'; (exit 3)", { shown: "echo 'a!'" });
    assert.deepEqual(one, { answer: "taken", output: "a! ^\n", code: "3" });
    const two = await shell.act("echo two $?", { way: "plain" });
    assert.deepEqual(two, { answer: "taken", output: "two 3\n", code: "0" });
    assert.equal((await shell.act("echo 'b!' '^'", { shown: "echo 'b!' '^'" })).output, "b! ^\n");
    const history = "echo 'a!' '^'; (exit 3)\necho two $?\necho 'b!' '^'\n";
    assert.equal((await shell.typed("fc -ln 1")).output, history);
  });
}

test("a hook of the history sees the command, and decides about it", async () => {
  await using shell = await open("zshaddhistory() { print -rn -- $1 >>hooked; [[ $1 != *secret* ]] }");
  await shell.act("echo 'secret!'");
  await shell.act("echo 'other!'");
  assert.equal(shell.read("hooked"), "echo 'secret!'\necho 'other!'\n");
  assert.equal(shell.read("history"), "echo 'other!'\n");
});

/** What was pressed before, and what the key does then; where it is torn, its second press does it. */
const pressed: Readonly<Record<string, readonly [keymap: string, keys: string, ran: string]>> = {
  "an operator of vi": ["bindkey -v", "\u001bd", "ran\n"],
  "a search of vi for a character": ["bindkey -v", "\u001bf", "ran\n"],
  "a count of vi": ["bindkey -v", "\u001b3", "ran\n"],
  "an escape": ["bindkey -e", "\u001b", "ran\n"],
  "Ctrl-X": ["bindkey -e", "\u0018", "ran\n"],
  "Ctrl-V": ["bindkey -e", "\u0016", "ran\n"],
  "Ctrl-V of vi": ["bindkey -v", "\u0016", "ran\n"],
  "a search in the history": ["bindkey -e", "\u0012", "ran\n"],
  "a line of the history": ["bindkey -e", "\u001b[A", ""],
  "an edit inside an edit": ["re() { zle recursive-edit }; zle -N re; bindkey '^T' re", "\u0014", ""],
};

for (const [name, [keymap, keys, ran]] of Object.entries(pressed)) {
  test(`the key runs a command once or not at all behind ${name}`, async () => {
    const leave =
      "leave() { print -n LEFT; zle .send-break }; zle -N leave; bindkey '^Y' leave; bindkey -M vicmd '^Y' leave";
    await using shell = await open(`${keymap}\n${leave}`);
    await shell.typed("true");
    const from = shell.text.length;
    shell.put("echo ran >>ran", { shown: "echo ran >>ran" });
    // Ctrl-C would throw away what nobody has read.
    shell.type(`${keys}${ACT_KEY}${ACT_KEY}\u0019`);
    await shell.until(/LEFT/, from);
    await shell.typed("touch ran");
    assert.equal(shell.read("ran"), ran);
  });
}

test("the editor of a command takes nothing", async () => {
  await using shell = await open();
  for (const [line, prompt] of [
    ["vared -p 'value> ' -c x", "value> "],
    ["select x in a b; do break; done", "\\?# "],
  ] as const) {
    const from = shell.text.length;
    shell.type(`${line}\r`);
    await shell.until(new RegExp(`133;C[^]*${prompt}`), from);
    assert.equal((await shell.act("echo no")).answer, "more");
    const end = shell.text.length;
    shell.type("\u0003");
    await shell.prompt(end);
  }
});

for (const change of ["disable eval", "eval() { touch ran }; builtin() { touch ran }"]) {
  test(`zsh takes nothing where its word would run something else: ${change}`, async () => {
    await using shell = await open();
    await shell.typed(change);
    shell.put("touch ran; true\ntrue");
    shell.type(ACT_KEY);
    assert.equal((await shell.typed("echo end")).output, "end\n");
    assert.ok(!existsSync(join(shell.home, "ran")));
  });
}

for (const names of ["builtin", "builtin print", "builtin print printf"]) {
  test(`no mark of zsh is text where functions are named ${names}, and marks come again without them`, async () => {
    await using shell = await open();
    await shell.act("true");
    const from = shell.text.length;
    shell.type(`${names} () { echo "own $@" }\r`);
    shell.type(`echo one | tr o O; unfunction ${names}\r`);
    await shell.until(/One/, from);
    assert.deepEqual(await shell.typed("echo two"), { answer: "", output: "two\n", code: "0" });
    assert.doesNotMatch(shell.text.slice(from).replaceAll(/\u001b\][^\u0007]*\u0007/g, ""), /n=|own print/);
  });
}

test("a restricted zsh runs commands as they are", async () => {
  await using shell = await open("setopt restricted");
  assert.deepEqual(await shell.act("echo plain", { way: "plain" }), { answer: "taken", output: "plain\n", code: "0" });
  assert.deepEqual(await shell.act("echo 'a!'\n(exit 3)"), { answer: "taken", output: "a!\n", code: "3" });
  assert.doesNotMatch(shell.text, /restricted mode/);
});
