/** `Terminal` has what AGTerm has: each test is a sentence of the description of its interface, or of its gotchas, as it is here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../src/core/errors.ts";
import { readDefaults } from "../src/terminal/read-defaults.ts";
import { until } from "./support/until.ts";
import { Home, plainBash } from "./terminal-support.ts";

const withoutMarks = { shellIntegration: false } as const;
/** Longer than any test: a read with it ends when the program does. */
const NEVER_MS = 600_000;

test("a deterministic prompt is set, and commands go around with it as a marker", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash, { ...withoutMarks, readyMarkers: ["$ ", "# ", "__AGPROMPT__ "] });
  await terminal.readUntilReady({ timeoutMs: 60_000, strategy: "marker" });
  // In its echo there is no marker.
  await terminal.sendAndReadUntilReady('export PS1="__AG""PROMPT__ "', { strategy: "marker" });
  const { text, reason } = await terminal.sendAndReadUntilReady("echo hello", { strategy: "marker" });
  assert.equal(reason, "marker");
  assert.equal(text, "echo hello\nhello\n__AGPROMPT__ ");
});

test("interactive false reads until quiet by default, and the shell stays alive and keeps its state", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash, { ...withoutMarks, interactive: false });
  assert.equal(terminal.isInteractive(), false);
  await until(() => terminal.getHistory().endsWith("$ "));
  await terminal.readUntilReady();
  const first = await terminal.sendAndReadUntilReady("x=5");
  assert.equal(first.reason, "quiet");
  await terminal.write("echo x is $x\n");
  await until(() => terminal.getHistory().endsWith("x is 5\n$ "));
  const second = await terminal.readUntilReady();
  assert.equal(second.reason, "quiet");
  assert.match(second.text, /^x is 5$/m);
  assert.equal(terminal.isAlive(), true);
});

test("a read in quiet mode ends at a gap that is longer than quietMs, and not at one that is shorter", async () => {
  using home = new Home();
  const script = "echo one; read x; echo two; sleep 0.2; echo three";
  await using terminal = await home.open(["sh", "-c", script], { interactive: false });
  await until(() => terminal.getHistory() === "one\n");
  assert.equal((await terminal.readUntilReady()).text, "one\n");
  const { text, reason } = await terminal.sendAndReadUntilReady("", { quietMs: NEVER_MS, timeoutMs: NEVER_MS });
  assert.deepEqual({ text, reason }, { text: "\ntwo\nthree\n", reason: "exit" });
});

test("the defaults are those of AGTerm: 20 s, 2 MiB, 200 ms, 80 ms, and the prompts of gdb and pwndbg", async () => {
  assert.deepEqual(readDefaults, { timeoutMs: 20_000, maxOutputBytes: 2_097_152, settleMs: 200, quietMs: 80 });
  using home = new Home();
  for (const prompt of ["(gdb) ", "pwndbg> "]) {
    await using terminal = await home.open(["sh", "-c", `printf '${prompt}'; sleep 100`]);
    assert.equal((await terminal.readUntilReady({ strategy: "marker", settleMs: 20 })).reason, "marker");
  }
});

test("setReadyMarkers replaces the markers at run time", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "printf 'a: '; read x; printf 'b: '; sleep 100"]);
  terminal.setReadyMarkers(["a: "]);
  assert.equal((await terminal.readUntilReady({ strategy: "marker", settleMs: 20 })).reason, "marker");
  const missed = await terminal.sendAndReadUntilReady("x", { strategy: "marker", settleMs: 20, timeoutMs: 300 });
  assert.equal(missed.reason, "timeout");
  terminal.setReadyMarkers(["b: "]);
  assert.equal((await terminal.readUntilReady({ strategy: "marker", settleMs: 20 })).reason, "marker");
});

test("a marker that never shows up ends in a time-out with the partial output, not in an exception", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "echo partial; sleep 100"], { readyMarkers: ["never> "] });
  await until(() => terminal.getHistory() === "partial\n");
  const { text, reason, exit } = await terminal.readUntilReady({ timeoutMs: 500 });
  assert.deepEqual({ text, reason, exit }, { text: "partial\n", reason: "timeout", exit: null });
});

test("a coloured prompt matches its marker, because the text has no escape sequences", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", String.raw`printf '\033[1;32mme\033[0m> \033[K'; sleep 100`], {
    readyMarkers: ["me> "],
  });
  const { text, reason } = await terminal.readUntilReady({ strategy: "marker", settleMs: 20 });
  assert.deepEqual({ text, reason }, { text: "me> ", reason: "marker" });
});

test("after a marker the read goes on for the time to settle: a marker in the middle of the output cuts nothing off", async () => {
  using home = new Home();
  const script = "printf 'costs 5 $ '; sleep 0.1; echo each; printf 'me> '";
  await using terminal = await home.open(["sh", "-c", script], { readyMarkers: ["$ ", "me> "] });
  const { text, reason } = await terminal.readUntilReady({
    strategy: "marker",
    settleMs: NEVER_MS,
    timeoutMs: NEVER_MS,
  });
  assert.deepEqual({ text, reason }, { text: "costs 5 $ each\nme> ", reason: "exit" });
});

test("a limit out of range, and a signal that was aborted before, type nothing", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "while read -r line; do echo got $line; done"]);
  const wrong = [
    { timeoutMs: -1 },
    { timeoutMs: Number.NaN },
    { maxOutputBytes: 0 },
    { settleMs: 600_001 },
    { quietMs: -1 },
  ];
  for (const options of wrong) {
    const [name = ""] = Object.keys(options);
    const refused = { code: "INVALID_INPUT", message: new RegExp(`^${name} is .*; nothing was typed$`) };
    await assert.rejects(terminal.sendAndReadUntilReady("typed", options), refused);
    await assert.rejects(terminal.run("typed", options), refused);
    await assert.rejects(terminal.readUntilReady(options), refused);
  }
  const aborted = { signal: AbortSignal.abort() };
  await assert.rejects(terminal.sendAndReadUntilReady("typed", aborted), { code: "CANCELLED" });
  await terminal.sendAndReadUntilReady("once");
  assert.doesNotMatch(terminal.getHistory(), /typed/);
});

test("a read ends at maxOutputBytes, and the next one goes on where it ended", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "seq 1 2000; sleep 100"], { interactive: false });
  await until(() => terminal.getHistory().endsWith("\n2000\n"));
  const first = await terminal.readUntilReady({ maxOutputBytes: 1000 });
  assert.equal(first.reason, "limit");
  assert.equal(first.bytes.length, 1000);
  const rest = await terminal.readUntilReady();
  const numbers = Buffer.concat([first.bytes, rest.bytes])
    .toString()
    .replaceAll("\r", "")
    .trim()
    .split("\n")
    .map(Number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 2000 }, (_, index) => index + 1),
  );
});

test("sendAndReadUntilReady writes the input and a line feed", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "stty raw -echo; printf 'go> '; head -c 3 | od -An -tx1"], {
    readyMarkers: ["go> "],
  });
  await terminal.readUntilReady({ strategy: "marker", settleMs: 50 });
  const { text } = await terminal.sendAndReadUntilReady("ab");
  assert.match(text, /61 62 0a/);
});

test("a terminal that is not interactive types its first line when the program has started", async () => {
  using home = new Home();
  const program = "sleep 1; printf 'started> '; read line; echo got $line; exec sleep 100";
  await using terminal = await home.open(["sh", "-c", program], { interactive: false });
  const { text } = await terminal.sendAndReadUntilReady("hi", { quietMs: 500 });
  assert.match(text, /^started> .*got hi/s);
});

test("readAvailable returns what is there without waiting, and an empty string where there is nothing", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "printf abcdef; sleep 100"]);
  await until(() => terminal.getHistory() === "abcdef");
  assert.equal(terminal.readAvailable(4), "abcd");
  assert.equal(terminal.readAvailable(), "ef");
  assert.equal(terminal.readAvailable(), "");
});

test("sendCtrlC interrupts a command that runs long", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.readUntilReady();
  const started = await terminal.sendAndReadUntilReady("sh -c 'echo begun; exec sleep 100'", { timeoutMs: 500 });
  assert.equal(started.reason, "timeout");
  await until(() => terminal.getHistory().includes("\nbegun\n"));
  await terminal.sendCtrlC();
  const { text, reason } = await terminal.readUntilReady();
  assert.equal(reason, "mark");
  assert.match(text, /\^C/);
  assert.equal((await terminal.run("echo $?")).output, "130\n");
});

test("a command behind Ctrl-C is typed when the shell has given up what was there", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.readUntilReady();
  for (let index = 0; index < 20; index++) {
    const { asks } = await terminal.sendAndReadUntilReady("for i in 1 2; do");
    assert.equal(asks, "more");
    await terminal.sendCtrlC();
    assert.equal((await terminal.run(`echo ${index}`)).output, `${index}\n`);
  }
});

test("getHistory has the sanitized output that was seen so far, and is bounded", async () => {
  using home = new Home();
  const script = String.raw`printf '\033[31mred\033[0m\r\n'; seq 1 5000; sleep 100`;
  await using all = await home.open(["sh", "-c", script], { interactive: false });
  await until(() => all.getHistory().endsWith("\n5000\n"));
  assert.ok(all.getHistory().startsWith("red\n1\n2\n"));
  await using bounded = await home.open(["sh", "-c", script], { interactive: false, historyCharsMax: 1000 });
  await until(() => bounded.getHistory().endsWith("4999\n5000\n"));
  assert.ok(bounded.getHistory().length <= 1000);
});

test("isAlive, isInteractive and getInitialCommand say what they are asked", async () => {
  using home = new Home();
  await using terminal = await home.open("cat");
  assert.deepEqual([terminal.isAlive(), terminal.isInteractive(), terminal.getInitialCommand()], [true, true, "cat"]);
  await terminal.close();
  assert.equal(terminal.isAlive(), false);
});

test("reset starts the same command anew, with the flag and the markers of now, and without the old prompt", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash, { ...withoutMarks, readyMarkers: ["nothing"] });
  terminal.setReadyMarkers(["$ ", "mine> "]);
  await terminal.readUntilReady();
  await terminal.sendAndReadUntilReady("PS1='mine> '; x=5");
  await terminal.reset();
  const fresh = await terminal.readUntilReady({ strategy: "marker", settleMs: 50 });
  assert.doesNotMatch(fresh.text, /mine>/);
  assert.equal(fresh.reason, "marker");
  assert.match((await terminal.sendAndReadUntilReady("echo x is ${x:-gone}")).text, /^x is gone$/m);
});

test("output has no carriage returns and no controls but line feeds and tabs", async () => {
  using home = new Home();
  const script = String.raw`printf 'a\tb\r\n50%%\r100%%\n\007\016x\010y\n'; sleep 100`;
  await using terminal = await home.open(["sh", "-c", script], { interactive: false });
  await until(() => terminal.getHistory().endsWith("y\n"));
  assert.equal((await terminal.readUntilReady()).text, "a\tb\n100%\ny\n");
});

test("the echo of a command stands in what is read, and not in what is run", async () => {
  using home = new Home();
  await using terminal = await home.open(plainBash);
  await terminal.readUntilReady();
  assert.match((await terminal.sendAndReadUntilReady("echo hello")).text, /^echo hello\nhello\n/);
  assert.equal((await terminal.run("echo hello")).output, "hello\n");
});

test("exact bytes come with each read and from readAvailableBytes", async () => {
  using home = new Home();
  const script = String.raw`printf '\033[31mx\377\033[0m'; sleep 100`;
  await using terminal = await home.open(["sh", "-c", script], { interactive: false });
  await until(() => terminal.getHistory() === "x\uFFFD");
  const { bytes, text } = await terminal.readUntilReady();
  assert.equal(Buffer.from(bytes).toString("latin1"), "\u001b[31mx\u00ff\u001b[0m");
  assert.equal(text, "x\uFFFD");
  await using other = await home.open(["sh", "-c", script]);
  await until(() => other.getHistory() === "x\uFFFD");
  assert.deepEqual(Buffer.from(other.readAvailableBytes()), Buffer.from(bytes));
});

test("a second reader is refused with an error that says why, and the first one is not disturbed", async () => {
  using home = new Home();
  const script = "sleep 0.3; printf 'done> '; sleep 100";
  await using terminal = await home.open(["sh", "-c", script], { readyMarkers: ["done> "] });
  const first = terminal.readUntilReady({ strategy: "marker" });
  const refused = (error: unknown): boolean => error instanceof LecternError && error.code === "CONFLICT";
  await assert.rejects(terminal.readUntilReady(), refused);
  await assert.rejects(terminal.sendAndReadUntilReady("x"), refused);
  await assert.rejects(terminal.run("x"), refused);
  assert.throws(() => terminal.readAvailable(), refused);
  assert.equal((await first).text, "done> ");
});

test("a read of a program that has ended returns at once with what was left, and with nothing after that", async () => {
  using home = new Home();
  await using terminal = await home.open(["sh", "-c", "echo last; exit 3"]);
  const { text, reason, exit } = await terminal.readUntilReady();
  assert.deepEqual(
    { text, reason, exit },
    { text: "last\n", reason: "exit", exit: { reason: "exited", code: 3, signal: null } },
  );
  assert.equal((await terminal.readUntilReady()).text, "");
});

test("close ends a read that is under way", async () => {
  using home = new Home();
  const terminal = await home.open(["sleep", "100"]);
  const reading = terminal.readUntilReady();
  await terminal.close();
  assert.equal((await reading).reason, "exit");
});
