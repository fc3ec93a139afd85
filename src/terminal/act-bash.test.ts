/** A bash takes commands from its directory of acts: the widget of `shell/lectern.bash` on a real terminal, without a reader of ours. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACT_KEY, ActShell } from "../../test/support/act-shell.ts";
import { anyCommands } from "../../test/support/any-commands.ts";

interface Settings {
  readonly rc?: string;
  readonly inputrc?: string;
}

const open = async ({ rc = "", inputrc = "" }: Settings = {}): Promise<ActShell> =>
  await ActShell.start(["bash"], { files: { ".bashrc": rc, ".inputrc": inputrc }, bare: /[#>$] $/ });

/** The output and the exit code of a command that is taken. */
async function run(shell: ActShell, text: string, way: "plain" | "eval" = "plain"): Promise<[string, string]> {
  const { answer, output, code } = await shell.act(text, { way });
  assert.equal(answer, "taken");
  return [output, code];
}

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex");

const setUps: Readonly<Record<string, Settings>> = {
  emacs: {},
  "vi insert": { rc: "set -o vi" },
  "vi command": {
    rc: "set -o vi",
    inputrc: "set show-mode-in-prompt on\nset vi-cmd-mode-string (command)\nset keyseq-timeout 20",
  },
  "no paste, key macros": { inputrc: 'set enable-bracketed-paste off\n"e": "XX"\n" ": magic-space\n"\\C-m": "YY"' },
  "a theme and its prompt command": {
    rc: `PROMPT_COMMAND='PS1="\\n\\u in \\w\\n> "; history -a'; PS0='[\${x:0:0}now]\\n'"$PS0"; HISTCONTROL=ignoreboth`,
  },
  "strict options": { rc: "set -euC -o pipefail; IFS=x; LC_ALL=C; shopt -s nocasematch histverify failglob" },
};

for (const [name, settings] of Object.entries(setUps)) {
  test(`bash runs exactly the bytes of a command, whatever they are (${name})`, async () => {
    await using shell = await open(settings);
    for (const { command, text } of anyCommands("bash", 1, 12)) {
      if (name === "vi command") {
        const from = shell.text.length;
        shell.type("\u001b");
        await shell.until(/\(command\)/, from);
      }
      // A failing command ends a shell with errexit, and noclobber keeps the file.
      const safe = Buffer.concat([Buffer.from("rm -f out; "), command, Buffer.from(" || :")]);
      const { answer, output, code } = await shell.act(name === "strict options" ? safe : command);
      assert.deepEqual([answer, output, code], ["taken", "", name === "strict options" ? "0" : "7"]);
      assert.ok(shell.read("out") === text, JSON.stringify(text));
    }
  });
}

test("a draft stays in bash's line as it is, and is never accepted", async () => {
  for (const mode of ["emacs", "vi"]) {
    await using shell = await open({ rc: `set -o ${mode}` });
    await run(shell, "echo before");
    for (const draft of ["touch out", "\u00c3\u00a9", "x".repeat(300), "[7501", " "]) {
      shell.type(draft);
      for (const way of ["plain", "eval"] as const) {
        assert.equal((await shell.act("touch out", { way })).answer, `draft;${hex(draft.slice(0, 256))}`);
      }
      shell.type("\u0015");
    }
    shell.type("\u001b[A");
    assert.equal((await shell.act("touch out")).answer, `draft;${hex("echo before")}`);
    assert.equal((await shell.typed("")).output, "before\n");
    assert.equal(existsSync(join(shell.home, "out")), false);
  }
});

test("a plain command is as a typed one for bash", async () => {
  await using shell = await open({ rc: "alias hi='echo alias'; HISTCONTROL=ignoreboth" });
  assert.deepEqual(await run(shell, "hi there"), ["alias there\n", "0"]);
  assert.deepEqual(await run(shell, "echo $_; (exit 3) | (exit 4)"), ["there\n", "4"]);
  assert.deepEqual(await run(shell, "echo $? ${PIPESTATUS[@]}"), ["4 3 4\n", "0"]);
  assert.deepEqual(await run(shell, "(exit 3) | (exit 5)"), ["", "5"]);
  assert.deepEqual(await run(shell, "echo $? ${PIPESTATUS[@]} $_", "eval"), ["5 3 5 4\n", "0"]);
  assert.deepEqual(await run(shell, "set -x"), ["", "0"]);
  assert.deepEqual(await run(shell, "echo x"), ["+ echo x\nx\n", "0"]);
  assert.deepEqual((await run(shell, "set +x; set -eu; trap 'echo \"D $BASH_COMMAND\"' DEBUG"))[1], "0");
  assert.deepEqual((await run(shell, "echo y"))[0], "D echo y\ny\nD __lectern_look\n");
});

test("bash refuses a command in an open one and in a question of its own", async () => {
  await using shell = await open();
  for (const [begun, rest, wanted] of [
    ["echo 'a", "b'", "a\nb\n"],
    ["cat <<EOF", "$((1+1))\rEOF", "2\n"],
    ["for i in 1 2", "do echo $i; done", "1\n2\n"],
    ["echo \\", "c", "c\n"],
    ["if true; then", "echo d; fi", "d\n"],
    ["echo $(", "echo e)", "e\n"],
  ] as const) {
    const from = shell.text.length;
    shell.type(`${begun}\r`);
    await shell.until(/\u001b\]133;P;k=s/, from);
    for (const way of ["plain", "eval"] as const) {
      assert.equal((await shell.act("echo no", { way })).answer, "more", begun);
    }
    assert.equal((await shell.typed(rest)).output, wanted);
    assert.deepEqual(await run(shell, "echo yes"), ["yes\n", "0"]);
  }
  shell.type("read -ep 'your''name '; echo [$REPLY]\r");
  await shell.until(/yourname /);
  assert.equal((await shell.act("echo no", { way: "plain" })).answer, "more");
  shell.type("me\r");
  await shell.until(/\[me\][^]*\u001b\]133;B/);
  assert.deepEqual(await run(shell, "echo yes"), ["yes\n", "0"]);
});

test("the key in the middle of other keys of bash is its own residue, and is pressed again", async () => {
  await using shell = await open({ inputrc: "set keyseq-timeout 20" });
  for (const before of ["\u001b", "\u0016", "\u0018", "\u001b["]) {
    const from = shell.text.length;
    shell.put(`printf %s '${JSON.stringify(before)}' >out`);
    shell.type(before + ACT_KEY);
    await shell.until(/7501~/, from);
    shell.type(ACT_KEY);
    await shell.until(/\u001b\]133;C[^]*\u001b\]133;D[^]*\u001b\]133;B/, from);
    assert.equal(shell.read("out"), JSON.stringify(before));
  }
  shell.type("\u0012");
  await shell.until(/i-search/);
  assert.deepEqual(await run(shell, "echo searched"), ["searched\n", "0"]);
  const from = shell.text.length;
  shell.type("\u0012sear");
  await shell.until(/sear[^]*r': echo/, from);
  assert.match((await shell.act("echo no")).answer, /^draft;/);
});

test("an operator of vi that waits for its movement is given up, and the draft stays", async () => {
  await using shell = await open({
    rc: "set -o vi",
    inputrc: "set show-mode-in-prompt on\nset vi-cmd-mode-string (command)\nset keyseq-timeout 20",
  });
  const draft = "echo draft";
  for (const pending of ["d", "c", "y", "r", "f", "T", "m", "'", "2d3"]) {
    const from = shell.text.length;
    shell.type("\u001b");
    await shell.until(/\(command\)/, from);
    shell.type(pending);
    assert.deepEqual(await run(shell, "echo yes"), ["yes\n", "0"]);
    const next = shell.text.length;
    shell.type(`${draft}\u001b`);
    await shell.until(/\(command\)/, next);
    shell.type(pending);
    assert.equal((await shell.act("echo no")).answer, `draft;${hex(draft)}`, pending);
    assert.equal((await shell.typed("")).output, "draft\n");
  }
});

test("a command that was taken or withdrawn is not taken by bash, and neither is half a file", async () => {
  await using shell = await open({ rc: "set -o noclobber" });
  assert.ok(shell.withdraw(shell.put("echo >>out")));
  shell.type(ACT_KEY);
  for (const text of ["", "x", "x\0plain", "x\0plain\0\0"]) {
    writeFileSync(join(shell.acts, "act"), text);
    shell.type(ACT_KEY);
  }
  for (const head of ["../x\0plain", `${"x".repeat(33)}\0plain`]) {
    writeFileSync(join(shell.acts, "act"), `${head}\0\0echo >>out`);
    shell.type(ACT_KEY);
  }
  assert.equal((await shell.typed("echo none")).output, "none\n");
  const once = shell.put("echo >>out");
  shell.type(ACT_KEY.repeat(3));
  await shell.until(new RegExp(`Act=${once};taken[^]*133;C[^]*133;B`));
  rmSync(join(shell.acts, "act"));
  shell.type(ACT_KEY);
  assert.equal((await shell.typed("echo end")).output, "end\n");
  assert.equal(shell.read("out"), "\n");
  assert.deepEqual(await run(shell, "[[ -o noclobber ]]; echo $?"), ["0\n", "0"]);
});

test("bash takes each command once, and none that is being withdrawn", async () => {
  await using shell = await open();
  for (const way of ["plain", "eval"] as const) {
    const from = shell.text.length;
    assert.ok(shell.withdraw(shell.put("echo >>out", { way })));
    shell.type(ACT_KEY);
    assert.equal((await shell.typed("echo none")).output, "none\n");
    assert.doesNotMatch(shell.text.slice(from), /Act=[^;]+;/);
    const once = shell.put("echo >>twice", { way });
    shell.type(ACT_KEY.repeat(3));
    await shell.until(new RegExp(`Act=${once};taken[^]*133;C[^]*133;B`), from);
    shell.type(ACT_KEY);
    assert.equal((await shell.typed("echo end")).output, "end\n");
  }
  assert.equal(shell.read("twice"), "\n\n");
  assert.deepEqual(await run(shell, "true"), ["", "0"]);
  // Lectern has said so, and looks for the claim next.
  const id = shell.put("echo >>out", { way: "plain" });
  writeFileSync(join(shell.acts, `${id}.off`), "");
  shell.type(ACT_KEY);
  await shell.until(new RegExp(`Act=${id};skipped`));
  assert.ok(!existsSync(join(shell.home, "out")));
  assert.deepEqual(await run(shell, "echo next"), ["next\n", "0"]);
});

for (const [control, wanted] of Object.entries({
  "": ["echo plain", "echo plain", " echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
  ignoreboth: ["echo plain", "echo 'a\tb!'"],
  ignoredups: ["echo plain", " echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
  erasedups: [" echo 'a\tb!'\n", "echo plain", "echo 'a\tb!'"],
})) {
  test(`bash's history has commands as they were given (HISTCONTROL=${control})`, async () => {
    for (const own of ["", "history -a", "true"]) {
      const rc = `HISTCONTROL=${control}; PROMPT_COMMAND=('${own}' "\${PROMPT_COMMAND[@]}")`;
      await using shell = await open({ rc });
      await run(shell, "echo plain");
      await run(shell, "echo plain");
      await run(shell, " echo 'a\tb!'\n", "eval");
      await run(shell, "echo plain");
      await run(shell, "echo 'a\tb!'", "eval");
      const [list] = await run(shell, "history | sed 's/^ *[0-9]*  //'");
      assert.ok(list.startsWith([...wanted, ""].join("\n")), JSON.stringify(list));
    }
  });
}

for (const change of ['builtin() { echo own "$@"; }', "enable -n eval", "enable -n builtin"]) {
  test(`bash takes nothing where its word would run something else: ${change}`, async () => {
    await using shell = await open();
    await shell.typed(change);
    shell.put("touch out", { way: "eval" });
    shell.type(ACT_KEY);
    assert.equal((await shell.typed("echo end")).output, "end\n");
    assert.ok(!existsSync(join(shell.home, "out")));
  });
}
