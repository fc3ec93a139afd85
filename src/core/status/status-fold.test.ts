import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "../dialogs/approval.ts";
import { Observed } from "../../../test/observed.ts";
import { wireRequest, wireTurn } from "../../../test/marks.ts";
import { frameOf, type FrameOptions } from "../../../test/frames.ts";
import type { ForegroundVerdict, Mark } from "../records.ts";
import type { Step } from "../observe/step.ts";
import { registryWith } from "../agents/user-agents.ts";
import { SessionReducers } from "../views/session-reducers.ts";
import { StatusFold } from "./status-fold.ts";

const at = (milliseconds: number) => ({ offset: milliseconds, timeUs: milliseconds * 1000 });
const shown = (text: string, milliseconds: number, options: FrameOptions = {}): Step => ({
  type: "frame",
  frame: { ...frameOf(text, { ...options, timeUs: milliseconds * 1000 }), offset: milliseconds },
});
const osc = (command: number, data: string, milliseconds: number): Step => ({
  type: "osc",
  sequence: { offset: milliseconds, end: milliseconds, command, data },
  timeUs: milliseconds * 1000,
});
const opened = () => new Observed(new StatusFold(), { markNonce: "5f" });
const typed = (text: string, milliseconds: number): Step => ({
  type: "input",
  bytes: new TextEncoder().encode(text),
  isSecret: false,
  ...at(milliseconds),
});
const foreground = (verdict: ForegroundVerdict, program: string, milliseconds: number): Step => ({
  type: "foreground",
  verdict,
  program,
  ...at(milliseconds),
});
const start = (...command: readonly string[]): Step => ({ type: "start", command, ...at(0) });
const tick = (milliseconds: number): Step => ({ type: "tick", timeUs: milliseconds * 1000 });

/** `state agent@since` of each change of the state. */
function states(steps: readonly Step[]): string[] {
  const fold = opened();
  const changes = steps.flatMap((step) => fold.step(step));
  const words = changes.map(
    ({ state, agent, sinceUs }) => `${state}${agent === null ? "" : ` ${agent}`}@${sinceUs / 1000}`,
  );
  return words.filter((word, index) => word !== words[index - 1]);
}
const last = (steps: readonly Step[]) => {
  const fold = opened();
  for (const step of steps) fold.step(step);
  const { status } = fold.reducer;
  if (status === null) throw new Error("No status");
  return status;
};

const rule = "─".repeat(80);
const hidden = { isCursorHidden: true };
const claude = (footer: string, above = "● hi"): string =>
  `${above}\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on · ${footer}`;
const prompt = claude("? for shortcuts");
const busy = claude("esc to interrupt");

test("an agent that reads lines works until its prompt is shown again, and then waits", () => {
  const agents = registryWith([{ name: "bot", line: { prompt: "^> " } }]);
  const fold = new Observed(new StatusFold(), { agents });
  const steps = [
    { ...start("./bot"), agent: "bot" } as Step,
    shown("Bot 1.0\n|", 400),
    shown("Bot 1.0\n> |", 500),
    typed("hello\r", 2000),
    shown("Bot 1.0\n> hello|", 2010),
    shown("Bot 1.0\n> hello\n|", 2100),
    tick(12_000),
    shown("Bot 1.0\n> hello\n> a quote\nand mo|", 14_000),
    shown("Bot 1.0\n> hello\n> a quote\nand more\n> |", 15_000),
    typed("hello\r", 16_000),
    shown("Bot 1.0\n> hello\n> a quote\nand more\n> hello\nyes\n> |", 16_050),
  ];
  const changes = steps.flatMap((step) => fold.step(step));
  const words = changes.map(({ state, sinceUs }) => `${state}@${sinceUs / 1000}`);
  assert.deepEqual(
    words.filter((word, index) => word !== words[index - 1]),
    ["starting@0", "waiting@500", "working@2000", "waiting@15000", "working@16000", "waiting@16050"],
  );
});

test("an agent starts, waits at its box, works and waits again", () => {
  const steps = [
    start("claude"),
    shown("loading", 500, hidden),
    shown(prompt, 1000, hidden),
    typed("hello\r", 2000),
    shown(busy, 2100, hidden),
    shown(prompt, 5000, hidden),
    { type: "exit", code: 0, signal: null, ...at(6000) } as Step,
  ];
  assert.deepEqual(states(steps), [
    "starting claude@0",
    "waiting claude@1000",
    "working claude@2000",
    "waiting claude@5000",
    "exited@6000",
  ]);
});

test("a program that shows nothing for 30 s is not starting any more", () => {
  const fold = opened();
  fold.step(start("claude"));
  fold.step(shown("loading", 500, hidden));
  assert.equal(fold.reducer.wakeUs, 30_000_000);
  assert.deepEqual(
    fold.step(tick(30_000)).map(({ state }) => state),
    ["starting"].slice(1),
  );
  assert.deepEqual(
    fold.step(tick(30_600)).map(({ state }) => state),
    ["unknown"],
  );
});

test("what an agent says makes no state", () => {
  const quoted = claude("? for shortcuts", "● Press esc to interrupt. Do you want to proceed?\n  ❯ 1. Yes\n    2. No");
  assert.deepEqual(states([start("claude"), shown(quoted, 100, hidden)]), ["starting claude@0", "waiting claude@100"]);
});

test("a title that does not tell a prompt from a dialog decides nothing alone", () => {
  const steps = [start("claude"), shown(prompt, 100, hidden), osc(0, "✳ Claude Code", 110)];
  const gone = [shown("a menu that nobody described", 1000, hidden), tick(2000), tick(2500)];
  assert.equal(last(steps).state, "waiting");
  const status = last([...steps, ...gone]);
  assert.equal(status.state, "unknown");
  assert.deepEqual(
    status.evidence.map(({ signal, says, isDecisive }) => [signal, says, isDecisive]),
    [["title", "waiting", false]],
  );
});

test("OSC 7501 decides against the screen, and the conflict is kept", () => {
  const status = last([
    start("codex"),
    osc(7501, "state=working:app=codex", 50),
    shown("› Ask Codex to do anything\n\n  ? for shortcuts", 100),
  ]);
  assert.equal(status.state, "working");
  assert.deepEqual(
    status.evidence.map(({ signal, says, isDecisive, rule: by }) => [signal, says, isDecisive, by]),
    [
      ["osc-7501", "working", true, null],
      ["screen", "waiting", false, "codex@2"],
    ],
  );
});

test("a dialog blocks although the program says it is idle", () => {
  const approval = {
    id: "a1",
    source: "screen",
    kind: "trust",
    agent: "claude",
    question: "Do you trust this folder?",
    details: "",
    options: [],
    ...noSubject,
    selected: null,
    isComplete: true,
    whyHint: null,
    ...at(200),
    state: "open",
    answer: null,
  } as const;
  const fold = opened();
  for (const step of [start("claude"), osc(7501, "state=idle:app=claude-code", 50)]) fold.step(step);
  fold.reducer.approve(approval, approval);
  fold.step(shown("a dialog", 200, hidden));
  const { status } = fold.reducer;
  assert.deepEqual([status?.state, status?.approval, status?.summary], ["blocked", "a1", "Do you trust this folder?"]);
});

test("an agent that asked for trust starts behind the answer", () => {
  const question = ` Accessing workspace:\n\n Do you trust this folder?\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel`;
  const reducers = new SessionReducers();
  const steps = [
    start("claude"),
    shown(`${rule}\n${question}`, 100, hidden),
    typed("\u001B[B\r", 60_000),
    shown("", 60_100, hidden),
    tick(61_000),
    tick(62_500),
    shown(prompt, 63_000, hidden),
  ];
  const told = steps
    .flatMap((step) => reducers.step(step))
    .flatMap((change) => (change.kind === "status" ? [change.status] : []));
  assert.deepEqual(
    told.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]),
    ["starting", "blocked", "starting", "waiting"],
  );
});

test("what one program said is nothing to the next", () => {
  const steps = [
    shown("$ |", 0),
    typed("codex\r", 100),
    osc(7501, "state=blocked:app=codex:kind=permission", 500),
    osc(0, "", 900),
    shown("$ codex\nbye\n$ |", 1000),
  ];
  assert.deepEqual(states(steps).at(-1), "waiting@1000");
});

test("a shell with marks waits at its prompt and works on a command", () => {
  const steps = [
    start("bash"),
    osc(133, "A", 10),
    shown("$ |", 20),
    typed("make\r", 100),
    osc(133, "C", 110),
    shown("$ make\ncc\n|", 120),
    osc(133, "D;0", 900),
    osc(133, "A", 910),
    shown("$ make\ncc\n$ |", 920),
  ];
  assert.deepEqual(states(steps), ["starting@0", "waiting@10", "working@100", "waiting@910"]);
});

const forgedMarks = [133, 633].flatMap((command) =>
  ["A", "B", "C", "D;0", "E;claude"].flatMap((data) =>
    ["", ";", ";aid=7", ";n=5e", ";n=5f0", ";x=n=5f"].map((parameters) => [command, data + parameters] as const),
  ),
);

test("a mark that any program can print changes no status against the kernel", () => {
  const before = [
    start("bash"),
    osc(133, "B;n=5f", 10),
    typed("sleep 25\r", 100),
    osc(133, "C;n=5f", 110),
    foreground("busy", "sleep", 120),
    tick(5000),
  ];
  assert.equal(last(before).state, "working");
  for (const [command, data] of forgedMarks) {
    const status = last([...before, osc(command, data, 6000), tick(9000)]);
    assert.deepEqual([status.state, status.agent], ["working", null], `${command};${data}`);
  }
  const status = last([...before, osc(133, "A", 6000)]);
  assert.deepEqual(status.evidence.map(({ signal, says, isDecisive }) => [signal, says, isDecisive]).slice(0, 3), [
    ["osc-133", "working", true],
    ["osc-133", "waiting", false],
    ["foreground", "working", true],
  ]);
  const soon = [...before.slice(0, 2), foreground("raw", "bash", 20), ...before.slice(2, 4), osc(133, "A", 111)];
  assert.equal(last(soon).state, "working", "before the kernel reports that sleep runs");
  const unread = [...before.slice(0, 4), foreground("unknown", "sleep", 120), osc(133, "A", 130), osc(133, "B", 131)];
  assert.equal(last(unread).state, "working", "while the kernel hides the program that starts");
  const early = [...before.slice(0, 4), osc(133, "A", 111)];
  assert.equal(last(early).state, "working", "before the first report of the kernel");
  const decided = last([...before, osc(133, "A", 6000), osc(133, "B;n=5f", 7000)]);
  assert.equal(decided.state, "waiting", "the shell's own mark counts");
});

test("a mark that any program can print counts for a shell of which the kernel says nothing, or the same", () => {
  const steps = [start("ssh", "box"), osc(133, "A", 10), typed("make\r", 100), osc(133, "C", 110)];
  assert.deepEqual(states([...steps, osc(133, "A", 900)]), ["starting@0", "waiting@10", "working@100", "waiting@900"]);
  const probed = [start("ssh", "box"), foreground("raw", "ssh", 5), osc(133, "A", 10)];
  assert.equal(last(probed).state, "waiting");
});

test("a mark that any program can print takes back no report of a program that the kernel sees busy", () => {
  const reported = [start("bash"), foreground("busy", "make", 10), osc(7501, "state=working:app=make", 20)];
  const signals = (...steps: Step[]): string[] => last([...reported, ...steps]).evidence.map(({ signal }) => signal);
  assert.deepEqual(signals(osc(133, "A", 30)), ["osc-7501", "osc-133", "foreground"]);
  assert.deepEqual(signals(osc(133, "A", 30), foreground("raw", "bash", 40)), ["osc-133", "foreground"]);
  assert.deepEqual(signals(osc(133, "B;n=5f", 30)), ["osc-133", "foreground"]);
});

test("marks of an agent are about its messages", () => {
  const steps = [start("pi"), shown(`${rule}\n\n${rule}\n~/proj\n0.0%/200k (auto)`, 100), osc(133, "C", 200)];
  assert.equal(last(steps).state, "waiting");
});

test("the kernel's word: a REPL that waits, a password, a program that is busy and then idle", () => {
  const steps = [
    start("python3"),
    foreground("raw", "python3", 100),
    foreground("busy", "python3", 1000),
    foreground("password", "sudo", 2000),
    foreground("busy", "server", 3000),
    shown("listening\n|", 3010),
    tick(33_100),
  ];
  assert.deepEqual(states(steps), [
    "starting@0",
    "waiting@100",
    "working@1000",
    "blocked@2000",
    "working@3000",
    "idle@33100",
  ]);
});

test("without a word of anyone a line works until its prompt comes back", () => {
  const steps = [
    shown("$ |", 0),
    tick(2000),
    typed("sleep 5\r", 3000),
    shown("$ sleep 5\n|", 3010),
    tick(5100),
    shown("$ sleep 5\n$ |", 8000),
  ];
  assert.deepEqual(states(steps), ["starting@0", "waiting@2000", "working@3000", "waiting@8000"]);
});

test("a prompt that looks unlike the last one is believed when it is quiet", () => {
  const steps = [shown("~/a $ |", 0), typed("cd /b\r", 3000), shown("~/a $ cd /b\n/b $ |", 3200), tick(5300)];
  const status = last(steps);
  assert.deepEqual([status.state, status.evidence.at(-1)?.signal], ["waiting", "quiet"]);
});

test("a request of the gateway is the best signal", () => {
  const mark = (event: Mark, milliseconds: number): Step => ({
    type: "mark",
    event,
    end: milliseconds,
    ...at(milliseconds),
  });
  const steps = [start("claude"), shown(prompt, 100, hidden), mark(wireRequest(), 200), mark(wireTurn(), 300)];
  assert.deepEqual(states(steps), [
    "starting claude@0",
    "waiting claude@100",
    "working claude@200",
    "waiting claude@300",
  ]);
});

test("a gap takes back what was said", () => {
  const steps = [
    start("codex"),
    osc(7501, "state=working:app=codex", 50),
    { type: "gap", ...at(60) } as Step,
    tick(700),
  ];
  assert.equal(last(steps).state, "unknown");
});

test("only another word of a signal is a change", () => {
  const fold = opened();
  fold.step(start("codex"));
  const changes = ["⠙ x | y", "⠹ x | y", "⠸ x | y"].flatMap((title, index) => fold.step(osc(0, title, 100 + index)));
  assert.equal(changes.length, 1);
});
