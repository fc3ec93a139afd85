import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Session } from "../../src/protocol/session.ts";
import { CliHome, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const names = (text: string): string[] => text.split("\n").filter(Boolean);

test("run passes output and exit code of the program through", async () => {
  const home = await shared.empty();
  const script = "echo one; echo two; exit 7";
  assert.deepEqual(await home.run(["run", "--", "bash", "-c", script]), {
    code: 7,
    stdout: "one\r\ntwo\r\n",
    stderr: "",
  });
  assert.deepEqual(await home.run(["run", "--exec", "--", "bash", "-c", script]), {
    code: 7,
    stdout: "one\ntwo\n",
    stderr: "",
  });
  assert.equal((await home.run(["run", "--", "bash", "-c", "kill -TERM $$"])).code, 143);
  assert.match(await home.fails("run", "--", "no-such-program"), /^127 lectern: .*no-such-program/);
  assert.match(await home.fails("run", "--cwd", "nowhere", "--", "true"), /^2 lectern: .*nowhere/);
});

test("run gives the program this environment and directory, the input of a pipe and its end", async () => {
  const home = await shared.empty();
  const script = 'echo "$COLOUR $(pwd -P)"; read -r line; echo "got $line"; cat; echo end';
  const { stdout } = await home.run(["run", "--", "bash", "-c", script], {
    input: "a b\nc\n",
    env: { COLOUR: "blue" },
  });
  assert.match(stdout, new RegExp(`^blue ${home.directory}\r$`, "m"));
  assert.match(stdout, /^got a b\r$/m);
  assert.match(stdout, /^end\r$/m);
});

test("run passes 3 MB through a pipe whole and in order", async () => {
  const home = await shared.empty();
  const { stdout } = await home.run(["run", "--exec", "--", "seq", "1", "450000"]);
  const lines = stdout.split("\n");
  assert.equal(lines.length, 450_001);
  assert.equal(
    lines.findIndex((line, index) => line !== String(index + 1)),
    450_000,
  );
});

test("a slow reader of the pipe gets the end too", async () => {
  const home = await shared.empty();
  const { stdout } = await home.shell("$L run --exec -- seq 1 450000 < /dev/null 2> /dev/null | (sleep 1; tail -n 1)");
  assert.equal(stdout, "450000\n");
});

test("ls shows live sessions, -a all of them, filtered by state and label", async () => {
  await using home = new CliHome();
  assert.equal(await home.ok("ls"), "");
  assert.equal(await home.info(), undefined, "ls started a daemon for nothing");
  assert.equal(await home.ok("run", "-d", "--name", "web", "--label", "team=a", "--", "cat"), "web\n");
  await home.run(["run", "--name", "done", "--", "bash", "-c", "exit 3"]);
  const [head = "", row = "", ...more] = names(await home.ok("ls"));
  assert.match(head, /^NAME +STATE +STATUS +STARTED +JOURNAL +VIEWERS +COMMAND$/);
  assert.match(row, /^web +running +\S+ +(now|\d+s ago) +\d+ B +0 +cat$/);
  assert.deepEqual(more, []);
  assert.equal(head.indexOf("COMMAND"), row.indexOf("cat"));
  assert.match(await home.ok("ls", "-a"), /^done +exited 3 /m);
  assert.deepEqual(names(await home.ok("ls", "-aq")).toSorted(), ["done", "web"]);
  assert.deepEqual(names(await home.ok("ls", "-q", "--state", "exited")), ["done"]);
  assert.deepEqual(names(await home.ok("ls", "-aq", "--label", "team=a")), ["web"]);
  // The name of a session that runs is not given for one that has ended.
  const ended = (await home.client.call("sessions.get", { session: "done" })).id;
  await home.ok("run", "-d", "--name", "done", "--", "cat");
  assert.deepEqual(names(await home.ok("ls", "-aq")).toSorted(), ["done", ended, "web"].toSorted());
  assert.deepEqual(names(await home.ok("ls", "-q", "--state", "exited")), [ended]);
  await home.ok("rm", "--force", ...names(await home.ok("ls", "-q", "--state", "exited")));
  assert.deepEqual(names(await home.ok("ls", "-aq")).toSorted(), ["done", "web"]);
  await home.ok("rm", "--force", "done");
  const { sessions } = JSON.parse(await home.ok("ls", "--json")) as { sessions: Session[] };
  assert.deepEqual(
    sessions.map(({ name, state, labels }) => [name, state, labels]),
    [["web", "running", { team: "a" }]],
  );
});

test("what a program chose is escaped before it reaches the terminal", async () => {
  const home = await shared.empty();
  const evil = "\u001b]0;owned\u0007\u202e";
  await home.ok("run", "-d", "--label", `k=${evil}`, "--name", "a", "--", "bash", "-c", "sleep 100", evil);
  for (const text of [await home.ok("ls"), await home.ok("info", "a"), await home.ok("label", "a")]) {
    assert.ok(!text.includes("\u001b") && !text.includes("\u202e"), JSON.stringify(text));
    assert.ok(text.includes(String.raw`\x1b]0;owned\x07\u{202e}`), text);
  }
});

test("send types, wait sees the answer, logs show it in three ways", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "sh", "--", "bash", "--norc", "--noprofile");
  await home.ok("send", "sh", "printf", "'\\033[1m%s\\033[0m\\n'", "answer-$((6*7))", "--enter");
  assert.equal(await home.ok("wait", "sh", "--for", "output:answer-42", "--timeout", "60s"), "answer-42\n");
  await home.ok("wait", "sh", "--for", String.raw`output:answer-42\n\$ $`);
  const text = await home.ok("logs", "sh");
  assert.match(text, /^answer-42$/m);
  assert.ok(!text.includes("\u001b"));
  assert.match(await home.ok("logs", "sh", "--raw"), /\u001b\[1manswer-42/);
  assert.match(await home.ok("logs", "sh", "--tail", "2"), /^answer-42\n.*\$ $/);
  const records = names(await home.ok("logs", "sh", "--json")).map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  );
  assert.deepEqual(new Set(records.map(({ type }) => type)), new Set(["mark", "input", "output"]));
  const output = records.flatMap(({ data }) => (typeof data === "string" ? [Buffer.from(data, "base64")] : []));
  assert.match(Buffer.concat(output).toString(), /answer-42/);
  assert.match(await home.fails("logs", "sh", "--raw", "--json"), /^2 .*Cannot combine output formats/);
});

test("send takes standard input, pastes it, and hides a secret in the journal", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "cat", "--", "bash", "-c", "stty -echo; echo ready; exec cat -v");
  await home.ok("wait", "cat", "--for", "output:ready", "--from", "0");
  assert.equal((await home.run(["send", "cat", "-"], { input: "from a pipe\n" })).code, 0);
  await home.ok("wait", "cat", "--for", "output:from a pipe");
  assert.equal((await home.run(["send", "cat", "--paste", "--enter", "-"], { input: "two\nlines" })).code, 0);
  await home.ok("wait", "cat", "--for", String.raw`output:\^\[\[200~two`);
  await home.ok("send", "cat", "--secret", "--enter", "hunter2");
  await home.ok("wait", "cat", "--for", "output:hunter2");
  const { records } = await home.client.call("sessions.records", { session: "cat", types: ["input"] });
  assert.equal(records.at(-1)?.["secret"], true);
  const cast = await home.ok("export", "cat");
  const typed = names(cast).filter((line) => line.includes('"i"'));
  assert.ok(typed.length > 0 && !typed.join("").includes("hunter2"));
});

test("wait ends with 124 when the time is over, and with the code of the program where that is wanted", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "read -r line; exit 5");
  await home.ok("wait", "a", "--for", "status:waiting");
  const reports: Readonly<Record<string, string>> = {
    exit: '100 ms waiting for "exit"',
    "event:DONE": '100 ms waiting for event "DONE"',
    "output:never": '100 ms waiting for output "never"',
    "status:starting,exited": '100 ms waiting for status "starting" or "exited"',
    "quiet:120000": "100 ms waiting for 120 s without output",
  };
  for (const [wanted, report] of Object.entries(reports)) {
    const { code, stderr } = await home.run(["wait", "a", "--for", wanted, "--timeout", "100ms"]);
    const next = 'see "lectern status a --explain"';
    assert.deepEqual([code, stderr], [124, `lectern: Timed out after ${report} in session "a": ${next}\n`]);
  }
  assert.equal((await home.run(["wait", "a", "--for", "quiet:50"])).code, 0);
  await home.ok("send", "a", "--enter", "x");
  assert.equal((await home.run(["wait", "a"])).code, 0);
  assert.equal((await home.run(["wait", "a", "--exit-code"])).code, 5);
  assert.equal((await home.run(["wait", "a", "--for", "output:never", "--timeout", "10s"])).code, 1);
  assert.match(await home.fails("wait", "a", "--for", "rain"), /^2 lectern: Cannot wait for "rain"/);
});

test("sessions are renamed, labelled, resized, signalled, ended and removed", async () => {
  const home = await shared.empty();
  await home.ok(
    "run",
    "-d",
    "--name",
    "a",
    "--",
    "bash",
    "-c",
    "trap 'stty size; echo caught' INT; echo ready; while :; do sleep 0.1; done",
  );
  await home.ok("wait", "a", "--for", "output:ready", "--from", "0");
  await home.ok("rename", "a", "b");
  assert.equal(await home.ok("label", "b", "x=1", "y=2"), "x=1\ny=2\n");
  assert.equal(await home.ok("label", "b", "x-"), "y=2\n");
  await home.ok("resize", "b", "100x30");
  await home.ok("wait", "b", "--for", "quiet:200");
  await home.ok("signal", "b", "INT");
  await home.ok("wait", "b", "--for", "output:caught", "--timeout", "60s");
  assert.match(await home.ok("logs", "b"), /^30 100$/m);
  assert.match(await home.fails("rm", "b"), /^4 lectern: /);
  assert.equal(await home.ok("kill", "b", "--grace", "5s"), "b\n");
  assert.match(await home.fails("send", "b", "x"), /^4 lectern: .*lectern logs b/);
  assert.match(await home.fails("rm", "nothing", "b"), /^3 lectern: .*"nothing"/);
  assert.match(await home.fails("info", "b"), /^3 /);
});

test("keys are pressed by name", async () => {
  const home = await shared.empty();
  await home.ok(
    "run",
    "-d",
    "--name",
    "a",
    "--",
    "bash",
    "-c",
    "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.1; done",
  );
  await home.ok("wait", "a", "--for", "output:ready", "--from", "0");
  await home.ok("key", "a", "C-c");
  assert.equal((await home.run(["wait", "a", "--exit-code", "--timeout", "60s"])).code, 9);
  assert.match(await home.fails("key", "a"), /^2 lectern: Missing argument KEYS/);
});

test("a recording is exported, imported gzipped or not, and replayed", async () => {
  const home = await shared.empty();
  await home.run([
    "run",
    "--name",
    "a",
    "--",
    "bash",
    "-c",
    "echo héllo; sleep 0.3; printf '\\033[32mdone\\033[0m\\n'",
  ]);
  const file = join(home.directory, "a.cast");
  await home.ok("export", "a", "-o", file);
  assert.equal(await home.ok("import", file, "--name", "copy"), "copy\n");
  assert.equal(await home.ok("logs", "copy"), "héllo\ndone\n");
  const [original, copy] = await Promise.all(
    ["a", "copy"].map((name) => home.client.call("sessions.get", { session: name })),
  );
  assert.deepEqual(copy?.command, original?.command);
  const { gzipSync } = await import("node:zlib");
  const zipped = join(home.directory, "b.cast.gz");
  writeFileSync(zipped, gzipSync(Buffer.from(await home.ok("export", "a", "--format", "asciicast-v2"))));
  assert.equal(await home.ok("import", zipped, "--name", "zipped"), "zipped\n");
  const expected = "héllo\r\n\u001b[32mdone\u001b[0m\r\n";
  for (const recording of ["a", "copy", "zipped", file, zipped]) {
    assert.equal(await home.ok("replay", recording, "--speed", "100"), expected, recording);
  }
  assert.equal(await home.ok("export", "a", "--format", "raw"), expected);
  const animation = await home.ok("export", "a", "--format", "svg");
  // The second line comes 0.3 s after the first, so one is shown before the other; both are on the last screen.
  assert.match(
    animation,
    /^<svg [^]*@keyframes s\d+\{0%\{visibility:hidden\}\d+(?:\.\d+)?%\{visibility:visible\}\}[^]*>done<[^]*<\/svg>\n$/,
  );
  assert.match(animation, />héllo</);
  assert.match(await home.fails("export", "a", "--idle-max", "1s"), /^2 .*--format svg/);
  assert.match(await home.fails("import", join(home.directory, "none.cast")), /^3 lectern: Cannot find the file/);
  assert.match(await home.fails("export", "none", "-o", join(home.directory, "none.cast")), /^3 /);
  assert.match(await home.fails("replay", join(home.directory, "none.cast")), /^3 /);
});

test("a reader of the output that goes away is a normal end", async () => {
  const home = await shared.empty();
  await home.run(["run", "-d", "--name", "a", "--", "seq", "1", "200000"]);
  await home.ok("wait", "a");
  const { code, stdout, stderr } = await home.shell('$L logs a | head -1; echo "code ${PIPESTATUS[0]}"');
  assert.deepEqual([code, stdout, stderr], [0, "1\ncode 0\n", ""]);
});

test("Ctrl-C ends a command that waits, with the code of a shell and without a word", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const waiting = home.onTerminal(["logs", "-f", "a"]);
  await home.ok("send", "a", "--enter", "hello");
  await waiting.until("hello");
  waiting.pty.write(Buffer.from("\u0003"));
  assert.deepEqual(await waiting.ended, { reason: "exited", code: 130, signal: null });
  assert.doesNotMatch(waiting.text, /lectern:/);
});

test("logs -f goes on until the session ends", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "echo first; read -r line; echo last");
  await home.ok("wait", "a", "--for", "output:first", "--from", "0");
  const following = [
    home.run(["logs", "-f", "a"]),
    home.run(["logs", "-f", "--tail", "1", "a"]),
    home.run(["logs", "-f", "--json", "a"]),
  ];
  await home.ok("send", "a", "--enter", "x");
  const [text, tail, json] = await Promise.all(following);
  assert.equal(text?.stdout, "first\nx\nlast\n");
  assert.match(tail?.stdout ?? "", /last\n$/);
  assert.match(json?.stdout ?? "", /"type":"exit".*\n$/);
});

test("a page of output that is full ends with its last whole line, and the next one begins there", async () => {
  const home = await shared.empty();
  // The second line, and the first of its characters, is in two records.
  const program = `stty -echo; printf 'one\\nt'; read x; printf 'wo\\n\\303'; read x; printf '\\274üü'`;
  await home.ok("run", "-d", "--name", "pages", "--", "sh", "-c", program);
  for (const seen of ["t", "wo"]) {
    await home.ok("wait", "pages", "--for", `output:${seen}$`, "--from", "0");
    await home.ok("send", "pages", "--enter", "on");
  }
  await home.ok("wait", "pages");
  const { start } = await home.client.call("sessions.get", { session: "pages" });
  const pages: unknown[] = [];
  let from = start;
  for (const bytesMax of [7, 7, 5, 7]) {
    const page = await home.client.call("sessions.logs", { session: "pages", from, bytesMax });
    pages.push([page.text, page.more]);
    from = page.next;
  }
  assert.deepEqual(pages, [
    ["one\n", true],
    ["two\n", true],
    ["üü", true],
    ["ü", false],
  ]);
});
