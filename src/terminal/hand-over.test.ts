import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { HandOver } from "./hand-over.ts";
import { until } from "../../test/support/until.ts";
import { openTerminal } from "./open-terminal.ts";
import { TemporaryDirectory } from "./temporary-directory.ts";

test("a key that another one has torn is pressed again: after Escape, Ctrl-X and Ctrl-V the command runs alone", async () => {
  await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
  await terminal.run("set -o emacs");
  for (const key of ["\u001b", "\u0018", "\u0016"]) {
    await terminal.write(key);
    const { output, exitCode } = await terminal.run("echo alone; (exit 3)");
    assert.deepEqual([output, exitCode], ["alone\n", 3], JSON.stringify(key));
  }
});

test("a command is withdrawn where the shell does not answer, and leaves no text of it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-hand-over-"));
  const terminal = { source: {}, state: { lastLine: "$ " } };
  try {
    const handOver = new HandOver(directory, "secret words", terminal);
    const running = handOver.run(async () => handOver.end());
    await assert.rejects(running, /the shell did not answer.*; nothing was run$/);
    assert.deepEqual(readdirSync(directory).toSorted(), [`${handOver.id}.claim`, `${handOver.id}.off`]);
    // The key may have been typed although nobody said so.
    const lost = new HandOver(directory, "ls", terminal);
    await assert.rejects(
      lost.run(() => Promise.reject(new Error("the connection broke"))),
      /connection broke/,
    );
    assert.ok(existsSync(join(directory, `${lost.id}.claim`)));
    const later = new HandOver(directory, "ls", terminal);
    const answered = later.run(async () => {
      later.feed(new Uint8Array(0), [{ type: "act", id: later.id, answer: "version", version: "1", index: 0 }]);
    });
    await assert.rejects(answered, /version 1 of Lectern's shell integration.*start a new session; nothing was run$/);
    const cancelled = new HandOver(directory, "ls", terminal).run(async () => {}, AbortSignal.abort());
    await assert.rejects(cancelled, { code: "CANCELLED" });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a command that Ctrl-C interrupts between bash's claim and its answer is not run, and reported as that", async () => {
  await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
  using directory = new TemporaryDirectory();
  const [slow, ran] = [join(directory.path, "slow"), join(directory.path, "ran")];
  // The file is made by the program, for bash drops a Ctrl-C that comes while it starts one.
  await terminal.run(
    `printf() { [[ $* != *Act=* ]] || { unset -f printf; sh -c ': > ${slow}; exec sleep 600'; }; builtin printf "$@"; }`,
  );
  const refused = assert.rejects(terminal.run(`echo ran > ${ran}`), /the shell was interrupted.*; nothing was run$/);
  await until(() => existsSync(slow));
  await terminal.sendCtrlC();
  await refused;
  assert.ok(!existsSync(ran));
  assert.equal((await terminal.run("echo next")).output, "next\n");
});

test("an unfinished command is one that bash has taken, and asks for more", async () => {
  await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
  const { ran, ended, asks } = await terminal.run("echo 'a");
  assert.deepEqual([ran, ended, asks], [true, false, "more"]);
});

test("a shell that has lost the key or the widget is told at once, and its line is left empty", async () => {
  for (const [removal, why] of [
    [String.raw`bind -r '\e[7501~'`, /no binding for the key.*; nothing was run$/],
    ["unset -f __lectern_take", /a function of Lectern's shell integration .* was removed; nothing was run$/],
  ] as const) {
    await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
    await terminal.run(removal);
    await assert.rejects(terminal.run("echo no"), why);
    assert.match((await terminal.sendAndReadUntilReady("echo yes")).text, /^yes$/m, removal);
  }
});

test("a command runs, once, also where bash has lost the key that accepts its line", async () => {
  for (const mode of ["emacs", "vi"]) {
    await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
    // That of the user is read, too.
    await terminal.run(`set -o ${mode}; history -c`);
    for (const command of ["echo plain; (exit 3)", "printf 'a\tb\n'; (exit 3)"]) {
      await terminal.run(String.raw`bind -r '\e[7503~'`);
      const { output, exitCode } = await terminal.run(command);
      assert.deepEqual([output, exitCode], [command.startsWith("echo") ? "plain\n" : "a\tb\n", 3], mode);
    }
    const { output } = await terminal.run("history");
    assert.equal(output.match(/ printf/g)?.length, 1);
    await terminal.run(String.raw`bind -r '\e[7503~'; unset -f __lectern_otherwise`);
    await assert.rejects(
      terminal.run("echo no"),
      /does not enter the command, which is left in the line.*; nothing was run$/,
    );
  }
});

test("a shell that edits a line within a command has not ended it, although its prompt looks like one for more", async () => {
  for (const [shell, command] of [
    ["bash", "read -e -p '> ' x; echo got $x"],
    ["bash", "f() { local x; read -ep 'in> ' x; echo got $x; }; f"],
    ["zsh", "x=; vared -p '> ' x; echo got $x"],
    ["fish", "read -P '> ' x; echo got $x"],
    ["bash", "read -e -p '$ ' x; echo got $x"],
    ["zsh", "x=; vared -p '%% ' x; echo got $x"],
    ["fish", "read -P '# ' x; echo got $x"],
  ] as const) {
    await using terminal = await openTerminal([shell]);
    const { ended } = await terminal.run(command);
    assert.equal(ended, false, command);
    // Its own line is not the place for another command.
    assert.equal((await terminal.run("echo not-here")).ran, false, command);
    assert.match((await terminal.sendAndReadUntilReady("words")).text, /got words/, command);
    assert.equal((await terminal.run("echo next")).output, "next\n", command);
  }
});

test("a shell in the place of the one with the widget shows nothing of the key", async () => {
  await using terminal = await openTerminal(["bash"]);
  assert.equal((await terminal.run("export PS1='> '; exec bash --norc")).ended, true);
  const { exact, exitCode, output } = await terminal.run("echo one; (exit 3)");
  assert.deepEqual([output, exitCode, exact], ["one\n", 3, true]);
  assert.equal((await terminal.run("read -e -p '$ ' x")).ended, false);
});

test("a command that takes all hooks of its shell away has ended at the next prompt, with an unknown exit code", async () => {
  const removals = {
    bash: "off() { unset PS0 PROMPT_COMMAND; PS1='$ '; echo off; }",
    zsh: "off() { precmd_functions=() preexec_functions=(); unset PROMPT_EOL_MARK; zle -D zle-line-init; echo off }",
    fish: "function off; functions -e __lectern_preexec __lectern_postexec __lectern_wrap fish_prompt; function fish_prompt; echo '> '; end; echo off; end",
  };
  for (const [shell, removal] of Object.entries(removals)) {
    await using terminal = await openTerminal([shell]);
    await terminal.run(removal);
    const { ended, asks, exitCode, output, exact } = await terminal.run("off");
    assert.deepEqual([ended, asks, exitCode, output, exact], [true, "command", null, "off\n", false], shell);
    assert.equal((await terminal.run("echo next")).output, "next\n", shell);
  }
});

test("a shell inside of a shell is at a prompt, and its command has not ended", async () => {
  await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
  const { ended } = await terminal.run("bash --norc --noprofile");
  assert.equal(ended, false);
});

const untilGone = "sh -c 'while kill -0 $0 2>/dev/null; do sleep 0.01; done; echo gone'";

test("what a shell says of a job that ends behind another program is no output of that program", async () => {
  for (const [shell, pid] of [
    ["bash", "$!"],
    ["zsh", "$!"],
    ["fish", "$last_pid"],
  ] as const) {
    await using terminal = await openTerminal([shell]);
    await terminal.run("sleep 0.1 &");
    const { output, bytes, exact } = await terminal.run(`${untilGone} ${pid}; printf x`);
    assert.deepEqual([output, exact], ["gone\nx", true], shell);
    assert.doesNotMatch(Buffer.from(bytes).toString(), /sleep/);
    assert.match(terminal.getHistory(), /(?:[Dd]one {2}.*sleep 0\.1|Job 1, 'sleep 0\.1 &' has ended)/, shell);
  }
});

test("a command that asks for the jobs gets all that bash says of them", async () => {
  await using terminal = await openTerminal(["bash", "--norc", "--noprofile"]);
  await terminal.run("sleep 600 &");
  assert.match((await terminal.run(`kill $!; ${untilGone} $!; jobs`)).output, /Terminated +sleep 600/);
});
