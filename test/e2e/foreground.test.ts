/** The foreground probe on real programs: each in the state that its name says, looked at many times. Linux, with FFI. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { setTimeout as pace } from "node:timers/promises";
import type { ForegroundLook } from "../../src/core/events/foreground.ts";
import { type ForegroundVerdict, awaitsInput } from "../../src/core/records.ts";
import { cleanEnvironment } from "../../src/pty/environment.ts";
import { ForegroundProbe } from "../../src/pty/foreground-probe.ts";
import { loadLibc } from "../../src/pty/libc.ts";
import { PtyRun } from "../pty-run.ts";
import { makeFishHome } from "../support/fish-home.ts";

const LOOKS = 50;
/** 98 %. */
const RIGHT_MIN = 49;
const ROUNDS_MAX = 10;
const LOOK_EVERY_MS = 4;

const home = mkdtempSync(join(tmpdir(), "lectern-foreground-"));
makeFishHome(home);
after(() => {
  spawnSync("tmux", ["-S", join(home, "tmux"), "kill-server"]);
  rmSync(home, { recursive: true, force: true });
});
const server = createServer().listen(0, "127.0.0.1").unref();
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;

const environment = cleanEnvironment(
  { ...process.env, PATH: `/usr/bin:/bin:/usr/sbin:${process.env["PATH"]}` },
  { extra: { HOME: home, PS1: "$ ", ENV: "", LESS: "", EDITOR: "", PAGER: "" } },
);

interface Scenario {
  readonly command: readonly [string, ...string[]];
  /** Typed one after the other, each when the program waits for a person. */
  readonly type?: readonly string[];
  /** The first is what it must become; the others are as right, such as `listening` for a program that sometimes has a timer. */
  readonly verdict: readonly [ForegroundVerdict, ...ForegroundVerdict[]];
  /** Name of the program that is looked at when it is in that state. */
  readonly program: string;
  /** Whether the kernel shows a line editor. */
  readonly editsLine?: boolean;
}

const bash = ["bash", "--norc", "--noprofile", "-i"] as const;
const node = process.execPath;
/** What a terminal program in Node does: raw mode, keys, and something else. */
const tui = (rest: string): [string, ...string[]] => [
  node,
  "-e",
  `process.stdin.setRawMode(true); process.stdin.on("data", () => {}); ${rest}`,
];

const scenarios: Readonly<Record<string, Scenario>> = {
  "bash at its prompt": { command: bash, verdict: ["raw"], program: "bash", editsLine: true },
  "bash at its second prompt": {
    command: bash,
    type: ["for i in 1 2\r"],
    verdict: ["raw"],
    program: "bash",
    editsLine: true,
  },
  "zsh at its prompt": { command: ["zsh", "-f"], verdict: ["raw"], program: "zsh", editsLine: true },
  "fish at its prompt": { command: ["fish", "--no-config"], verdict: ["raw"], program: "fish" },
  "dash at its prompt": { command: ["dash", "-i"], verdict: ["prompt"], program: "dash" },
  python3: { command: ["/usr/bin/python3", "-q"], verdict: ["raw"], program: "python3", editsLine: true },
  sqlite3: { command: ["sqlite3"], verdict: ["raw"], program: "sqlite3", editsLine: true },
  bc: { command: ["bc", "-q"], verdict: ["raw"], program: "bc", editsLine: true },
  cat: { command: ["cat"], verdict: ["prompt"], program: "cat" },
  less: { command: ["less", "/etc/passwd"], verdict: ["raw"], program: "less" },
  "less at the end of a pipe": {
    command: ["bash", "-c", "seq 100000 | less"],
    verdict: ["raw"],
    program: "less",
  },
  nano: { command: ["nano", "-I", join(home, "text")], verdict: ["raw"], program: "nano" },
  "read -p": { command: ["bash", "-c", "read -p 'name? ' name"], verdict: ["prompt"], program: "bash" },
  "python in bash": { command: bash, type: ["/usr/bin/python3 -q\r"], verdict: ["raw"], program: "python3" },
  "bash with a job in the background": { command: bash, type: ["sleep 100 &\r"], verdict: ["raw"], program: "bash" },
  "bash with a stopped job": { command: bash, type: ["cat\r", "\x1a"], verdict: ["raw"], program: "bash" },
  gdb: { command: ["gdb", "-q", "-nx"], verdict: ["raw"], program: "gdb", editsLine: true },
  "the REPL of node": { command: [node, "-i"], verdict: ["raw"], program: "node", editsLine: true },
  vim: { command: ["vim", "-u", "NONE", "-i", "NONE"], verdict: ["raw"], program: "vim" },
  // Each 10 s: to read the processes of a busy machine may take longer than their own second between two screens.
  top: { command: ["top", "-d", "10"], verdict: ["raw"], program: "top" },
  htop: { command: ["htop", "-d", "100"], verdict: ["raw"], program: "htop" },
  "a program in node that waits for keys": { command: tui(""), verdict: ["raw"], program: "node", editsLine: false },
  "a menu in python that has loaded readline and read a line": {
    command: [
      "/usr/bin/python3",
      "-c",
      "import os, readline, tty\ninput('name> ')\ntty.setcbreak(0)\nos.write(1, b'> ')\nos.read(0, 1)",
    ],
    type: ["me\r"],
    verdict: ["raw"],
    program: "python3",
    editsLine: false,
  },
  "read -n 1": { command: ["bash", "-c", "read -n 1 -p '> '"], verdict: ["raw"], program: "bash", editsLine: false },
  "read -e": { command: ["bash", "-c", "read -e -p '> '"], verdict: ["raw"], program: "bash", editsLine: true },
  "read -s": { command: ["bash", "-c", "read -s -p 'word: ' word"], verdict: ["password"], program: "bash" },
  getpass: {
    command: ["/usr/bin/python3", "-c", "import getpass; getpass.getpass()"],
    verdict: ["password"],
    program: "python3",
  },
  sleep: { command: ["sleep", "100"], verdict: ["busy"], program: "sleep" },
  "bash that runs sleep": { command: bash, type: ["sleep 100\r"], verdict: ["busy"], program: "sleep" },
  "a pipeline": { command: bash, type: ["sleep 100 | sleep 100\r"], verdict: ["busy"], program: "sleep" },
  "a loop that computes": { command: ["bash", "-c", "while :; do :; done"], verdict: ["busy"], program: "bash" },
  "a server that waits for a client": {
    command: [
      "/usr/bin/python3",
      "-c",
      "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); s.accept()",
    ],
    verdict: ["busy"],
    program: "python3",
  },
  "a shell that waits for its child": {
    command: ["bash", "-c", "sleep 100 & wait"],
    verdict: ["busy"],
    program: "bash",
  },
  "yes, which nobody stops": { command: ["yes"], verdict: ["busy"], program: "yes" },
  "gdb that runs a program": {
    command: ["gdb", "-q", "-nx", "sleep"],
    type: ["run 100\r"],
    verdict: ["busy"],
    program: "sleep",
  },
  "timers in node": { command: [node, "-e", "setInterval(() => {}, 50)"], verdict: ["busy"], program: "node" },
  "a program in node with an open socket": {
    command: tui(`require("net").connect(${port}, "127.0.0.1")`),
    verdict: ["listening", "busy"],
    program: "node",
  },
  "a spinner in node": {
    command: tui(`setInterval(() => process.stdout.write("."), 80)`),
    verdict: ["listening", "busy"],
    program: "node",
  },
  "a program in node with a child that works": {
    command: tui(`require("child_process").spawn("sleep", ["100"])`),
    verdict: ["listening", "busy"],
    program: "node",
  },
  "a program in python that looks every half second": {
    command: [
      "/usr/bin/python3",
      "-c",
      "import select, sys, tty\ntty.setcbreak(0)\nwhile True: select.select([sys.stdin], [], [], 0.5)",
    ],
    verdict: ["listening", "busy"],
    program: "python3",
  },
  "a terminal in the terminal": {
    command: ["script", "-q", "-c", "cat", "/dev/null"],
    verdict: ["listening", "busy"],
    program: "script",
  },
  tmux: {
    command: ["tmux", "-S", join(home, "tmux"), "-f", "/dev/null", "new-session", "cat"],
    verdict: ["listening", "busy"],
    program: "tmux: client",
  },
};

/** Looks until the condition holds; the time limit of the test ends a wait that is in vain. */
async function lookUntil(probe: ForegroundProbe, condition: (look: ForegroundLook) => boolean): Promise<void> {
  while (!condition(probe.look())) await pace(LOOK_EVERY_MS);
}

async function wrongLooks(probe: ForegroundProbe, verdict: readonly ForegroundVerdict[]): Promise<ForegroundLook[]> {
  const looks: ForegroundLook[] = [];
  while (looks.length < LOOKS) {
    await pace(LOOK_EVERY_MS);
    looks.push(probe.look());
  }
  return looks.filter((look) => !verdict.includes(look.verdict));
}

for (const [name, { command, type = [], verdict, program, editsLine }] of Object.entries(scenarios)) {
  test(`${name} is ${verdict.join(" or ")}`, async () => {
    const run = new PtyRun(command, { environment });
    const probe = new ForegroundProbe(run.pty);
    try {
      for (const text of type) {
        const seen = run.bytes.length;
        await lookUntil(probe, (look) => awaitsInput(look.verdict) && run.bytes.length >= seen);
        run.write(text);
      }
      await lookUntil(probe, (look) => look.verdict === verdict[0] && look.program === program);
      if (editsLine !== undefined)
        await lookUntil(probe, (look) => look.verdict === "raw" && look.editsLine === editsLine);
      let wrong = await wrongLooks(probe, verdict);
      // A clock that redraws, or what is tidied up after a start, is work: on a busy machine it takes more than one look.
      for (
        let round = 1;
        round < ROUNDS_MAX && LOOKS - wrong.length < RIGHT_MIN && awaitsInput(verdict[0]);
        round += 1
      ) {
        wrong = await wrongLooks(probe, verdict);
      }
      assert.ok(LOOKS - wrong.length >= RIGHT_MIN, JSON.stringify(wrong[0]));
      if (!verdict.some(awaitsInput))
        assert.deepEqual(
          wrong.filter((look) => awaitsInput(look.verdict)),
          [],
        );
    } finally {
      await run.pty.kill({ graceMs: 0 });
    }
  });
}

test("a look whose modes change under it is repeated, and is unknown where they do not come to rest", async () => {
  const run = new PtyRun(["cat"], { environment });
  try {
    await lookUntil(new ForegroundProbe(run.pty), (look) => look.verdict === "prompt");
    const { pty } = run;
    let changes = 0;
    // The modes of a shell between its line editor and the command that it starts.
    const changing = (times: number): ForegroundProbe => {
      changes = times;
      return new ForegroundProbe({
        pid: pty.pid,
        terminalPath: pty.terminalPath,
        queues: () => pty.queues(),
        foregroundGroup: () => pty.foregroundGroup(),
        inputQueuedBytes: 0,
        modes: () => {
          const modes = pty.modes();
          return modes === undefined ? undefined : { ...modes, canonical: changes-- > 0 && changes % 2 === 0 };
        },
      });
    };
    assert.equal(changing(1000).look().verdict, "unknown");
    assert.notEqual(changing(1).look().verdict, "unknown");
  } finally {
    await run.pty.kill({ graceMs: 0 });
  }
});

test("where the backend cannot look, the probe says so", async () => {
  const run = new PtyRun(["cat"], { backend: "node-pty" });
  const probe = new ForegroundProbe(run.pty);
  assert.equal(probe.look().verdict, "not-available");
  assert.match(probe.unavailable ?? "", /backend/);
  await run.pty.kill({ graceMs: 0 });
});

test("these tests have a probe to test", () => {
  assert.equal(loadLibc().reason, undefined);
});
