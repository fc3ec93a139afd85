import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decideForeground,
  sameForeground,
  sameTimer,
  timerOf,
  type ForegroundFacts,
  type ForegroundProcess,
  type ThreadState,
  type WaitTarget,
} from "./foreground.ts";
import { awaitsInput } from "../records.ts";

const waits = (targets: WaitTarget[], timeoutMs: number | null = null): ThreadState => ({
  type: "waits",
  for: targets,
  timeoutMs,
});
const reads = waits(["terminal"]);
const running: ThreadState = { type: "running" };
const parked: ThreadState = { type: "parked" };
const hidden: ThreadState = { type: "hidden" };

const program = (name: string, threads: ThreadState[], stopped = false): ForegroundProcess => ({
  pid: name.length * 100,
  name,
  stopped,
  threads,
});

const facts = (processes: ForegroundProcess[], more: Partial<ForegroundFacts> = {}): ForegroundFacts => ({
  group: processes[0]?.pid ?? 1,
  canonical: true,
  echo: true,
  inputBytes: 0,
  outputBytes: 0,
  truncated: false,
  processes,
  ...more,
});

const verdict = (processes: ForegroundProcess[], more?: Partial<ForegroundFacts>): string => {
  const look = decideForeground(facts(processes, more));
  return `${look.verdict}: ${look.reasons.join("; ")}`;
};

test("a read of the terminal is a prompt, a password or raw by the modes of the terminal", () => {
  const bash = [program("bash", [reads])];
  const isBlocked = "bash is blocked in a read of the terminal";
  assert.equal(verdict(bash), `prompt: ${isBlocked}`);
  assert.equal(verdict(bash, { echo: false }), `password: ${isBlocked}`);
  assert.equal(verdict(bash, { canonical: false, echo: false }), `raw: ${isBlocked}`);
  assert.equal(verdict(bash, { canonical: false }), `raw: ${isBlocked}`);
});

test("input that is not consumed and output that is not drained are no prompt", () => {
  const cat = [program("cat", [reads])];
  assert.equal(verdict(cat, { inputBytes: 3 }), "busy: 3 bytes of input are not read yet");
  assert.equal(verdict(cat, { outputBytes: 5 }), "busy: 5 bytes of output are not read yet");
});

test("a program that does not read the terminal is busy", () => {
  const nobody = "busy: no thread of the foreground job reads the terminal";
  assert.equal(verdict([program("sleep", [{ type: "sleeps", timeoutMs: 100_000 }])]), nobody);
  assert.equal(verdict([program("node", [waits(["internal"], 50), parked])]), nobody);
  assert.equal(verdict([program("nc", [waits(["network"])])]), nobody);
  assert.equal(verdict([program("cat", [{ type: "elsewhere", call: "system call 1" }])]), nobody);
  assert.equal(verdict([]), "busy: the foreground job has just ended");
});

test("an event loop that only listens is left to quiet: a short timer, the network, an inner terminal", () => {
  assert.equal(verdict([program("chat", [waits(["terminal"], 500)])]), "listening: chat has a timer of 500 ms");
  assert.equal(verdict([program("ssh", [waits(["terminal", "network"])])]), "listening: ssh listens to the network");
  assert.equal(
    verdict([program("script", [waits(["terminal", "inner-terminal"])])]),
    "listening: what runs in the terminal inside of script cannot be seen",
  );
  assert.equal(
    verdict([program("agent", [waits(["terminal"]), waits(["network", "internal"], 4000)])]),
    "listening: agent listens to the network",
  );
});

test("long timers, pipes and parked threads do not disturb a prompt", () => {
  const idle = program("vim", [waits(["terminal", "internal"], 4000), parked, waits(["internal"]), parked]);
  assert.match(verdict([idle], { canonical: false }), /^raw/);
  const pager = [program("less", [reads]), program("git", [waits(["internal"])]), program("sh", [parked])];
  assert.match(verdict(pager, { canonical: false }), /^raw: less/);
});

test("another process that works keeps a reader from being a prompt", () => {
  const reader = program("less", [reads]);
  assert.equal(verdict([reader, program("make", [running])]), "busy: make computes");
  assert.equal(
    verdict([reader, program("sleep", [{ type: "sleeps", timeoutMs: 5000 }])]),
    "listening: sleep sleeps for 5000 ms",
  );
  assert.equal(
    verdict([reader], { truncated: true }),
    "listening: there are more processes or threads than are looked at",
  );
});

test("a thread that computes makes its program busy, although another one reads", () => {
  assert.equal(verdict([program("agent", [reads, running])]), "busy: agent computes");
});

test("a stopped job is stopped, and a stopped helper is nothing", () => {
  assert.equal(verdict([program("vim", [], true)]), "stopped: every process of the foreground job is stopped");
  assert.match(verdict([program("less", [reads]), program("git", [], true)]), /^prompt/);
});

test("a program of another user asks for a password where the echo is off, and is unknown otherwise", () => {
  const su = [program("su", [hidden])];
  assert.match(verdict(su, { echo: false }), /^password/);
  assert.equal(verdict(su), "unknown: the program runs as another user");
  assert.equal(verdict(su, { echo: false, outputBytes: 1 }), "unknown: the program runs as another user");
});

test("the client of a multiplexer is left to quiet", () => {
  assert.equal(
    verdict([program("tmux: client", [waits(["internal"])])]),
    "listening: what runs inside of tmux: client cannot be seen",
  );
});

test("the process that reads is shown, else the leader of the group", () => {
  const processes = [program("sh", [parked]), program("less", [reads])];
  assert.equal(decideForeground(facts(processes)).program, "less");
  const working = [program("sh", [parked]), program("make", [running])];
  assert.deepEqual(
    (({ program: name, pid, group }) => ({ name, pid, group }))(decideForeground(facts(working, { group: 400 }))),
    { name: "make", pid: 400, group: 400 },
  );
});

test("looks are the same where verdict, process and modes are, whatever the reasons", () => {
  const one = decideForeground(facts([program("node", [waits(["terminal"], 500)])]));
  const two = decideForeground(facts([program("node", [waits(["terminal"], 480)])]));
  assert.notDeepEqual(one, two);
  assert.equal(sameForeground(one, two), true);
  assert.equal(sameForeground(one, { ...one, echo: false }), false);
});

test("three verdicts wait for a person", () => {
  assert.deepEqual(
    (["prompt", "raw", "password", "listening", "busy", "stopped", "unknown", "not-available"] as const).map((each) =>
      awaitsInput(each),
    ),
    [true, true, true, false, false, false, false, false],
  );
});

test("an event loop wakes up for its timer, and a line editor that looks up now and then has none", () => {
  const timer = (timeoutMs: number | null, isEventLoop?: true): number | null => {
    const thread = { type: "waits", for: ["terminal"], timeoutMs, ...(isEventLoop && { isEventLoop }) } as const;
    return timerOf([program("node", [parked, thread])]);
  };
  assert.deepEqual([timer(1500, true), timer(null, true), timer(1500)], [1500, null, null]);
  assert.deepEqual([sameTimer(9000, 9400), sameTimer(9000, 9600), sameTimer(9000, undefined)], [true, false, false]);
});
