/** A fish takes commands from its directory of acts: the widget of `lectern.fish` on a real terminal, without a reader of ours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACT_KEY, ActShell, type ActResult } from "../../test/support/act-shell.ts";
import { anyCommands, readableCommands } from "../../test/support/any-commands.ts";

const open = async (config = ""): Promise<ActShell> =>
  await ActShell.start(["fish"], { files: { ".config/fish/config.fish": `set fish_greeting\n${config}` } });

/** fish sets the title of the terminal and its colours behind the mark. */
const own = /\u001b\[[\d;?]*[a-zA-Z]|\u001b\]0;[^\u0007]*\u0007|\u001b\(B|\r/g;
const seen = ({ answer, output, code }: ActResult): readonly string[] => [answer, output.replaceAll(own, ""), code];

for (const [name, mode] of [
  ["emacs", "default"],
  ["vi", "insert"],
  ["vi", "default"],
] as const) {
  test(`the mode ${mode} of ${name} runs exactly the bytes of a command, whatever they are`, async () => {
    await using shell = await open(name === "vi" ? "fish_vi_key_bindings" : "");
    if (name === "vi" && mode === "default") {
      shell.type("\u001b");
      await shell.until(/\[N\]/);
    }
    assert.equal(seen(await shell.act("echo $fish_bind_mode"))[1], `${mode}\n`);
    for (const { command, text } of anyCommands("fish", 1, 20)) {
      assert.deepEqual(seen(await shell.act(command)), ["taken", "", "7"]);
      assert.ok(shell.read("out") === text, JSON.stringify(text));
    }
  });
}

test("what a person may read is the line of the shell, and stands in the history as it is", async () => {
  await using shell = await open("abbr -a --position anywhere -- printf NO");
  for (const { command, text } of readableCommands("fish", 1, 30)) {
    assert.deepEqual(seen(await shell.act(command, { shown: command.toString() })), ["taken", "", "0"]);
    assert.ok(shell.read("out") === text, JSON.stringify(text));
  }
  const lines = "for x in a b\n  echo $x!\nend";
  assert.deepEqual(seen(await shell.act(lines, { shown: lines })), ["taken", "a!\nb!\n", "0"]);
  assert.equal(seen(await shell.typed("history | head -3"))[1], `${lines}\n`);
  assert.doesNotMatch(shell.text, /__lectern_text/);
});

test("a plain line is a typed line; no abbreviation is expanded in it, and $status is that of one", async () => {
  await using shell = await open("abbr -a -- false true; abbr -a -- eval true");
  assert.deepEqual(seen(await shell.act("sh -c 'exit 3' | false", { way: "plain" })), ["taken", "", "1"]);
  assert.deepEqual(seen(await shell.act("echo $status $pipestatus", { way: "plain" })), ["taken", "1 3 1\n", "0"]);
  assert.deepEqual(seen(await shell.act("false", { way: "plain" })), ["taken", "", "1"]);
  assert.deepEqual(seen(await shell.act("echo '!' \t$status", { shown: "echo '!'  $status" })), [
    "taken",
    "! 1\n",
    "0",
  ]);
  const history = ["false", "echo $status $pipestatus", "sh -c 'exit 3' | false", ""];
  assert.deepEqual(seen(await shell.typed("history")), ["", history.join("\n"), "0"]);
});

test("fish has its marks again behind the command that has erased their functions", async () => {
  await using shell = await open();
  await shell.press("functions -e __lectern_preexec __lectern_postexec __lectern_wrap", { way: "plain" });
  await shell.until(/taken;[^]*133;B/);
  assert.deepEqual(seen(await shell.act("sh -c 'exit 3'", { way: "plain" })), ["taken", "", "3"]);
  assert.deepEqual(seen(await shell.act("echo 'a!'")), ["taken", "a!\n", "0"]);
});

test("a draft is left as it is, and is told", async () => {
  await using shell = await open();
  shell.type("echo draf\u00c3\u00a9");
  await shell.until(/\u00a9/);
  assert.equal((await shell.act("echo no")).answer, `draft;${Buffer.from("echo drafé").toString("hex")}`);
  assert.deepEqual(seen(await shell.typed("")), ["", "draf\u00c3\u00a9\n", "0"]);
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
