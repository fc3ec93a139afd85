import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SshServer } from "../support/ssh-server.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

let ssh: SshServer;
let box: CliHome;
let home: CliHome;

before(async () => {
  ssh = await SshServer.start();
  box = new CliHome();
  home = new CliHome();
  await home.ok("hosts", "add", "box", ...ssh.hostArguments(box.paths.dataDirectory));
  // While it runs, commands need no process of their own.
  await home.startDaemon("--no-tcp");
});

after(async () => {
  await home.run(["hosts", "rm", "box"]);
  await home[Symbol.asyncDispose]();
  await box[Symbol.asyncDispose]();
  await ssh[Symbol.asyncDispose]();
});

test("a host is added once its daemon was started over ssh, and is listed", async () => {
  const { hosts } = JSON.parse(await home.ok("hosts", "ls", "--json")) as { hosts: Record<string, unknown>[] };
  assert.deepEqual(
    hosts.map(({ away, name, version }) => ({ away, name, version })),
    [{ away: null, name: "box", version: (await box.info())?.version }],
  );
  assert.match(await home.ok("hosts", "ls"), /^box +connected /m);
  assert.equal(await home.ok("hosts", "ls", "-q"), "box\n");
  assert.match(await home.ok("hosts", "check"), /^box: Lectern /);
});

test("no daemon of this machine is started for a session on a host", async () => {
  await using fresh = new CliHome();
  await fresh.ok("hosts", "add", "box", ...ssh.hostArguments(box.paths.dataDirectory));
  assert.equal(await fresh.ok("run", "-d", "--host", "box", "--name", "alone", "--", "cat"), "box/alone\n");
  assert.equal(await fresh.info(), undefined);
  await fresh.ok("kill", "box/alone");
  await fresh.ok("wait", "box/alone", "--for", "exit");
  await fresh.ok("rm", "box/alone");
  await fresh.ok("hosts", "rm", "box");
});

test("a session on a host is run, typed into, read, waited for and ended by its address, and by --host", async () => {
  assert.equal(await home.ok("run", "-d", "-H", "box", "--name", "work", "--", "cat"), "box/work\n");
  await home.ok("send", "box/work", "--enter", "hello");
  // The terminal's echo, and what the program writes.
  await home.ok("wait", "box/work", "--for", String.raw`output:hello\nhello\n`);
  assert.equal(await home.ok("logs", "box/work"), "hello\nhello\n");
  assert.equal(await home.ok("logs", "--host", "box", "work"), "hello\nhello\n");
  assert.match(await home.ok("screen", "box/work"), /hello/);
  assert.match(await home.ok("ls", "--host", "box"), /^work +running/m);
  assert.match(await home.ok("ls", "--all"), /^box\/work +running/m);
  assert.equal(await home.ok("ls", "--quiet"), "");
  assert.equal(await home.ok("ls", "-aq", "--no-start"), "box/work\n");
  await home.ok("kill", "box/work");
  await home.ok("wait", "box/work", "--for", "exit");
  assert.match(await home.ok("ls", "-a"), /^box\/work +SIGHUP/m);
  await home.ok("rm", "box/work");
  assert.equal(await home.ok("ls", "-aq"), "");
});

test("a session on a host starts in the home directory there, or where --cwd says, with nothing of this shell", async () => {
  const env = { OF_THIS_SHELL: "yes" };
  const ran = await home.run(
    ["run", "-d", "-H", "box", "--name", "at", "--", "sh", "-c", 'pwd; echo "[$OF_THIS_SHELL]"'],
    { env },
  );
  assert.equal(ran.stderr, "");
  await home.ok("wait", "box/at", "--for", "exit");
  assert.match(await home.ok("logs", "box/at"), /^\/.*\n\[\]\n$/);
  assert.doesNotMatch(await home.ok("logs", "box/at"), /^\/\n/);
  await home.ok("run", "-d", "-H", "box", "--cwd", "/usr", "--name", "there", "--", "pwd");
  await home.ok("wait", "box/there", "--for", "exit");
  assert.equal(await home.ok("logs", "box/there"), "/usr\n");
  await home.ok("rm", "box/at", "box/there");
});

test("questions and messages of all machines are in one list, and a question on a host is answered", async () => {
  const ask = "printf 'Proceed? [y/N] '; read answer; echo \"got $answer\"";
  await home.ok("run", "-d", "-H", "box", "--name", "asks", "--", "bash", "-c", ask);
  await until(async () => (await home.ok("approvals", "--all")).includes("box/asks"), "the question of the host");
  assert.equal((await home.ok("approvals", "--all", "--json")).includes('"host":"box"'), true);
  assert.equal(await home.ok("approvals"), "");
  await home.ok("send", "box/asks", "--enter", "y");
  await home.ok("wait", "box/asks", "--for", "exit");
  assert.match(await home.ok("logs", "box/asks"), /got y/);
  await until(async () => (await home.ok("search", "--all", "Proceed")).includes("box/asks"), "the search finds it");
  assert.equal(await home.fails("search", "Proceed"), "1 No hits");
  await home.ok("rm", "box/asks");
});

test("a command on a host has its exit code, and an error there names the host", async () => {
  await home.ok("run", "-d", "-H", "box", "--name", "shell", "--", "bash", "--norc");
  assert.deepEqual(await home.run(["exec", "box/shell", "--", "sh", "-c", "'echo out; exit 7'"]), {
    code: 7,
    stdout: "out\n",
    stderr: "",
  });
  assert.match(await home.fails("logs", "box/nobody"), /^3 lectern: On host "box": Cannot find session "nobody"/);
  await home.ok("kill", "box/shell");
  await home.ok("wait", "box/shell", "--for", "exit");
  await home.ok("rm", "box/shell");
});

test("a daemon that was killed there is started by the next command, and no session is lost", async () => {
  await home.ok("run", "-d", "-H", "box", "--name", "stays", "--", "cat");
  await box.crashDaemon();
  await home.ok("send", "box/stays", "--enter", "after");
  await home.ok("wait", "box/stays", "--for", "output:after");
  await home.ok("kill", "box/stays");
  await home.ok("wait", "box/stays", "--for", "exit");
  await home.ok("rm", "box/stays");
});

test("attach over ssh shows every line, also across connections that are cut", async () => {
  const lines = 600;
  // It pauses without a process of its own for each pause: nothing is ever written into the pipe.
  const script = `exec 3<> <(:); for ((i = 1; i <= ${lines}; i++)); do echo "line $i"; read -rt 0.01 -u 3; done; read -r last`;
  await home.ok("run", "-d", "-H", "box", "--name", "long", "--", "bash", "-c", script);
  const viewer = home.onTerminal(["attach", "box/long", "--from", "0"], { columns: 80, rows: 24 });
  for (const [index, at] of [100, 350].entries()) {
    await viewer.until(`line ${at}`);
    ssh.cut();
    // What is typed, or cut, before the viewer has noticed says nothing.
    await until(() => viewer.text.split("[lectern: reconnected]").length - 1 > index, "the viewer is back");
  }
  await viewer.until(`line ${lines}`);
  const seen = new Set([...viewer.text.matchAll(/line (\d+)\r/g)].map((match) => Number(match[1])));
  assert.equal(seen.size, lines);
  viewer.pty.write(Buffer.from("\r"));
  assert.deepEqual(await viewer.ended, { reason: "exited", code: 0, signal: null });
  await home.ok("rm", "box/long");
});

test("the daemon here serves the sessions of hosts that were added while it ran, and reads nothing of hosts before", async () => {
  await using fresh = new CliHome();
  await fresh.startDaemon("--port", "0");
  assert.deepEqual(await fresh.client.call("machines.list", {}), { machines: [] });
  const over = new AbortController();
  const told: string[] = [];
  const following = (async () => {
    const options = { list: true, machines: true, signal: over.signal };
    for await (const update of fresh.client.daemonUpdates(options)) told.push(JSON.stringify(update));
  })().catch(() => undefined);
  await fresh.ok("hosts", "add", "box", ...ssh.hostArguments(box.paths.dataDirectory));
  const there = fresh.client.on("box");
  const { id } = await there.call("sessions.create", { command: ["cat"], name: "proxied" });
  await until(
    () => told.some((line) => line.includes(`"box/${id}"`)),
    "the list of the page has the session of the host",
  );
  await fresh.client.call("sessions.input", { session: "box/proxied", text: "typed", enter: true });
  await fresh.ok("wait", "box/proxied", "--for", "output:typed");
  const [row] = (await fresh.client.call("machines.list", {})).machines;
  assert.deepEqual([row?.name, row?.link, row?.state], ["box", "ssh", "connected"]);
  await there.call("sessions.kill", { session: id });
  await fresh.ok("hosts", "rm", "box");
  await until(
    () => told.some((line) => line.includes('"machine":"box","view":null')),
    "the host is gone from the page",
  );
  over.abort();
  await following;
  await box.client.call("sessions.remove", { session: id });
});

test("a host that hangs or is gone is a row with its reason, and the others are there at once", async () => {
  await using gone = new CliHome();
  await home.ok("run", "-d", "--name", "mine", "--", "cat");
  await using other = await SshServer.start();
  try {
    await home.ok("hosts", "add", "pi", ...other.hostArguments(gone.paths.dataDirectory));
    other.hang();
    const listing = home.onTerminal(["ls", "--all"], { columns: 200, rows: 24 });
    await listing.until("mine");
    await listing.ended;
    assert.match(listing.text, /pi\/ +away .*no answer within/);
    assert.ok(listing.text.indexOf("mine") < listing.text.indexOf("pi/"));
    other.resume();
    await other.kill();
    assert.match(await home.ok("ls", "--all"), /^pi\/ +away .*Connection refused/m);
    assert.match(
      await home.fails("logs", "pi/x"),
      /^6 lectern: Cannot reach host "pi" .*Connection refused.*start its SSH server/,
    );
    assert.match((await home.run(["search", "--all", "x"])).stderr, /Cannot search host "pi": /);
    await other.restart();
    assert.match(await home.ok("hosts", "check", "pi"), /^pi: Lectern /);
  } finally {
    await home.run(["hosts", "rm", "pi"]);
  }
  await home.ok("kill", "mine");
});

test("what cannot be reached is not added, and the reason names the next step", async () => {
  const { dataDirectory } = box.paths;
  const stranger = await home.fails("hosts", "add", "no", ...ssh.hostArguments(dataDirectory, { key: "stranger" }));
  assert.match(
    stranger,
    /^6 lectern: Cannot reach host "no" .*Permission denied.*"lectern hosts add no [^"]*" in a terminal.*--no-check/,
  );
  const [destination = "", ...options] = ssh.hostArguments(dataDirectory);
  const elsewhere = [...options.slice(0, -2), "--program", "/nowhere/lectern"];
  assert.match(
    await home.fails("hosts", "add", "no", destination, ...elsewhere),
    /^6 .*"\/nowhere\/lectern" was not found there; install it there as here/,
  );
  const unknown = options.map((option) =>
    option.startsWith("UserKnownHostsFile=") ? "UserKnownHostsFile=/dev/null" : option,
  );
  assert.match(
    await home.fails("hosts", "add", "no", destination, ...unknown),
    /^6 .*(Host key verification failed|host key is known).*connect once by hand/,
  );
  assert.match(await home.fails("hosts", "add", "box", "x@y"), /^4 .*it leads to .*--replace/);
  assert.match(await home.fails("hosts", "add", "-q", "no"), /^2 .*Wanted a name and a destination/);
  assert.match(await home.fails("hosts", "add", "a b", "x@y"), /^2 .*name: letters, digits/);
  assert.match(await home.fails("hosts", "add", "no", "--", "-oProxyCommand=x"), /^2 .*destination/);
  assert.match(await home.fails("logs", "bux/x"), /^3 .*Cannot find host "bux": did you mean "box"\?/);
  assert.match(await home.fails("rm", "box/a", "pi/b"), /^2 .*more than one host in one command, which has box, pi/);
  assert.equal(await home.ok("hosts", "ls", "-q"), "box\n");
});

test("a daemon of another protocol is named with what to update", async () => {
  const program = join(ssh.directory, "old-lectern");
  const info = JSON.stringify({ version: "0.0.9", protocolVersion: 1, listen: ["unix:/nowhere.sock"] });
  writeFileSync(program, `#!/bin/sh\necho '${info}'\n`, { mode: 0o755 });
  const [destination = "", ...options] = ssh.hostArguments(box.paths.dataDirectory);
  const old = [...options.slice(0, -2), "--program", program];
  assert.match(
    await home.fails("hosts", "add", "old", destination, ...old),
    /^6 .*Lectern 0\.0\.9 there speaks protocol 1, wanted \d+; update it there/,
  );
});

test("a hosts file that is damaged costs the hosts and nothing else", async () => {
  await using other = new CliHome();
  await other.ok("run", "-d", "--name", "mine", "--", "cat");
  writeFileSync(other.paths.hostsFile, "{");
  assert.match(await other.ok("ls"), /^mine +running/m);
  const { code, stderr, stdout } = await other.run(["ls", "--all"]);
  assert.equal(code, 0);
  assert.match(stdout, /^mine +running/m);
  assert.match(stderr, /^lectern: Cannot read the hosts in ".*hosts\.json": .*; mend or remove that file/);
});
