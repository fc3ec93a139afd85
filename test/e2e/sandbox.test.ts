/** What a session in a sandbox can do as any other, what is refused before it starts, and what is left when it has ended. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { SessionEvent } from "../../src/core/records.ts";
import { argumentsOf } from "../../src/pty/proc-files.ts";
import { sandboxWithLectern } from "../support/launcher.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

let home: CliHome;
let project: string;

before(() => {
  home = new CliHome();
  project = join(home.directory, "project");
  mkdirSync(project);
});
after(async () => await home[Symbol.asyncDispose]());

const start = async (name: string, ...words: string[]): Promise<string> =>
  await home.ok("run", "-d", "--name", name, "-C", project, ...words);
const visibleIn = (directory: string): string[] => readdirSync(directory).toSorted();
const foregroundOf = async (session: string): Promise<readonly (string | null)[]> => {
  const { records } = await home.client.call("sessions.records", { session, types: ["mark"] });
  return records.flatMap((record) => {
    const event = record.type === "mark" ? (record.event as SessionEvent) : undefined;
    return event?.type === "foreground" ? [event.program] : [];
  });
};

test("bubblewrap is installed, as scripts/system-packages does", () => {
  assert.equal(
    spawnSync("bwrap", ["--version"]).error,
    undefined,
    "run scripts/system-packages: the sandbox needs bubblewrap",
  );
});

test("shell integration, exec, events, status and resize work inside", async () => {
  const settings = join(home.directory, "lectern.yaml");
  writeFileSync(settings, sandboxWithLectern());
  await start("shell", `--sandbox=${settings}`, "--", "bash", "--norc", "--noprofile");
  const session = { session: "shell" } as const;
  await home.client.call("sessions.wait", { ...session, for: { type: "ready" }, timeoutMs: 60_000 });
  assert.equal(await home.ok("exec", "shell", "--", "echo $((6*7)); exit 3 | true; pwd"), `42\n${project}\n`);
  assert.equal((await home.run(["exec", "shell", "--", "(exit 3)"])).code, 3);
  const emitted = await home.run(["exec", "shell", "--", `${home.launcherEnvironment.L} emit DONE '{"a":1}'`]);
  assert.equal(emitted.code, 0, emitted.stderr + emitted.stdout);
  assert.match(await home.ok("events", "shell"), /DONE\s+socket/);
  await home.ok("resize", "shell", "100x30");
  assert.equal(await home.ok("exec", "shell", "--", "stty size"), "30 100\n");
  // The end of a command is reported before the screen behind it is complete.
  const waited = await home.client.call("sessions.wait", {
    ...session,
    for: { type: "status", states: ["waiting"] },
    timeoutMs: 60_000,
  });
  assert.equal(waited.reason, "status");
  const { sandbox, command } = await home.client.call("sessions.get", session);
  assert.deepEqual(command, ["bash", "--norc", "--noprofile"]);
  assert.deepEqual(sandbox, {
    profile: "work",
    backend: "bubblewrap",
    promises: ["files", "processes", "network", "sockets", "terminal"],
    missing: [],
    setAside: null,
    findings: [],
  });
  for (const program of await foregroundOf("shell")) assert.notEqual(program, "bwrap");
});

test("attach shows the screen of a program inside and types into it", async () => {
  const terminal = home.onTerminal(["attach", "shell"]);
  await terminal.until("$ ");
  terminal.write("echo at''tached\r");
  await terminal.until("attached");
});

test("jobs are controlled as outside: Ctrl-Z stops, fg goes on, Ctrl-C ends, and the shell stays", async () => {
  const session = { session: "shell" } as const;
  const type = async (text: string): Promise<number> =>
    (await home.client.call("sessions.input", { ...session, text, take: true })).offset;
  const shows = async (pattern: string, from: number): Promise<void> => {
    const found = await home.client.call("sessions.wait", {
      ...session,
      for: { type: "output", pattern },
      from,
      timeoutMs: 60_000,
    });
    assert.equal(found.reason, "output", pattern);
  };
  const runs = async (program: string): Promise<void> =>
    await until(async () => {
      await home.client.call("sessions.status", session);
      return (await foregroundOf("shell")).at(-1) === program;
    }, `${program} in the foreground`);
  await type("sleep 1000\r");
  await runs("sleep");
  await shows("Stopped", await type("\x1a"));
  await type("fg\r");
  await runs("sleep");
  await type("\x03");
  await runs("bash");
  await shows("code 130", await type('echo "code $?"\r'));
});

test("Ctrl-C reaches a program without jobs and not the sandbox, and a signal ends it with its exit code", async () => {
  const program = `trap 'echo interrupted' INT; trap 'echo ended; exit 7' USR1; echo up; while :; do sleep 0.05; done`;
  await start("trap", "--sandbox=offline", "--", "bash", "-c", program);
  const session = { session: "trap" } as const;
  const shows = async (pattern: string): Promise<void> => {
    const found = await home.client.call("sessions.wait", {
      ...session,
      for: { type: "output", pattern },
      from: 0,
      timeoutMs: 60_000,
    });
    assert.equal(found.reason, "output", pattern);
  };
  await shows("up");
  await home.ok("key", "trap", "C-c");
  await shows("interrupted");
  await home.ok("signal", "trap", "USR1");
  const { session: ended } = await home.client.call("sessions.wait", {
    ...session,
    for: { type: "exit" },
    timeoutMs: 60_000,
  });
  assert.deepEqual(ended.exit, { reason: "exited", code: 7, signal: null });
});

test("the end of a session ends all that it started, also in kernel sessions of their own", async () => {
  // Of this run only, so that another one on this machine is not found.
  const job = `date > alive-${process.pid}`;
  const file = join(project, `alive-${process.pid}`);
  await start("left", "--sandbox", "--", "bash", "-c", `setsid sh -c 'while :; do ${job}; sleep 0.05; done' & wait`);
  await until(() => existsSync(file), "the job runs");
  await home.ok("kill", "left");
  // The kernel ends them with the first process of the sandbox, each when it gets a processor.
  const pids = (): number[] =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0);
  await until(() => !pids().some((pid) => argumentsOf(pid)?.some((word) => word.includes(job))), "all have ended");
});

test("nothing that the sandbox has made is left, unless another one uses it or somebody has filled it", async () => {
  await home.ok("kill", "shell");
  const earlier = visibleIn(project);
  assert.ok(!earlier.includes(".claude"), earlier.join(" "));
  await start("one", "--sandbox", "--", "cat");
  await start("two", "--sandbox", "--", "sh", "-c", "read line; mkdir -p .claude/x && echo made; cat");
  assert.ok(visibleIn(project).includes(".claude"));
  await home.ok("kill", "one");
  assert.ok(visibleIn(project).includes(".claude"), "the other session still needs it");
  await home.ok("send", "two", "go", "--enter");
  const failed = { type: "output", pattern: "Read-only file system" } as const;
  assert.equal((await home.client.call("sessions.wait", { session: "two", for: failed, from: 0 })).reason, "output");
  writeFileSync(join(project, ".claude/settings.json"), "{}");
  await home.crashDaemon();
  await home.ok("kill", "two");
  assert.deepEqual(
    visibleIn(project).filter((name) => !earlier.includes(name)),
    [".claude"],
  );
});

test("git does not see what the sandbox has made", async () => {
  const repository = join(home.directory, "repository");
  mkdirSync(repository);
  assert.equal(spawnSync("git", ["init", "-q", repository]).status, 0);
  const script = "git add . && git status --porcelain && echo clean; read line";
  await home.ok("run", "-d", "--name", "git", "-C", repository, "--sandbox", "--", "sh", "-c", script);
  const clean = { type: "output", pattern: "clean" } as const;
  assert.equal((await home.client.call("sessions.wait", { session: "git", for: clean, from: 0 })).reason, "output");
  assert.equal(await home.ok("logs", "git"), "clean\n");
  assert.equal(spawnSync("git", ["-C", repository, "status", "--porcelain"], { encoding: "utf8" }).stdout, "");
  await home.ok("kill", "git");
});

test("a worktree can be committed in, and its hooks not be written", async () => {
  const [main, tree] = [join(home.directory, "main"), join(home.directory, "tree")];
  const git = (...words: string[]): void => {
    const { status, stderr } = spawnSync("git", words, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };
  git("init", "-q", main);
  git("-C", main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  git("-C", main, "worktree", "add", "-q", tree);
  const script = [
    "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && echo committed",
    `echo x > ${main}/.git/hooks/pre-commit || echo held`,
    `echo x > ${main}/file`,
  ].join("; ");
  await home.ok("run", "-d", "--name", "tree", "-C", tree, "--sandbox", "--", "sh", "-c", script);
  await home.client.call("sessions.wait", { session: "tree", for: { type: "exit" }, timeoutMs: 60_000 });
  const output = await home.ok("logs", "tree");
  for (const word of ["committed", "held"]) assert.match(output, new RegExp(`^${word}$`, "m"));
  assert.ok(!existsSync(join(main, "file")));
});

test("a start that would not work is refused, and says what to do", async () => {
  const refused = async (...words: string[]): Promise<string> =>
    await home.fails("run", "-d", "-C", project, ...words.map((word) => word.replaceAll("HOME", home.directory)));
  const file = (name: string, text: string): string => {
    writeFileSync(join(home.directory, name), text);
    return `--sandbox=${join(home.directory, name)}`;
  };
  assert.match(await refused("--sandbox=wrok", "--", "cat"), /Unknown sandbox profile "wrok": did you mean "work"\?/);
  assert.match(
    await refused(file("a.yaml", "writes: [.]\n"), "--", "cat"),
    /a\.yaml:1:1: Unknown key "writes": did you mean "write"/,
  );
  assert.match(
    await refused(file("b.yaml", "write: [missing]\n"), "--", "cat"),
    /"missing" under "write" does not exist .*create it first/,
  );
  assert.match(
    await refused(file("c.yaml", "hide: [/usr/lib]\n"), "--", "cat"),
    /"\/usr\/lib" under "hide" has what every program needs/,
  );
  assert.match(await refused(file("d.yaml", "write: [/]\n"), "--", "cat"), /"\/" cannot be written inside/);
  assert.match(
    await refused(file("e.yaml", "hide: [.]\n"), "--", "cat"),
    /"\." under "hide" contains the working directory/,
  );
  mkdirSync(join(home.directory, "bin"), { recursive: true });
  writeFileSync(join(home.directory, "bin/own"), "#!/bin/sh\necho own\n", { mode: 0o755 });
  assert.match(
    await refused("--sandbox", "--", "own"),
    /"\S+\/bin\/own" is hidden inside, and it is the program; name it under "readOnly"/,
  );
  writeFileSync(join(home.directory, "key.json"), "{}");
  const key = await home.run(["run", "-d", "-C", project, "--sandbox", "--", "cat"], {
    env: { GOOGLE_APPLICATION_CREDENTIALS: join(home.directory, "key.json") },
  });
  assert.match(key.stderr, /key\.json" is hidden inside, and it is what GOOGLE_APPLICATION_CREDENTIALS names/);
  writeFileSync(join(project, "hidden.txt"), "");
  assert.match(
    await refused(file("f.yaml", "hide: [hidden.txt]\n"), "--", "cat", "./hidden.txt"),
    /hidden\.txt" is hidden inside, and it is a file that the command names/,
  );
  assert.match(await refused("--sandbox", "--", "no-such-program"), /Cannot find command "no-such-program"/);
  const linked = join(home.directory, "linked");
  mkdirSync(linked);
  symlinkSync("/etc", join(linked, ".claude"));
  assert.match(
    await home.fails("run", "-d", "-C", linked, "--sandbox", "--", "cat"),
    /\.claude" in the sandbox: it is a symbolic link/,
  );
  assert.deepEqual(visibleIn(linked), [".claude"], "a refused start leaves nothing");
});

test("what a file names is shown and can be written", async () => {
  const extra = join(home.directory, "extra");
  mkdirSync(extra);
  writeFileSync(
    join(home.directory, "own.yaml"),
    `profile: look\nwrite: [${extra}]\nreadOnly: [${join(home.directory, "bin/")}]\n`,
  );
  const script = `own && echo x > ${extra}/file && echo wrote; echo x > file || echo held`;
  await start("own", `--sandbox=${join(home.directory, "own.yaml")}`, "--", "sh", "-c", script);
  await home.client.call("sessions.wait", { session: "own", for: { type: "exit" }, timeoutMs: 60_000 });
  assert.match(await home.ok("logs", "own"), /own\nwrote\n.*Read-only file system\nheld/);
});

test("without a backend a start is refused with the remedy, or is shown as open where that was asked for", async () => {
  await using other = new CliHome((directory) => ({
    LECTERN_HOME: join(directory, "home"),
    LECTERN_BUBBLEWRAP: "/nowhere/bwrap",
  }));
  const refused = await other.fails("run", "-d", "--sandbox", "--", "cat");
  assert.match(refused, /LECTERN_BUBBLEWRAP names "\/nowhere\/bwrap".* apt install bubblewrap .*--sandbox-optional/);
  const open = await other.run(["run", "-d", "--name", "open", "--sandbox-optional", "--", "cat"]);
  assert.deepEqual([open.code, open.stdout], [0, "open\n"]);
  assert.match(open.stderr, /^NO SANDBOX: it runs without walls/);
  assert.match(await other.ok("ls"), /NO SANDBOX/);
  assert.match(await other.ok("info", "open"), /Sandbox +NONE \(wanted work\): nothing holds files, processes/);
  const { sandbox } = await other.client.call("sessions.get", { session: "open" });
  assert.equal(sandbox?.backend, "none");
  const { stdout } = await other.run(["doctor"]);
  assert.match(stdout, /warn {2}sandbox +--sandbox is refused: .*\n +-> Install it: apt install bubblewrap/);
});

test("the sandbox block of a policy holds without an option", async () => {
  writeFileSync(join(home.directory, "policy.yaml"), "version: 1\nsandbox: { profile: offline }\n");
  const policy = ["--wire", "--policy", join(home.directory, "policy.yaml")];
  await start("policy", ...policy, "--", "cat");
  assert.equal((await home.client.call("sessions.get", { session: "policy" })).sandbox?.profile, "offline");
});
