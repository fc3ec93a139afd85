/** What the commands say to somebody who uses them in an unexpected way, or walks away in the middle. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

/** Runs until a file is there; what it prints at its end does not stand in the line that is typed. */
const untilGo = "until [ -e go ]; do sleep 0.05; done; echo went'-'on";

test("attach without a terminal says what to do instead, and wrong detach keys are refused before anything starts", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  assert.match(
    await home.fails("attach", "a"),
    /^2 lectern: Cannot attach to "a": .* not a terminal; use "lectern screen a", .*"lectern logs -f a", .*"lectern send a/,
  );
  assert.match(
    await home.fails("run", "-d", "--detach-keys", "nonsense", "--", "cat"),
    /^2 lectern: Cannot read detach/,
  );
  assert.match(await home.fails("attach", "--detach-keys", "nonsense", "a"), /^2 lectern: Cannot read detach/);
  assert.equal((await home.client.call("sessions.list", {})).sessions.length, 1);
});

test("bad input is answered with the field, what it was and what it may be", async () => {
  const home = await shared.empty();
  assert.equal(
    await home.fails("run", "-d", "--name", "my shell", "--", "cat"),
    '2 lectern: Cannot take the input: "name" must be letters, digits, dot, underscore and dash, at most 64, first a letter or digit, not "my shell"',
  );
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  assert.equal(
    await home.fails("wait", "a", "--for", "quiet:0"),
    '2 lectern: Cannot take the input: "for.quietMs" must be at least 10, not 0',
  );
});

test("in a directory that was removed, commands work, and a program is not started somewhere else", async () => {
  const home = await shared.empty();
  const { code, stdout, stderr } = await home.shell(
    "mkdir gone && cd gone && rmdir ../gone && $L ls && $L config check && ! $L run -d -- cat && $L run -d --name a -C / -- cat",
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /a\n$/);
  assert.match(stderr, /lectern: Cannot .*gone/);
});

test("what follows a session ends when its reader has gone, though nothing is printed any more", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  for (const command of ["logs -f a", "logs -f --json a", "chat -f a", "events -f a", "approvals -f", "audit -f"]) {
    const { code, stdout, stderr } = await home.shell(`$L ${command} | true; echo "code \${PIPESTATUS[0]}"`);
    assert.deepEqual([command, code, stdout, stderr], [command, 0, "code 0\n", ""]);
  }
});

test("send passes on more than a program has room for, as it reads", async () => {
  const home = await shared.empty();
  const bytes = 9_000_000;
  const program = `stty raw -echo; echo ready; head -c ${bytes} | sha256sum`;
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", program);
  await home.ok("wait", "a", "--for", "output:ready", "--from", "0");
  const data = Buffer.alloc(bytes, "0123456789abcde");
  const { code, stderr } = await home.run(["send", "a", "-"], { input: data });
  assert.deepEqual([code, stderr], [0, ""]);
  const sum = createHash("sha256").update(data).digest("hex");
  assert.match(await home.ok("wait", "a", "--for", `output:${sum}`, "--from", "0"), new RegExp(sum));
});

test("Ctrl-C in prompt --wait says that the prompt stays, and how to wait for it again", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "--norc", "--noprofile");
  const waiting = home.onTerminal(["prompt", "a", "--shell", untilGo, "--wait"], {
    columns: 200,
    rows: 24,
  });
  await home.ok("wait", "a", "--for", "output:until", "--from", "0");
  waiting.pty.write(Buffer.from("\u0003"));
  assert.deepEqual(await waiting.ended, { reason: "exited", code: 130, signal: null });
  const [, key = ""] = /the prompt stays submitted; .* --key (\S+) waits again/.exec(waiting.text) ?? [];
  assert.notEqual(key, "");
  writeFileSync(join(home.directory, "go"), "");
  const again = await home.ok("prompt", "a", "--shell", untilGo, "--wait", "--key", key);
  assert.match(again, /^done/);
  const { records } = await home.client.call("sessions.records", { session: "a", types: ["input"] });
  // Text and Enter, once.
  assert.equal(records.length, 2);
});

test("a line that was given up at a prompt is no message of the conversation", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "--norc", "--noprofile");
  await home.ok("wait", "a", "--for", "ready");
  await home.ok("key", "a", "C-c");
  await home.ok("wait", "a", "--for", "ready");
  await home.ok("send", "a", "not run");
  // The kernel takes from bash what it has yet to read, and bash waits for more before it looks at Ctrl-C.
  await home.ok("wait", "a", "--for", "output:not run", "--from", "0");
  await home.ok("key", "a", "C-c");
  await home.ok("wait", "a", "--for", "ready");
  await home.ok("prompt", "a", "--shell", "echo one", "--wait");
  const { messages } = await home.client.call("sessions.messages", { session: "a" });
  assert.deepEqual(
    messages.map(({ shell, text }) => [shell?.command, text]),
    [["echo one", "one"]],
  );
});

test("a question without options is answered by typing, and every message says so", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "shy", "--", "bash", "--norc", "-c", "read -rp 'Your name? ' x; cat");
  await home.ok("wait", "shy", "--for", "status:blocked", "--timeout", "60s");
  const type = /lectern send shy --enter TEXT/;
  const [head = "", hint = ""] = (await home.ok("approvals")).split("\n");
  assert.match(head, /^shy {2}\S+ {2}Your name\?/);
  assert.match(hint, type);
  const id = head.split("  ")[1] ?? "";
  assert.match(await home.fails("prompt", "shy", "Anna"), type);
  assert.match(await home.fails("approve", "shy", id), type);
});

test("prompt --wait ends with exit code 10 and the question when the session asks a person", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "--norc", "--noprofile");
  const words = ["prompt", "a", "--shell", 'read -p "Delete everything? [y/N] " x', "--key", "k1", "--wait"];
  const asked = await home.run(words);
  assert.equal(asked.code, 10, asked.stderr);
  assert.equal(asked.stdout, "asks (key k1): Delete everything? [y/N]\n");
  assert.match(asked.stderr, /"a" asks "Delete everything\? \[y\/N\]"; answer with "lectern approve a (\S+) OPTION"/);
  const json = JSON.parse((await home.run([...words, "--json"])).stdout) as { asks: { approval: string } };
  await home.ok("approve", "a", json.asks.approval, "n");
  await home.ok("wait", "a", "--for", "status:waiting", "--timeout", "60s");
  assert.match(await home.ok(...words), /^done/);
});

test("a terminal without a size leaves that of the session", async () => {
  const home = await shared.empty();
  await home.ok(
    "run",
    "-d",
    "--name",
    "sized",
    "--cols",
    "90",
    "--rows",
    "30",
    "--",
    "bash",
    "-c",
    "echo shown; exec cat",
  );
  const viewer = home.shellOnTerminal();
  viewer.write("stty rows 0 cols 0; $L attach sized\r");
  await viewer.until("shown");
  viewer.write("typed\r");
  await viewer.until("typed");
  assert.ok(!viewer.text.includes("lectern:"), viewer.text);
  const { columns, rows } = await home.client.call("sessions.get", { session: "sized" });
  assert.deepEqual([columns, rows], [90, 30]);
});
