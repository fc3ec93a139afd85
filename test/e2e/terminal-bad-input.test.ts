/** Programs that do not behave: a result that says what happened, with all that was read. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { LecternError } from "../../src/core/errors.ts";
import { aTurn } from "../pty-run.ts";
import { until } from "../support/until.ts";
import { Home, plainBash, type Command } from "../terminal-support.ts";

test("a command that does not exist is an error of openTerminal, and exit code 127 of a shell", async () => {
  using home = new Home();
  await assert.rejects(
    home.open("no-such-program-here"),
    (error) => error instanceof LecternError && error.code === "COMMAND_NOT_FOUND",
  );
  await using terminal = await home.open(plainBash);
  const { output, exitCode, ended } = await terminal.run("no-such-program-here");
  assert.match(output, /command not found/);
  assert.deepEqual({ exitCode, ended }, { exitCode: 127, ended: true });
});

test("output without end is cut to head and tail, with the count and the hash of what there was, and Ctrl-C ends it", async () => {
  using home = new Home();
  const blobDirectory = join(home.directory, "blobs");
  await using terminal = await home.open(plainBash, { blobDirectory });
  const run = async () => await terminal.run("yes", { timeoutMs: 500, maxOutputBytes: 10_000 });
  await terminal.readUntilReady();
  let flood = await run();
  // The shell had no processor for the whole time.
  for (let more = 0; more < 20 && flood.omitted === null; more++) {
    await terminal.sendCtrlC();
    await terminal.readUntilReady();
    flood = await run();
  }
  assert.equal(flood.reason, "timeout");
  assert.equal(flood.ended, false);
  assert.ok(flood.output.length < 12_000);
  assert.match(flood.output, /^y\ny\n[^]*\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n[^]*y\n/);
  assert.ok(flood.omitted !== null);
  const whole = readFileSync(flood.omitted.path!);
  assert.equal(whole.length, flood.omitted.totalBytes);
  assert.equal(createHash("sha256").update(whole).digest("hex"), flood.omitted.sha256);
  await terminal.sendCtrlC();
  assert.equal((await terminal.readUntilReady()).reason, "mark");
  assert.equal((await terminal.run("echo after")).output, "after\n");
});

test("a shell that was held up because nobody read its output comes to its prompt with the next command", async () => {
  using home = new Home();
  await using shell = await home.open(plainBash);
  await shell.run("true");
  await shell.write("head -c 6000000 /dev/zero | tr '\\0' x; echo; echo over\n");
  await until(() => shell.getHistory().length >= 4 * 1024 * 1024);
  const { ran, output, exitCode } = await shell.run("echo next", { timeoutMs: 60_000 });
  assert.deepEqual([ran, output, exitCode], [true, "next\n", 0]);
  assert.match(shell.getHistory(), /xover\n|x\nover\n/);
});

test("an output at its limit is whole, and one byte more is cut", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const whole = await terminal.run("head -c 1000 /dev/zero | tr '\\0' x", { maxOutputBytes: 1000 });
  assert.deepEqual([whole.output, whole.omitted], ["x".repeat(1000), null]);
  const cut = await terminal.run("head -c 1001 /dev/zero | tr '\\0' x", { maxOutputBytes: 1000 });
  assert.equal(cut.omitted?.bytes, 1);
  assert.equal(cut.omitted.path, null);
});

test("a program that closes its terminal is busy until the time is over", async () => {
  using home = new Home();
  await using terminal = await home.open(["bash", "-c", "echo bye; exec <&- >&- 2>&-; sleep 100"]);
  await until(() => terminal.getHistory() === "bye\n");
  const { text, reason, exit } = await terminal.readUntilReady({ timeoutMs: 3000 });
  assert.deepEqual({ text, reason, exit }, { text: "bye\n", reason: "timeout", exit: null });
});

test("a program that stops itself is seen to be stopped, long before the time is over", async () => {
  using home = new Home();
  await using terminal = await home.open(["bash", "-c", "echo before; kill -STOP $$; echo after"]);
  const { text, reason, asks, foreground } = await terminal.readUntilReady();
  assert.deepEqual({ text, reason, asks }, { text: "before\n", reason: "foreground", asks: null });
  assert.equal(foreground?.verdict, "stopped");
});

test("a command that stops itself gives the prompt back", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const { exitCode, output, ended } = await terminal.run("sh -c 'kill -TSTP $$; echo no'");
  assert.deepEqual({ exitCode, ended }, { exitCode: 148, ended: true });
  assert.match(output, /Stopped/);
});

test("a command that forks to the background ends at once, and what its child prints later is not in its output", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.run("mkfifo fifo");
  const { output, ended } = await terminal.run("(read -r _ <fifo; echo late) & echo now");
  assert.ok(ended);
  assert.match(output, /^now$/m);
  assert.doesNotMatch(output, /late/);
  assert.match((await terminal.run("echo go >fifo; wait")).output, /late/);
});

test("a program that forks and exits ends the terminal with its own status", async () => {
  using home = new Home();
  await using terminal = await home.open(["bash", "-c", "sleep 100 >/dev/null 2>&1 </dev/null & echo gone; exit 4"]);
  const { text, reason, exit } = await terminal.readUntilReady();
  assert.match(text, /gone/);
  assert.deepEqual({ reason, exit }, { reason: "exit", exit: { reason: "exited", code: 4, signal: null } });
});

test("a command that puts the terminal into raw mode and waits asks for keys", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const waiting = await terminal.run(
    "stty raw -echo; printf 'key? '; dd bs=1 count=1 2>/dev/null; stty sane; echo; echo done",
  );
  assert.deepEqual([waiting.reason, waiting.asks, waiting.ended], ["foreground", "keys", false]);
  assert.equal(waiting.output, "key? ");
  await terminal.write("q");
  assert.equal((await terminal.readUntilReady()).reason, "mark");
});

test("8-bit garbage comes through byte by byte, and as replacement characters in the text", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const garbage = String.raw`printf '\200\233\235\377\033P\001x'`;
  const { bytes, output, exitCode, exact } = await terminal.run(garbage);
  assert.equal(Buffer.from(bytes).toString("latin1"), "\u0080\u009b\u009d\u00ff\u001bP\u0001x");
  assert.match(output, /\uFFFD/);
  assert.deepEqual([exitCode, exact], [0, true]);
  assert.equal((await terminal.run("echo fine")).output, "fine\n");
});

test("a password is asked for, and told from a prompt; nothing is typed into it", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const asking = await terminal.run("read -r -s -p '[sudo] password for ann: ' x; echo; echo got ${#x}");
  assert.deepEqual([asking.reason, asking.asks, asking.ended], ["foreground", "password", false]);
  assert.equal(asking.output, "[sudo] password for ann: ");
  const refused = await terminal.run("echo oops");
  assert.deepEqual([refused.ran, refused.asks], [false, "password"]);
  const done = await terminal.sendAndReadUntilReady("secret");
  assert.equal(done.reason, "mark");
  assert.match(done.text, /got 6/);
  assert.doesNotMatch(terminal.getHistory(), /secret/);
});

test("a question for a line is told from a prompt, and a command is not typed into it unless that is wanted", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const asking = await terminal.run(`/usr/bin/python3 -c 'print("answer", input("Delete all? "))'`);
  assert.deepEqual([asking.reason, asking.asks, asking.output], ["foreground", "line", "Delete all? "]);
  const refused = await terminal.run("no");
  assert.equal(refused.ran, false);
  const answered = await terminal.run("no", { inside: true });
  assert.equal(answered.asks, "command");
});

test("a question of the shell itself, and of a script that it runs, is no prompt: nothing is typed into it", async () => {
  using home = new Home({ ".zshrc": "PS1='z> '" });
  const questions: readonly (readonly [Command, string])[] = [
    [plainBash, "read -p 'name? ' x"],
    [plainBash, "read -n 1 -p 'sure? ' x"],
    [plainBash, "select x in one two; do break; done"],
    [plainBash, "bash -c 'read -p name? x'"],
    ["zsh", "read 'x?name? '"],
    ["zsh", "read -q 'x?sure? '"],
  ];
  for (const [command, question] of questions) {
    await using terminal = await home.open(command);
    assert.equal((await terminal.run(question)).ended, false, question);
    const { ran, reason } = await terminal.run("echo oops");
    assert.deepEqual({ ran, reason }, { ran: false, reason: "foreground" }, question);
    assert.doesNotMatch(terminal.getHistory(), /oops/, question);
    await terminal.sendCtrlC();
    assert.equal((await terminal.readUntilReady()).reason, "mark", question);
    assert.equal((await terminal.run("echo back")).output, "back\n", question);
  }
});

test("less and vim are on the whole screen: their keys are asked for, and no command is typed into them", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  for (const [command, quit] of [
    ["seq 1 500 | less", "q"],
    ["vim -u NONE -N", ":q!\n"],
  ] as const) {
    const opened = await terminal.run(command);
    assert.deepEqual([opened.reason, opened.asks, opened.ended], ["foreground", "keys", false], command);
    assert.equal((await terminal.run("echo x", { inside: true })).ran, false);
    await terminal.write(quit);
    assert.equal((await terminal.readUntilReady()).reason, "mark", command);
  }
  assert.equal((await terminal.run("echo back")).output, "back\n");
});

test("a shell without marks inside of the shell is driven by the kernel's word, as over ssh", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const nested = await terminal.run("env -i sh -i");
  assert.deepEqual([nested.reason, nested.ended], ["foreground", false]);
  for (let index = 0; index < 10; index++) {
    const inner = await terminal.run(`echo inner ${index}`);
    assert.deepEqual([inner.output, inner.exact, inner.reason], [`inner ${index}\n`, false, "foreground"]);
  }
  await terminal.run("exit");
  const outer = await terminal.run("echo outer");
  assert.deepEqual([outer.output, outer.exact, outer.exitCode], ["outer\n", true, 0]);
});

test("marks survive exec, nested shells, replaced prompts and replaced prompt commands", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const check = async (word: string): Promise<void> => {
    const { output, exitCode, exact } = await terminal.run(`echo ${word}; (exit 3)`);
    assert.deepEqual([output, exitCode, exact], [`${word}\n`, 3, true], word);
  };
  for (const change of [
    "PS1='> '",
    "PROMPT_COMMAND='echo -n title'",
    "PROMPT_COMMAND=(); PS1='new$ '",
    "unset PROMPT_COMMAND",
    "set -u; set -o vi",
    "exec bash --norc",
    "bash --norc",
    "trap 'true' DEBUG",
    "cd /; PS1='\\w\\n\\$ '",
  ]) {
    await terminal.run(change);
    await check("a");
    await check("b");
  }
});

test("start-up files run as they always do, also those of login shells", async () => {
  using home = new Home({
    ".bashrc": "echo from bashrc; x=1",
    ".bash_profile": "echo from profile; x=2",
    ".zshenv": "echo from zshenv; x=3",
    ".zshrc": "echo from zshrc; PS1='z> '",
  });
  await using plain = await home.open("bash");
  assert.match((await plain.readUntilReady()).text, /^from bashrc\n/);
  await using login = await home.open(["bash", "--login"]);
  assert.match((await login.readUntilReady()).text, /from profile\n/);
  assert.equal((await login.run("echo $x; shopt login_shell")).output, "2\nlogin_shell    \ton\n");
  await using zsh = await home.open("zsh");
  assert.match((await zsh.readUntilReady()).text, /from zshenv\nfrom zshrc\n/);
  assert.equal((await zsh.run('echo "$x [$ZDOTDIR] [$LECTERN_MARK]"')).output, "3 [] []\n");
  await using fish = await home.open("fish");
  assert.equal((await fish.run('echo "[$XDG_DATA_DIRS] [$LECTERN_MARK]"')).output, "[] []\n");
});

test("a terminal inside of the terminal gets no marks", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const inner = `script -qec 'bash --norc -i' /dev/null <<< $'echo one\\necho two\\nexit\\n'`;
  const { bytes } = await terminal.run(inner);
  const text = Buffer.from(bytes).toString("latin1");
  assert.match(text, /two/);
  // It inherits the prompt, whose marks count with the nonce only.
  assert.doesNotMatch(text, /133;[ABD][^\u0007]*n=/);
});

test("an incomplete command is seen to be incomplete, and the rest completes it", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  const begun = await terminal.run("for i in 1 2; do");
  assert.deepEqual([begun.reason, begun.asks, begun.ended], ["mark", "more", false]);
  assert.match((await terminal.sendAndReadUntilReady("echo $i; done")).text, /1\n2\n/);
  assert.equal((await terminal.run("echo ok")).output, "ok\n");
});

test("an aborted run leaves the command running, and the terminal usable", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.readUntilReady();
  const abort = new AbortController();
  const running = terminal.run("sh -c 'echo begun; exec sleep 100'", { signal: abort.signal });
  const refused = assert.rejects(running, (error) => error instanceof LecternError && error.code === "CANCELLED");
  await until(() => terminal.getHistory().includes("\nbegun\n"));
  abort.abort();
  await refused;
  await terminal.sendCtrlC();
  assert.equal((await terminal.readUntilReady()).reason, "mark");
  assert.equal((await terminal.run("echo ok")).output, "ok\n");
});

test("a run that is aborted before its command was typed types nothing", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.readUntilReady();
  const nothingTyped = { code: "CANCELLED", message: /nothing was typed/ };
  await assert.rejects(terminal.run("echo oops", { signal: AbortSignal.abort() }), nothingTyped);
  await terminal.write("sh -c 'echo begun; exec sleep 100'\n");
  await until(() => terminal.getHistory().includes("\nbegun\n"));
  const abort = new AbortController();
  const waiting = assert.rejects(terminal.run("echo oops", { signal: abort.signal }), nothingTyped);
  await aTurn();
  abort.abort();
  await waiting;
  await terminal.sendCtrlC();
  assert.equal((await terminal.readUntilReady()).reason, "mark");
  assert.equal((await terminal.run("echo ok")).output, "ok\n");
  assert.doesNotMatch(terminal.getHistory(), /oops/);
});

test("without the kernel's word marks and markers decide: the fallback backend", async () => {
  using home = new Home();
  await using shell = await home.open(plainBash, { backend: "node-pty" });
  const { output, exitCode, reason } = await shell.run("sleep 0.3; echo late; (exit 5)");
  assert.deepEqual([output, exitCode, reason], ["late\n", 5, "mark"]);
  assert.equal((await shell.run("")).output, "");
  await using python = await home.open(["/usr/bin/python3", "-q"], { backend: "node-pty", readyMarkers: [">>> "] });
  const product = await python.run("print(6 * 7)");
  assert.deepEqual([product.output, product.reason], ["42\n", "marker"]);
});
