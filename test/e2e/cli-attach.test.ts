import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome, type CliHome } from "./cli-home.ts";
import { untilSize } from "../support/terminal-size.ts";
import { until } from "../support/until.ts";
import { firstOf } from "../support/variants.ts";

const shared = new SharedHome();

const DETACH = "\u001c";

test("attach shows a session, types into it, and leaves it running", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "sh", "--", "bash", "--norc", "--noprofile");
  const viewer = home.onTerminal(["attach", "sh"], { columns: 101, rows: 31 });
  viewer.pty.write(Buffer.from("stty size; echo seen-$((40+2))\r"));
  await viewer.until("seen-42");
  assert.match(viewer.text, /31 101/);
  viewer.pty.write(Buffer.from(DETACH));
  assert.deepEqual(await viewer.ended, { reason: "exited", code: 0, signal: null });
  assert.match(viewer.text, /\[detached from sh\]/);
  assert.match(await home.ok("ls"), /^sh +running/m);
});

/** Waits for the signal with `sigwait(3)`: one that comes meanwhile stays pending, where a trap of bash may lose it. */
const printSizes = `import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH})
print("ready", flush=True)
while True:
    signal.sigwait({signal.SIGWINCH})
    size = os.get_terminal_size()
    print(size.lines, size.columns, flush=True)`;

test("a resize of the terminal reaches the program", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "python3", "-c", printSizes);
  await home.ok("wait", "a", "--for", "output:ready", "--from", "0");
  const viewer = home.onTerminal(["attach", "a"], { columns: 90, rows: 20 });
  await viewer.until("20 90");
  viewer.pty.resize({ columns: 91, rows: 21 });
  await viewer.until("21 91");
  viewer.pty.write(Buffer.from(DETACH));
  await viewer.ended;
});

test("the terminal that types last decides the size, and gives it back when it leaves", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const first = home.onTerminal(["attach", "a"], { columns: 101, rows: 31 });
  await untilSize(home.client, "a", "31 101");
  const second = home.onTerminal(["attach", "a"], { columns: 64, rows: 20 });
  await untilSize(home.client, "a", "20 64");
  first.pty.write(Buffer.from("x"));
  await untilSize(home.client, "a", "31 101");
  second.pty.resize({ columns: 66, rows: 22 });
  second.pty.write(Buffer.from("y"));
  await untilSize(home.client, "a", "22 66");
  second.pty.write(Buffer.from(DETACH));
  await second.ended;
  await untilSize(home.client, "a", "31 101");
  first.pty.write(Buffer.from(DETACH));
  await first.ended;
  await untilSize(home.client, "a", "40 120");
  const { columns, rows } = await home.client.call("sessions.get", { session: "a" });
  assert.deepEqual([columns, rows], [120, 40]);
});

test("who only looks leaves the size alone", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "echo ready; cat");
  const size = { columns: 101, rows: 31 };
  const viewers = [
    home.onTerminal(["attach", "--read-only", "a"], size),
    home.onTerminal(["attach", "--no-resize", "a"], size),
  ];
  for (const viewer of viewers) await viewer.until("ready");
  await using page = await home.client.attach("a");
  page.setWindow(size);
  // A change of focus and a moved mouse are no keys.
  await page.write(Buffer.from("\u001b[I\u001b[<35;3;4M"));
  for (const viewer of viewers) {
    viewer.pty.resize({ columns: 90, rows: 30 });
    viewer.pty.write(Buffer.from("x"));
  }
  await viewers[1]?.until("x");
  const { records } = await home.client.call("sessions.records", { session: "a", types: ["resize"] });
  assert.deepEqual(records, []);
  for (const viewer of viewers) viewer.pty.write(Buffer.from(DETACH));
  await Promise.all(viewers.map(({ ended }) => ended));
});

test("several viewers see the same, and one that is read-only cannot type", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const first = home.onTerminal(["attach", "a"]);
  const second = home.onTerminal(["attach", "--read-only", "a"]);
  first.pty.write(Buffer.from("from the first\r"));
  await Promise.all([first.until("from the first"), second.until("from the first")]);
  second.pty.write(Buffer.from("from the second\r"));
  first.pty.write(Buffer.from("end\r"));
  await second.until("end");
  const { records } = await home.client.call("sessions.records", { session: "a", types: ["input"] });
  assert.deepEqual(
    records.map((record) => record["bytes"]),
    ["from the first\r".length, "end\r".length],
  );
  for (const viewer of [first, second]) viewer.pty.write(Buffer.from(DETACH));
  await Promise.all([first.ended, second.ended]);
});

test("other detach keys leave the default one to the program", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "stty raw -echo; echo ready; cat -v");
  const viewer = home.onTerminal(["attach", "--detach-keys", "ctrl-p,ctrl-q", "a"]);
  await viewer.until("ready");
  viewer.pty.write(Buffer.from("\u001c\u0010x"));
  await viewer.until(String.raw`^\^Px`);
  viewer.pty.write(Buffer.from("\u0010"));
  viewer.pty.write(Buffer.from("\u0011"));
  assert.deepEqual(await viewer.ended, { reason: "exited", code: 0, signal: null });
});

test("attach ends with the program and its exit code", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "read -r line; exit 6");
  const viewer = home.onTerminal(["attach", "a"]);
  viewer.pty.write(Buffer.from("x\r"));
  assert.deepEqual(await viewer.ended, { reason: "exited", code: 6, signal: null });
  assert.match(viewer.text, /\[a exited with code 6\]/);
  assert.match(await home.fails("attach", "a"), /^4 lectern: .*lectern logs a/);
});

const leavesAlternate = /\u001b\[\?(?:47|1049)l/;

test("the terminal is put back when a viewer leaves, is ended or crashes", async () => {
  const home = await shared.empty();
  const paint = "printf '\\033[?1049h\\033[?25l\\033[?2004h\\033[?1002hfull-screen'; cat";
  await home.ok("run", "-d", "--name", "tui", "--", "bash", "-c", paint);
  await home.ok("wait", "tui", "--for", "output:full-screen", "--from", "0");
  for (const leave of firstOf(["key", "SIGTERM", "SIGHUP", "SIGQUIT"], 2)) {
    const shell = home.shellOnTerminal();
    shell.pty.write(Buffer.from("stty -a | grep -o -- '-\\?icanon'; $L attach tui & fg\r"));
    await shell.until("full-screen");
    if (leave === "key") shell.pty.write(Buffer.from(DETACH));
    else {
      const { pid } = JSON.parse(await home.ok("info", "--json")) as { pid: number };
      assert.ok(pid > 0);
      const viewer = shell.pty.foregroundGroup();
      assert.ok(viewer !== undefined && viewer !== shell.pty.pid, leave);
      process.kill(viewer, leave);
    }
    // As the program began it, or as a screen that is there already is drawn.
    await until(() => leavesAlternate.test(shell.text));
    shell.pty.write(Buffer.from("\recho after; stty -a | grep -o -- '-\\?icanon'; echo checked-$((1))\r"));
    await shell.until("checked-1\r\n");
    const after = shell.text.slice(shell.text.search(leavesAlternate));
    assert.match(after, /^icanon\r$/m, leave);
    for (const mode of ["\u001b[?25h", "\u001b[?2004l", "\u001b[?1002l"])
      assert.ok(shell.text.includes(mode), `${leave} ${mode}`);
    await shell.pty.kill();
  }
});

test("run says on a terminal how to leave, and only there", async () => {
  const home = await shared.empty();
  const viewer = home.onTerminal(["run", "--name", "a", "--", "cat"], { columns: 90, rows: 20 });
  await viewer.until("[a: ctrl-\\ leaves it running]");
  viewer.pty.write(Buffer.from(DETACH));
  await viewer.ended;
  const other = home.onTerminal(["run", "--detach-keys", "none", "--", "echo", "no note"], { columns: 90, rows: 20 });
  await other.ended;
  assert.doesNotMatch(other.text + (await home.run(["run", "--", "true"])).stderr, /leaves it running/);
});

test("run attaches, its program sees a terminal of this size, and its end is ours", async () => {
  const home = await shared.empty();
  const viewer = home.onTerminal(
    ["run", "--name", "a", "--", "bash", "-c", "stty size; tty -s && echo terminal; read -r x; exit 4"],
    {
      columns: 77,
      rows: 22,
    },
  );
  await viewer.until("terminal");
  assert.match(viewer.text, /22 77/);
  viewer.pty.write(Buffer.from("\r"));
  assert.deepEqual(await viewer.ended, { reason: "exited", code: 4, signal: null });
});

test("an attached viewer survives a killed daemon: it starts another one and no byte is lost or doubled", async () => {
  const home = await shared.empty();
  // It pauses without a process of its own for each pause: nothing is ever written into the pipe.
  const script =
    "exec 3<> <(:); for ((i = 1; i <= 400; i++)); do echo line-$i; read -rt 0.01 -u 3; done; read -r line; echo got $line";
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", script);
  const viewer = home.onTerminal(["attach", "--from", "0", "a"]);
  const piped = home.spawn(["logs", "-f", "--raw", "a"]);
  await viewer.until("line-50\r\n");
  // Both are readers before the daemon dies: who only begins to start finds none.
  await untilViewed(home, "a", 2);
  await home.crashDaemon();
  await viewer.until("line-400\r\n");
  // What is typed while the connection breaks may be lost.
  await viewer.until("reconnected");
  viewer.pty.write(Buffer.from("typed\r"));
  await viewer.until("got typed");
  assert.equal((await viewer.ended).reason, "exited");
  assert.match(viewer.text, /connection lost/);
  const whole = Array.from({ length: 400 }, (_, index) => `line-${index + 1}\r\n`).join("");
  const seen = [...viewer.text.matchAll(/line-\d+\r\n/g)].map(String).join("");
  assert.equal(seen, whole);
  assert.ok((await piped).stdout.startsWith(whole));
});

test("line feeds reach the terminal as the program wrote them", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "stty -opost; printf 'one\\ntwo\\r\\nend'; cat");
  const viewer = home.onTerminal(["attach", "a", "--from", "0"]);
  await viewer.until("end");
  assert.ok(viewer.text.includes("one\ntwo\r\nend"), JSON.stringify(viewer.text));
  viewer.pty.write(Buffer.from(DETACH));
  await viewer.ended;
});

test("what a program asks is answered by its session, and not by the terminals that look at it", async () => {
  const home = await shared.empty();
  const ask =
    'stty raw -echo; for i in 1 2; do printf "asked$i\\033[c"; IFS= read -rd c answer; ' +
    'printf "got$i<%s>" "${answer#?}"; IFS= read -rd q _; done; printf \'\\033]52;c;aGk=\\007shown\'; cat';
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", ask);
  await home.ok("wait", "a", "--for", "output:got1<.*>", "--from", "0");
  const viewer = home.onTerminal(["attach", "a"]);
  await viewer.until("got1<[?1;2>");
  viewer.pty.write(Buffer.from("q"));
  await viewer.until("got2<[?1;2>");
  viewer.pty.write(Buffer.from("q"));
  await viewer.until("shown");
  assert.ok(!viewer.text.includes("\u001b[c"), JSON.stringify(viewer.text));
  assert.ok(!viewer.text.includes("]52;"), "the clipboard of the viewer is not for programs");
  viewer.pty.write(Buffer.from(DETACH));
  await viewer.ended;
});

test("a session cannot be attached to itself", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "--norc", "--noprofile");
  const { id } = await home.client.call("sessions.get", { session: "a" });
  for (const words of [["attach"], ["attach", "--read-only"], ["logs", "-f"]]) {
    const { code, stderr } = await home.run([...words, "a"], { env: { LECTERN_SESSION: id } });
    assert.deepEqual([code, /would show itself; attach in .*lectern screen a/.test(stderr)], [4, true], stderr);
  }
});

test("a circle of attachments from session to session is refused, however long and also if it only reads", async () => {
  const home = await shared.empty();
  for (const name of ["a", "b", "c"]) await home.shell(`$L run -d --name ${name} --cols 200 -- bash --norc`);
  for (const [inside, shown] of [
    ["a", "b"],
    ["b", "c"],
  ] as const) {
    await home.ok("send", inside, `$L attach --no-resize ${shown}`, "--enter");
    await untilViewed(home, shown);
  }
  await home.ok(
    "send",
    "c",
    "PS1='$ '; for way in attach 'attach -r' 'logs -f'; do $L $way a; echo code $?-; done",
    "--enter",
  );
  await home.ok("wait", "c", "--for", "output:(code 4-[^]*){3}", "--from", "0");
  const { text } = await home.client.call("sessions.screen", { session: "c" });
  const refusal = 'Cannot attach to "a": this terminal is inside "c", which "a" shows through "b"';
  assert.equal(text.split(refusal).length - 1, 3, text);
});

test("a terminal gets only what draws of another program's output, from every command that prints it; a pipe gets all", async () => {
  const home = await shared.empty();
  const hostile =
    "\u001bc\u001b]52;c;aGk=\u0007\u001b]8;;file:///etc/passwd\u0007link\u001b]8;;\u0007 a\u202etxt.exe\u202c\r\n";
  writeFileSync(
    join(home.directory, "h.cast"),
    `{"version":2,"width":80,"height":24}\n${JSON.stringify([0.1, "o", hostile])}\n`,
  );
  await home.ok("import", "h.cast", "--name", "h");
  assert.equal(await home.ok("logs", "--raw", "h"), hostile);
  await home.shell("$L run -d --name v -- bash --norc");
  const each = [
    "logs h",
    "logs --raw h",
    "export -f text h",
    "screen --ansi h",
    "replay h.cast",
    "logs -n 5 h",
    "export h",
    "replay h",
  ];
  const ways = firstOf(each, 5);
  for (const [index, way] of ways.entries()) {
    await home.ok("send", "v", `$L ${way}; echo code-$?-${index}-`, "--enter");
    await home.ok("wait", "v", "--for", `output:code-0-${index}-`, "--from", "0");
  }
  const shown = await home.ok("logs", "--raw", "v");
  assert.equal(shown.split("txt.exe").length - 1, ways.length, shown);
  assert.doesNotMatch(shown, /\u001bc|\u001b\]52|\u001b\]8;;file:|\u202e/);
});

/** Waits until a session has so many viewers. */
async function untilViewed(home: CliHome, session: string, viewers = 1): Promise<void> {
  await until(async () => ((await home.viewersOf(session)) ?? 0) >= viewers);
}

test("a viewer that fell behind a flood is told of the exit of the program", async () => {
  const home = await shared.empty();
  const flood = 'read -r; head -c 40000000 /dev/zero | tr "\\0" x; exit 3';
  await home.ok("run", "-d", "--name", "flood", "--", "bash", "-c", flood);
  await using viewer = await home.client.attach("flood", { bufferBytesMax: 65_536 });
  await viewer.write(Buffer.from("\n"));
  // It takes nothing before the program has ended.
  assert.equal(await home.ok("wait", "flood"), "");
  const types: string[] = [];
  for await (const item of viewer) types.push(item.type);
  assert.ok(types.includes("gap"), types.join(" "));
  assert.deepEqual(
    [types.at(-1), viewer.ended],
    ["exit", { reason: "exit", exit: { reason: "exited", code: 3, signal: null } }],
  );
});
