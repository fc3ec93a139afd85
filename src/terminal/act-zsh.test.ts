/** A zsh takes commands from its directory of acts: the widget of `shell/zsh/.zshenv` on a real terminal, without a reader of ours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACT_KEY, ActShell } from "../../test/support/act-shell.ts";
import { anyCommands } from "../../test/support/any-commands.ts";

const startup = "PS1='z> '\nHISTFILE=~/history HISTSIZE=1000 SAVEHIST=1000\nsetopt incappendhistory\n";
const open = async (rc = ""): Promise<ActShell> =>
  await ActShell.start(["zsh", "-d"], { files: { ".zshrc": `${startup}${rc}` } });

const keymaps: Readonly<Record<string, { rc: string; before?: string }>> = {
  emacs: { rc: "bindkey -e" },
  "vi insert": { rc: "bindkey -v" },
  "vi command": { rc: "bindkey -v\nzle-line-init() { zle -K vicmd }\nzle -N zle-line-init" },
  "of the user's own": { rc: "bindkey -N mine emacs\nbindkey -A mine main" },
};

for (const [name, { rc }] of Object.entries(keymaps)) {
  test(`the keymap ${name} runs exactly the bytes of a command, whatever they are`, async () => {
    await using shell = await open(rc);
    for (const { command, text } of anyCommands("zsh", 1, 20)) {
      const { answer, output, code } = await shell.act(command);
      assert.deepEqual([answer, output, code], ["taken", "", "7"]);
      assert.ok(shell.read("out") === text, JSON.stringify(text));
    }
  });
}

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
  shell.put("echo once >>count");
  shell.type(ACT_KEY.repeat(3));
  await shell.typed("true");
  assert.equal(shell.read("count"), "once\n");
  const id = shell.put("echo twice >>count");
  assert.ok(shell.withdraw(id));
  shell.type(ACT_KEY);
  await shell.typed("true");
  assert.equal(shell.read("count"), "once\n");
});
