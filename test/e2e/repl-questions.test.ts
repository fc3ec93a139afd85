/**
 * Pagers, questions, passwords and incomplete commands of real REPLs and of shells without marks: a command that leads there ends with
 * exit code 4, the next one is not typed, and after the answer commands are exact again.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Asks } from "../../src/core/readiness/readiness.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { someOf } from "../support/variants.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();
const script = join(home.directory, "script.py");
writeFileSync(script, "x = 1\nx = 2\n");

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const notTyped = "never-typed";

interface Question {
  /** Leads to the question. */
  readonly command: string;
  readonly asks: Asks;
  /** What is typed to come back to the prompt. */
  readonly answer: string;
  /** What the output has before it. */
  readonly shows?: RegExp;
}

interface Repl {
  readonly command: readonly string[];
  /** A command and its exact output. */
  readonly check: readonly [command: string, output: string];
  readonly questions: readonly Question[];
}

const pager = { asks: "keys", answer: "q", shows: /^1\n2\n/ } as const;
const repls: Readonly<Record<string, Repl>> = {
  gdb: {
    command: ["gdb", "-q", "-nx"],
    check: ['printf "%d\\n", 6 * 7', "42\n"],
    questions: [
      { command: "help data", asks: "keys", answer: "q\n", shows: /^Examining data[^]*--Type <RET> for more/ },
      { command: "define foo", asks: "more", answer: "end\n", shows: /^Type commands/ },
      { command: "python", asks: "more", answer: "end\n" },
      { command: "shell sh -c 'printf sure?; read x'", asks: "line", answer: "\n", shows: /^sure\?$/ },
      { command: "shell seq 500 | less", ...pager },
    ],
  },
  python3: {
    command: ["/usr/bin/python3", "-q"],
    check: ["6 * 7", "42\n"],
    questions: [
      { command: 'x = input("name? ")', asks: "keys", answer: "Ann\n", shows: /^name\? $/ },
      { command: "import getpass; x = getpass.getpass()", asks: "password", answer: "secret\n", shows: /^Password: $/ },
      { command: "help(str)", asks: "keys", answer: "q", shows: /^Help on class str/ },
      { command: "def f():", asks: "more", answer: CTRL_C },
      { command: "import sys; x = sys.stdin.readline()", asks: "line", answer: "a\n" },
      { command: 'import pdb; pdb.run("1")', asks: "keys", answer: "c\n", shows: /\(Pdb\) $/ },
    ],
  },
  pdb: {
    command: ["/usr/bin/python3", "-m", "pdb", script],
    check: ["p 6 * 7", "42\n"],
    questions: [
      { command: "interact", asks: "keys", answer: CTRL_D, shows: />>> $/ },
      { command: 'p input("sure> ")', asks: "keys", answer: "yes\n", shows: /^sure> $/ },
    ],
  },
  node: {
    command: [process.execPath, "-i"],
    check: ["6 * 7", "42\n"],
    questions: [
      { command: "await (1 +", asks: "more", answer: CTRL_C },
      { command: ".editor", asks: "keys", answer: CTRL_C, shows: /^\/\/ Entering editor mode/ },
      {
        command: "require('child_process').execSync('printf sure; read x', { stdio: 'inherit' })",
        asks: "line",
        answer: "\n",
        shows: /sure$/,
      },
    ],
  },
  sqlite3: {
    command: ["sqlite3"],
    check: ["select 6 * 7;", "42\n"],
    questions: [
      { command: "select", asks: "more", answer: "1;\n" },
      { command: "select '", asks: "more", answer: "';\n" },
      { command: ".shell seq 500 | less", ...pager },
      { command: ".shell seq 500 | more", ...pager },
      { command: ".shell printf sure; read x", asks: "line", answer: "\n", shows: /^sure$/ },
    ],
  },
  bc: {
    command: ["bc", "-q"],
    check: ["6 * 7", "42\n"],
    questions: [{ command: "x = read()", asks: "line", answer: "7\n" }],
  },
  bash: {
    command: ["bash", "--norc", "--noprofile"],
    check: ["echo $((6 * 7))", "42\n"],
    questions: [
      { command: "read -p 'name? ' x", asks: "line", answer: "Ann\n", shows: /^name\? $/ },
      { command: "read -e -p 'name: ' x", asks: "keys", answer: "Ann\n", shows: /^name: $/ },
      { command: "echo 'abc", asks: "more", answer: "'\n" },
      { command: "select x in one two; do break; done", asks: "line", answer: "1\n", shows: /^1\) one/ },
      { command: "seq 500 | less", ...pager },
    ],
  },
  dash: {
    command: ["dash", "-i"],
    check: ["echo $((6 * 7))", "42\n"],
    questions: [
      { command: "read x", asks: "line", answer: "a\n" },
      { command: "for i in 1 2; do", asks: "more", answer: CTRL_C },
    ],
  },
};

for (const [name, { command, check, questions }] of someOf(repls, "python3", "gdb", "bash")) {
  test(`nothing is typed into ${questions.length} questions of ${name}, and none ends with exit code 0`, async () => {
    await home.ok("run", "-d", "--no-shell-integration", "--name", name, "--", ...command);
    await assertExact(name, check);
    for (const { command: leading, asks, answer, shows } of questions) {
      const { code, stdout } = await home.run(["exec", name, "--", leading]);
      assert.equal(code, 4, `${leading}: ${stdout}`);
      if (shows !== undefined) assert.match(stdout, shows, leading);
      const next = await execute(name, notTyped);
      assert.deepEqual([next.ran, next.asks], [false, asks], leading);
      await home.client.call("sessions.input", { session: name, text: answer });
      await untilPrompt(name);
      await assertExact(name, check);
    }
    assert.doesNotMatch(await home.ok("logs", name, "--raw"), new RegExp(notTyped));
  });
}

const execute = (session: string, command: string): Promise<OutputOf<"sessions.exec">> =>
  home.client.call("sessions.exec", { session, command });

async function assertExact(session: string, [command, output]: Repl["check"]): Promise<void> {
  const { output: actual, ended, asks } = await execute(session, command);
  assert.deepEqual({ actual, ended, asks }, { actual: output, ended: true, asks: "command" }, command);
}

/** The answer may not have been read yet. */
async function untilPrompt(session: string): Promise<void> {
  for (;;) {
    const { ready } = await home.client.call("sessions.wait", { session, for: { type: "ready" } });
    if (ready?.asks === "command") return;
  }
}

test("output that ends without a line feed is whole, and the prompt behind it is not part of it", async () => {
  for (const [name, command] of [
    ["gdb", 'printf "abc"'],
    ["python3", 'print("abc", end="")'],
  ] as const) {
    await assertExact(name, [command, "abc"]);
  }
});

test("the prompt of a REPL is known after the daemon was killed, however much it has printed since", async () => {
  await home.ok("run", "-d", "--name", "long", "--", "/usr/bin/python3", "-q");
  await assertExact("long", ["6 * 7", "42\n"]);
  const { ended } = await execute("long", "for i in range(5000): print('x' * 70)\n");
  assert.equal(ended, true);
  assert.equal((await execute("long", 'x = input(">> ")')).ended, false);
  await home.crashDaemon();
  await home.ok("ls");
  assert.equal((await execute("long", notTyped)).ran, false);
  await home.client.call("sessions.input", { session: "long", text: "a\n" });
  await untilPrompt("long");
  await assertExact("long", ["x", "'a'\n"]);
});

test("a prompt that the program has changed to is named by the caller", async () => {
  await home.ok("run", "-d", "--name", "renamed", "--", "/usr/bin/python3", "-q");
  await assertExact("renamed", ["6 * 7", "42\n"]);
  assert.match(await home.fails("exec", "renamed", "--", "import sys; sys.ps1 = 'py$ '"), /^4 .*waits for input/);
  assert.match(await home.fails("exec", "renamed", "--", "1"), /^4 .*nothing was typed; .*--prompt/);
  assert.equal(await home.ok("exec", "renamed", "--prompt", "py$ ", "--", "6 * 7"), "42\n");
});

test("a REPL in front of a shell is typed into with --inside, and its pager is not", async () => {
  await home.ok("run", "-d", "--name", "nested", "--", "bash", "--norc", "--noprofile");
  assert.match(await home.fails("exec", "nested", "--", "gdb -q -nx"), /^4 .*gdb waits for input/);
  assert.match(await home.fails("exec", "nested", "--", "print 1"), /^4 .*nothing was typed.*--inside/);
  assert.equal(await home.ok("exec", "nested", "--inside", "--", "print 1"), "$1 = 1\n");
  assert.match(await home.fails("exec", "nested", "--inside", "--", "help data"), /^4 .*gdb waits for input/);
  assert.match(await home.fails("exec", "nested", "--inside", "--", notTyped), /^4 .*nothing was typed/);
  await home.ok("send", "nested", "--enter", "q");
  assert.equal(await home.ok("exec", "nested", "--inside", "--", "print 2"), "$2 = 2\n");
  assert.doesNotMatch(await home.ok("logs", "nested", "--raw"), new RegExp(notTyped));
});
