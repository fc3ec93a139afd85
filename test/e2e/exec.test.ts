/** Commands in sessions of a real daemon: over the command line, and by a terminal that is attached. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { attachTerminal } from "../../src/terminal/attach-terminal.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

/** bash without start-up files: its prompt is the one of the environment. */
const bash = ["bash", "--norc", "--noprofile"];
/** Says itself that it has the terminal: bash loses a Ctrl-C between its own `echo` and the start of the next command. */
const hangs = "sh -c 'echo begun; exec sleep 100'";
/** One daemon for all: to start one takes longer than all the rest. */
const home = await new SharedHome().empty();

test("lectern exec gives the exact output and the exit code of a command in a session", async () => {
  await home.ok("run", "-d", "--name", "work0", "--", ...bash);
  assert.equal(await home.ok("exec", "work0", "--", "echo hello"), "hello\n");
  assert.equal(await home.ok("exec", "work0", "--", "printf", "'no end'"), "no end");
  assert.equal(await home.ok("exec", "work0", "--", "echo a\necho b"), "a\nb\n");
  assert.deepEqual(await home.run(["exec", "work0", "--", "sh -c 'exit 7'"]), { code: 7, stdout: "", stderr: "" });
  const { output, exitCode, exact, ended, reason } = JSON.parse(
    await home.ok("exec", "work0", "--json", "--", "cd /; pwd"),
  ) as Record<string, unknown>;
  assert.deepEqual(
    { output, exitCode, exact, ended, reason },
    { output: "/\n", exitCode: 0, exact: true, ended: true, reason: "mark" },
  );
  assert.equal(await home.ok("exec", "work0", "--", "pwd"), "/\n");
});

test("the whole of a cut output is fetched by its hash, with the bytes that were counted", async () => {
  await home.ok("run", "-d", "--name", "flood", "--", ...bash);
  const cut = await home.run(["exec", "flood", "--max-bytes", "1000", "--", "seq 5000"]);
  assert.equal(cut.code, 0);
  const [, hint = ""] =
    /27893 of 28893 bytes were omitted .*"lectern (blob [0-9a-f]{16})" prints all of it/.exec(cut.stderr) ?? [];
  assert.notEqual(hint, "", cut.stderr);
  const whole = await home.ok(...hint.split(" "));
  assert.equal(whole, Array.from({ length: 5000 }, (_, index) => `${index + 1}\r\n`).join(""));
  await using terminal = await attachTerminal(home.client, "flood");
  const { omitted } = await terminal.run("seq 5000", { maxOutputBytes: 1000 });
  const sha256 = createHash("sha256").update(whole).digest("hex");
  assert.deepEqual(omitted, { bytes: 27_893, totalBytes: 28_893, sha256, kept: true, path: null });
});

test("commands that are given at once run one after the other, and one that waits can be taken back or has its time", async () => {
  await home.ok("run", "-d", "--name", "queue", "--", ...bash);
  const exec = (command: string, more: object = {}) =>
    home.client.call("sessions.exec", { session: "queue", command, timeoutMs: 90_000, ...more });
  const ran = await Promise.all(Array.from({ length: 6 }, (_, index) => exec(`echo $((ran += 1)) for ${index}`)));
  assert.deepEqual(
    ran.map(({ output, exitCode }) => [output, exitCode]),
    Array.from({ length: 6 }, (_, index) => [`${index + 1} for ${index}\n`, 0]),
  );
  const long = exec(hangs, { key: "long" });
  await home.ok("wait", "queue", "--for", "output:begun", "--from", "0");
  const cancelled = assert.rejects(exec("touch never", { key: "waits" }), { code: "CANCELLED" });
  const late = exec("touch never", { timeoutMs: 100 });
  await assert.rejects(late, { code: "CONFLICT", message: /another command has been running .*nothing was typed/ });
  const abort = (key: string) => home.client.call("sessions.abort", { session: "queue", key });
  assert.deepEqual(await abort("waits"), { outcome: "not-typed" });
  await cancelled;
  assert.deepEqual(await abort("long"), { outcome: "interrupted" });
  assert.equal((await long).exitCode, 130);
  assert.equal((await exec("ls never 2>/dev/null; echo $ran")).output, "6\n");
});

test("the first command of a shell that takes a second to start it has its output and its exit code", async () => {
  const file = join(home.directory, "slow.bashrc");
  writeFileSync(file, "PS0='$(sleep 1)'\n");
  await home.ok("run", "-d", "--name", "starts", "--", "bash", "--noprofile", "--rcfile", file);
  assert.deepEqual(await home.run(["exec", "starts", "--", "echo x; false"]), { code: 1, stdout: "x\n", stderr: "" });
});

test("lectern exec does not run what somebody has typed and not entered", async () => {
  await home.ok("run", "-d", "--name", "drafted", "--", "bash", "--norc", "--noprofile");
  await home.ok("exec", "drafted", "--", "true");
  await home.ok("send", "drafted", "echo half ");
  await home.ok("wait", "drafted", "--for", "output:echo half ", "--from", "0");
  assert.match(
    await home.fails("exec", "drafted", "--", "touch glued"),
    /^4 .*run a command in "drafted": behind its prompt there are 10 characters that nobody has entered; .*lectern key drafted C-u/,
  );
  await home.ok("key", "drafted", "C-u");
  assert.equal(await home.ok("exec", "drafted", "--", "ls glued 2>/dev/null; echo done"), "done\n");
});

test("lectern exec says what stands in the way, and types nothing then", async () => {
  await home.ok("run", "-d", "--name", "work1", "--", ...bash);
  await home.ok("wait", "work1", "--for", "ready");
  let slow;
  // The time may be over before it was typed, and nothing has happened then.
  do slow = await home.run(["exec", "work1", "--timeout", "2s", "--", "sleep 100"]);
  while (slow.code === 4 && slow.stderr.includes("nothing was typed"));
  assert.equal(slow.code, 124);
  assert.match(slow.stderr, /keeps running in session "work1"/);
  assert.match(
    await home.fails("exec", "work1", "--timeout", "200ms", "--", "echo x"),
    /^4 .*timed out waiting for a prompt in session ".*": nothing was typed/,
  );
  await home.ok("key", "work1", "C-c");
  await home.ok("wait", "work1", "--for", "ready");
  const secret = await home.run(["exec", "work1", "--", "read -rsp 'Password: ' x"]);
  assert.deepEqual([secret.code, secret.stdout], [4, "Password: "]);
  assert.match(await home.fails("exec", "work1", "--", "echo x"), /^4 .*asks for a password.*nothing was typed/);
  await home.ok("send", "work1", "--secret", "--enter", "word");
  for (let index = 0; index < 5; index++) {
    assert.match(await home.fails("exec", "work1", "--", "for i in 1 2; do"), /^4 .*the command is incomplete/s);
    // Without the time that a command takes to start.
    const next = { session: "work1", command: "for i in 1 2; do" } as const;
    assert.equal((await home.client.call("sessions.exec", next)).asks, "more");
    const done = await home.client.call("sessions.exec", { session: "work1", command: `echo ${index}` });
    assert.deepEqual([done.output, done.exitCode], [`${index}\n`, 0]);
  }
  assert.equal(await home.ok("exec", "work1", "--", "echo ${#x}"), "4\n");
});

/** A shell with marks that gives a line up only with the key after Ctrl-C, and drops that key, as bash does now and then. */
const lateShell = `#!/usr/bin/env python3
import os, tty
tty.setraw(0)
mark = os.environ["LECTERN_MARK"]
acts = os.environ["LECTERN_ACT"] + "/"
def prompt(code): os.write(1, f"\\x1b]133;D;{code};{mark}\\a\\x1b]133;A\\a$ \\x1b]133;B;{mark}\\a".encode())
def run():
    global line
    if line.endswith(b"do"): return os.write(1, f"\\r\\n> \\x1b]133;P;k=s;{mark}\\a".encode())
    os.write(1, f"\\r\\n\\x1b]133;C;{mark}\\a".encode() + line + b"\\r\\n")
    line = b""
    prompt(0)
line, interrupted = b"", False
prompt(0)
while key := os.read(0, 1):
    if interrupted:
        line, interrupted = b"", False
        os.write(1, b"\\r\\n")
        prompt(130)
    elif key == b"\\x03":
        interrupted = True
        os.write(1, b"^C")
    elif line + key == b"\\x1b[7501~":
        id, way, shown, line, tells = open(acts + "act", "rb").read().split(b"\\0")
        os.write(1, f"\\x1b]633;P;Act={id.decode()};taken;{mark}\\a".encode() + line)
        run()
    elif key != b"\\r":
        line += key
        if key[0] >= 32 and line[:1] != b"\\x1b": os.write(1, key)
    else: run()
`;

test("the command after one that is not complete is taken whole by a shell that missed Ctrl-C", async () => {
  const program = join(home.directory, "bash");
  writeFileSync(program, lateShell, { mode: 0o755 });
  await home.ok("run", "-d", "--name", "late", "--", program);
  for (let index = 0; index < 2; index++) {
    assert.match(await home.fails("exec", "late", "--", "for i in 1 2; do"), /^4 .*the command is incomplete/s);
    assert.equal(await home.ok("exec", "late", "--", `echo ${index}`), `echo ${index}\n`);
  }
  await using terminal = await attachTerminal(home.client, "late");
  await terminal.sendAndReadUntilReady("for i in 1 2; do");
  await terminal.giveUpLine();
  assert.match(terminal.readAvailable(), /\^C\n\$ $/);
});

test("lectern exec types nothing into a question of the shell itself", async () => {
  await home.ok("run", "-d", "--name", "asks", "--", ...bash);
  assert.match(await home.fails("exec", "asks", "--", "read -p 'name? ' x"), /^4 .*bash waits for input: answer with/s);
  assert.match(await home.fails("exec", "asks", "--", "echo oops"), /^4 .*bash waits for input.*nothing was typed/);
  await home.ok("send", "asks", "--enter", "Ann");
  assert.equal(await home.ok("exec", "asks", "--", "echo $x"), "Ann\n");
  // The daemon looks back 256 KiB: where the command began is out of sight.
  assert.match(await home.fails("exec", "asks", "--", "seq 60000; read x"), /^4 .*bash waits for input: answer with/s);
  assert.match(await home.fails("exec", "asks", "--", "echo oops"), /^4 .*bash waits for input.*nothing was typed/);
});

test("Ctrl-C of lectern exec reaches the command in the session, whose end it reports", async () => {
  await home.ok("run", "-d", "--name", "stopped", "--", ...bash);
  const run = home.onTerminal(["exec", "stopped", "--", `${hangs}; echo next`]);
  await home.ok("wait", "stopped", "--for", "output:^begun", "--from", "0");
  run.write("\u0003");
  assert.deepEqual(await run.ended, { reason: "exited", code: 130, signal: null });
  assert.match(run.text, /begun\r\n\^C/);
  assert.doesNotMatch(run.text, /next/);
});

test("Ctrl-C of lectern exec while it waits for a prompt types nothing, and leaves alone what runs", async () => {
  await home.ok("run", "-d", "--name", "taken", "--", ...bash);
  await home.ok("wait", "taken", "--for", "ready");
  await home.ok("send", "taken", "--enter", hangs);
  await home.ok("wait", "taken", "--for", "output:^begun", "--from", "0");
  let run;
  let status;
  // Another process that is over has given it the time to ask; one that ended at once, still at its start, is tried again.
  do {
    run = home.onTerminal(["exec", "taken", "--", "echo typed-anyway"]);
    await home.spawn(["ls"]);
    run.write("\u0003");
    status = await run.ended;
  } while (run.text.trim() === "^C");
  assert.deepEqual(status, { reason: "exited", code: 130, signal: null });
  assert.match(run.text, /nothing was typed/);
  assert.doesNotMatch(await home.ok("logs", "taken", "--raw"), /typed-anyway|\^C/);
});

test("a command that waits for a prompt is given up by its key", async () => {
  await home.ok("run", "-d", "--name", "keyed", "--", ...bash);
  const session = "keyed";
  assert.deepEqual(await home.client.call("sessions.abort", { session, key: "a" }), { outcome: "unknown" });
  await home.ok("wait", session, "--for", "ready");
  await home.ok("send", session, "--enter", hangs);
  await home.ok("wait", session, "--for", "output:^begun", "--from", "0");
  const refused = assert.rejects(home.client.call("sessions.exec", { session, command: "echo anyway", key: "a" }), {
    code: "CANCELLED",
    message: /nothing was typed/,
  });
  assert.equal(await aborted(session, "a"), "not-typed");
  await refused;
  await home.ok("key", session, "C-c");
  await home.ok("wait", session, "--for", "ready");
  assert.doesNotMatch(await home.ok("logs", session, "--raw"), /anyway/);
});

test("Ctrl-C while a slow shell takes a command is for the command", async () => {
  await home.ok("run", "-d", "--name", "slow", "--", ...bash);
  const session = "slow";
  await home.ok("exec", session, "--", `mapfile() { sleep 2; builtin mapfile "$@"; }`);
  const inputs = async (): Promise<number> =>
    (await home.client.call("sessions.records", { session, types: ["input"] })).records.length;
  const before = await inputs();
  const running = home.client.call("sessions.exec", { session, command: hangs, key: "a" });
  await until(async () => (await inputs()) > before);
  assert.equal(await aborted(session, "a"), "interrupted");
  const { ran, ended, exitCode } = await running;
  assert.deepEqual([ran, ended, exitCode], [true, true, 130]);
});

/** Asks until the command has come to the daemon. */
async function aborted(session: string, key: string): Promise<string> {
  for (;;) {
    const { outcome } = await home.client.call("sessions.abort", { session, key });
    if (outcome !== "unknown") return outcome;
  }
}

test("lectern exec drives a REPL by the word of the kernel, and a shell without integration too", async () => {
  await home.ok("run", "-d", "--name", "py3", "--", "/usr/bin/python3", "-q");
  assert.equal(await home.ok("exec", "py3", "--", "print(6 * 7)"), "42\n");
  await home.ok("run", "-d", "--name", "plain3", "--no-shell-integration", "--", ...bash);
  const unmarked = await home.run(["exec", "plain3", "--", "echo hello"]);
  assert.deepEqual([unmarked.code, unmarked.stdout], [125, "hello\n"]);
  assert.match(unmarked.stderr, /exit code is unknown/);
  assert.doesNotMatch(await home.ok("logs", "plain3", "--raw"), /133;/);
});

test("commands go on to be exact after the daemon was killed", async () => {
  await home.ok("run", "-d", "--name", "work4", "--", ...bash);
  assert.equal(await home.ok("exec", "work4", "--", "x=5"), "");
  await home.crashDaemon();
  assert.deepEqual(await home.run(["exec", "work4", "--", "echo $x; false"]), { code: 1, stdout: "5\n", stderr: "" });
});

test("lectern wait --for ready tells a prompt from a command that runs", async () => {
  await home.ok("run", "-d", "--name", "work5", "--", ...bash);
  await home.ok("wait", "work5", "--for", "ready");
  await home.ok("send", "work5", "--enter", hangs);
  await home.ok("wait", "work5", "--for", "output:^begun", "--from", "0");
  assert.equal((await home.run(["wait", "work5", "--for", "ready", "--timeout", "500ms"])).code, 124);
  await home.ok("key", "work5", "C-c");
  const { ready } = JSON.parse(await home.ok("wait", "work5", "--for", "ready", "--json")) as { ready: unknown };
  assert.deepEqual(ready, { reason: "mark", asks: "command" });
});

test("a terminal that is attached to a session has the same interface", async () => {
  await home.ok("run", "-d", "--name", "work6", "--", ...bash);
  await home.ok("run", "-d", "--name", "py6", "--", "/usr/bin/python3", "-q");
  await using shell = await attachTerminal(home.client, "work6");
  assert.equal((await shell.readUntilReady()).reason, "mark");
  const { output, exitCode } = await shell.run("echo hello; false");
  assert.deepEqual([output, exitCode], ["hello\n", 1]);
  assert.equal(shell.readAvailable(), "");
  const sent = await shell.sendAndReadUntilReady("echo sent");
  assert.deepEqual([sent.text, sent.reason], ["echo sent\nsent\n$ ", "mark"]);
  const slow = await shell.sendAndReadUntilReady(hangs, { timeoutMs: 300 });
  assert.equal(slow.reason, "timeout");
  // A shell that has yet to take the line can lose Ctrl-C.
  await until(() => shell.getHistory().endsWith("\nbegun\n"), "the command has begun");
  await shell.sendCtrlC();
  assert.equal((await shell.readUntilReady()).reason, "mark");
  await shell.reset();
  assert.equal((await shell.run("echo new")).output, "new\n");
  await using python = await attachTerminal(home.client, "py6");
  await python.readUntilReady();
  for (let index = 0; index < 10; index++) {
    const { text, reason } = await python.sendAndReadUntilReady(`print(${index} * 7)`);
    assert.deepEqual([text, reason], [`print(${index} * 7)\n${index * 7}\n>>> `, "foreground"]);
  }
  assert.equal((await python.run("print('run')")).output, "run\n");
  await python.close();
  assert.equal(await home.ok("exec", "py6", "--", "1 + 1"), "2\n");
});
