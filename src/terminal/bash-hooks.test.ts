/** What replaces bash's prompts in a running shell, a theme or a readonly variable, ends neither its marks nor the commands that it takes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ActShell } from "../../test/support/act-shell.ts";

const open = async (rc = ""): Promise<ActShell> =>
  await ActShell.start(["bash"], { files: { ".bashrc": rc }, bare: /[#>$] $/ });

/** The output and the exit code of a command that is taken. */
async function run(shell: ActShell, text: string, way: "plain" | "eval"): Promise<[string, string]> {
  const { answer, output, code } = await shell.act(text, { way });
  assert.equal(answer, "taken");
  return [output, code];
}

/** A command whose end may have no mark; the line editor is there again. */
async function change(shell: ActShell, text: string, way: "plain" | "eval" = "eval"): Promise<void> {
  const from = shell.text.length;
  await shell.press(text, { way });
  await shell.until(/;taken;[^]*\u001b\[\?2004l[^]*\u001b\[\?2004h/, from);
}

/** A clock in PS0, and a PS1 that is made at each prompt, as starship does. */
const theme =
  'theirs=$PROMPT_COMMAND; back() { return $1; }; ps() { local s=$?; back $s; eval "$theirs"; PS1="[$s] > "; PS2=".. "; }; ' +
  "PS0='${t:$((t=1)):0}'\"${PS0-}\"; PROMPT_COMMAND=ps";

for (const command of [
  theme,
  'sp(){ PS1="> "; }; PS0="${x:0:0}"; PROMPT_COMMAND=sp',
  'PS0=""; PROMPT_COMMAND=true',
  "unset PROMPT_COMMAND PS1",
  "PROMPT_COMMAND=(true true)",
  "unset PS0 PS1",
  "unset PROMPT_COMMAND PS0",
  "PS0=x; PS2=; PS1='\\w\\n\\$ '",
  "source ~/.bashrc",
  "eval 'PROMPT_COMMAND=; unset PROMPT_COMMAND PS{0..4}'",
  "unset PROMPT_COMMAND PS0; PS1='% '",
]) {
  test(`bash reports exit codes from "${command}" on`, async () => {
    await using shell = await open("PS1='rc \\$ '; PS2='rc> '; PROMPT_COMMAND=': theirs'");
    assert.deepEqual(await run(shell, `${command}; (exit 2)`, "plain"), ["", "2"]);
    for (const way of ["plain", "eval"] as const) {
      assert.deepEqual(await run(shell, "echo one; (exit 3)", way), ["one\n", "3"]);
      assert.deepEqual(await run(shell, "echo $?; (exit 4)", way), ["3\n", "4"]);
    }
    const from = shell.text.length;
    shell.type("echo 'a\r");
    await shell.until(/\u001b\]133;P;k=s/, from);
    assert.equal((await shell.act("echo no")).answer, "more");
    assert.equal((await shell.typed("b'")).output, "a\nb\n");
  });
}

for (const command of [
  "unset PROMPT_COMMAND PS0; PS1='% '",
  "PROMPT_COMMAND=() PS0= PS1='% ' PS2=",
  "unset PROMPT_COMMAND PS{0..4}",
]) {
  test(`bash has all marks again after somebody has typed "${command}", which is itself without an end`, async () => {
    await using shell = await open();
    const from = shell.text.length;
    shell.type(`${command}\r`);
    await shell.until(/133;C[^]*\u001b\[\?2004h/, from);
    assert.deepEqual(await run(shell, 'echo "$?"; (exit 3)', "plain"), ["0\n", "3"]);
    assert.deepEqual(await run(shell, "echo $?; (exit 4)", "plain"), ["3\n", "4"]);
    assert.doesNotMatch((await run(shell, "history", "plain"))[0], /__lectern/);
  });
}

for (const command of [
  "readonly PROMPT_COMMAND=true",
  "PROMPT_COMMAND=0123456789; readonly PROMPT_COMMAND",
  "PROMPT_COMMAND=(); readonly PROMPT_COMMAND PS0 PS1 PS2",
  "readonly PS0='' PS1='fixed> '",
  "unset PROMPT_COMMAND; readonly PROMPT_COMMAND",
  "readonly PS1='fixed> '",
  "PS2=; readonly PS2; PS1='new> '",
]) {
  test(`bash takes commands after "${command}", and prints no error`, async () => {
    await using shell = await open();
    const from = shell.text.length;
    await change(shell, command);
    for (const letter of "abc") {
      await change(shell, `echo ${letter} >>out`, "plain");
      await change(shell, `echo ${letter} >>out`);
    }
    assert.equal(shell.read("out"), "a\na\nb\nb\nc\nc\n");
    assert.doesNotMatch(shell.text.slice(from), /readonly variable|unbound|bad substitution/i);
  });
}

test("bash's prompts show nothing of the marks where they are printed, and end no command", async () => {
  await using shell = await open("PS1='one> ' PS2='two> '");
  const [output, code] = await run(shell, 'printf "<%s|%s>" "$PS1" "$PS2"; (exit 3)', "eval");
  assert.equal(code, "3");
  assert.equal(output.replaceAll(/\u001b\][^\u0007]*\u0007|[\u0001\u0002]/g, ""), "<one> |two> >");
  assert.ok(!output.includes(shell.nonce));
  assert.deepEqual(await run(shell, 'PS1="new $PS1"', "plain"), ["", "0"]);
  assert.deepEqual(await run(shell, "echo yes", "plain"), ["yes\n", "0"]);
  // The line is wrapped where the terminal ends: the editor does not count the marks.
  const from = shell.text.length;
  shell.type("x".repeat(80 - "new one> ".length - 1));
  await shell.until(/x{70}$/, from);
  assert.doesNotMatch(shell.text.slice(from), /\r/);
});

test("what bash reports of a job belongs to no command's output, and what did not run has no start", async () => {
  for (const rc of ["", "PROMPT_COMMAND='true'; PS1='\\u\\n> '", "PS1=\"$(printf '\\\\n')> \""]) {
    await using shell = await open(rc);
    for (const way of ["plain", "eval"] as const) {
      const from = shell.text.length;
      assert.match((await run(shell, "true & echo begun", way))[0], /^\[1\] \d+\nbegun\n$/);
      assert.deepEqual(await run(shell, "while kill -0 $! 2>/dev/null; do :; done; echo over", way), ["over\n", "0"]);
      assert.deepEqual(await run(shell, "true", way), ["", "0"]);
      assert.match(shell.text.slice(from), /133;D;0[^]*\[1\]\+ {2}Done/);
    }
    for (const [skipped, answers] of Object.entries({
      "# comment": ["taken", "skipped"],
      "echo )": ["taken", "skipped"],
      "(exit 3)": ["taken"],
    })) {
      const from = shell.text.length;
      await shell.press(skipped, { way: "plain" });
      await shell.until(/(?:skipped|133;C)[^]*133;B/, from);
      const text = shell.text.slice(from);
      assert.deepEqual(
        [...text.matchAll(/Act=[^;]*;([^;]*)/g)].map(([, answer]) => answer),
        answers,
      );
      assert.equal(text.includes("133;C"), !answers.includes("skipped"));
    }
  }
});
