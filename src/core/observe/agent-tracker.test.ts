import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { recordedSteps } from "../../../test/recordings.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { Step } from "./step.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { registryWith } from "../agents/user-agents.ts";
import { Observer } from "./observer.ts";

const typed = (text: string): Step => ({
  type: "input",
  bytes: new TextEncoder().encode(text),
  isSecret: false,
  offset: 0,
  timeUs: 0,
});
const shown = (text: string, options: Parameters<typeof frameOf>[1] = {}): Step => ({
  type: "frame",
  frame: frameOf(text, options),
});
const osc = (command: number, data: string): Step => ({
  type: "osc",
  sequence: { offset: 0, end: 0, command, data },
  timeUs: 0,
});
const foreground = (verdict: ForegroundVerdict, program: string): Step => ({
  type: "foreground",
  verdict,
  program,
  offset: 0,
  timeUs: 0,
});
const presences = (steps: Iterable<Step>): string[] => {
  const observer = new Observer({ markNonce: "5f" });
  return [...steps].flatMap((step) => {
    const { hasAgentChanged = false, agent } = observer.step(step) ?? {};
    return hasAgentChanged ? [`${agent?.agent ?? "-"} ${agent?.by}`] : [];
  });
};

test("the command of the session says which agent it is", () => {
  assert.deepEqual(presences([{ type: "start", command: ["claude"], offset: 0, timeUs: 0 }]), ["claude start"]);
});

test("a shell under the name of an agent is a shell, and stays one; an agent that shows its box is none", () => {
  const start: Step = { type: "start", command: ["/tmp/claude", "--norc"], offset: 0, timeUs: 0 };
  const again = [foreground("busy", "claude"), foreground("raw", "claude"), shown("bash-5.2# true\nbash-5.2# |")];
  const steps = [start, foreground("raw", "claude"), shown("bash-5.2# |"), ...again];
  assert.deepEqual(presences(steps), ["claude start", "- prompt"]);
  const shownFirst = [start, shown("bash-5.2# |"), foreground("raw", "claude"), ...again];
  assert.deepEqual(presences(shownFirst), ["claude start", "- prompt"]);
  const rule = "─".repeat(40);
  const box = [start, foreground("raw", "claude"), shown(`root@lab:~# claude\n${rule}\n❯ a price in $|\n${rule}`)];
  assert.deepEqual(presences(box), ["claude start"]);
  assert.deepEqual(presences([start, foreground("busy", "claude"), shown("bash-5.2# |")]), ["claude start"]);
  assert.deepEqual(presences([start, foreground("raw", "claude"), shown("Loading 45%|")]), ["claude start"]);
});

test("a command typed at a shell starts an agent, and the same prompt again ends it", () => {
  const steps = [
    shown("$ |"),
    typed("codex"),
    shown("$ codex|"),
    typed("\r"),
    shown("$ codex\n|"),
    shown("$ codex\nNot logged in\n$ |"),
  ];
  assert.deepEqual(presences(steps), ["codex command", "- prompt"]);
});

test("an agent that is the session's own program has no shell below it, and its own prompt is not that of a shell", () => {
  const own: Step[] = [
    { type: "start", command: ["claude"], offset: 0, timeUs: 0 },
    shown("x", { isAlternate: true }),
    shown("out\n> |"),
  ];
  assert.deepEqual(presences(own), ["claude start"]);
  const agents = registryWith([{ name: "bot", commands: ["bot"], line: { prompt: "^> " } }]);
  const observer = new Observer({ markNonce: "5f", agents });
  const inShell = [shown("> |"), typed("bot"), shown("> bot|"), typed("\r"), shown("> bot\nhi\n> |")];
  assert.deepEqual(
    inShell.map((step) => observer.step(step)?.agent.agent ?? null),
    [null, null, null, "bot", "bot"],
  );
});

test("an agent of which only the conversation is known is an unknown program for everything else", () => {
  const observer = new Observer({ markNonce: "5f" });
  const step = observer.step({ type: "start", command: ["./x"], agent: "generic", offset: 0, timeUs: 0 });
  assert.deepEqual([step?.agent.agent, step?.profile, observer.reader.agent], ["generic", undefined, null]);
});

test("a command out of the history is read off the screen", () => {
  assert.deepEqual(presences([shown("a@b:~$ |"), typed("\u001B[A"), shown("a@b:~$ pi --model x|"), typed("\r")]), [
    "pi command",
  ]);
});

test("a program that waits for keys tells; a shell that runs a wrapper script does not", () => {
  const steps = [foreground("raw", "claude"), foreground("busy", "sh"), foreground("raw", "bash")];
  assert.deepEqual(presences(steps), ["claude program", "- program"]);
});

test("what a program calls itself tells", () => {
  assert.deepEqual(presences([osc(7501, "state=idle:app=codex"), osc(133, "D;0;n=5f"), osc(0, "◇  Ready (proj)   ")]), [
    "codex status",
    "- mark",
    "gemini title",
  ]);
});

test("the marks of messages do not end an agent", () => {
  assert.deepEqual(presences([osc(0, "π - proj"), osc(133, "A"), osc(133, "B"), osc(133, "C")]), ["pi title"]);
});

test("a command line that the session's shell reports tells", () => {
  assert.deepEqual(presences([osc(633, "E;echo a\\x3b claude;n=5f")]), ["claude command"]);
});

test("a mark that any program can print starts and ends no agent", () => {
  const forged = [";", ";0", ";n=5e", ";0;n=5f0", ";0;x=n=5f"].flatMap((parameters) =>
    [133, 633].flatMap((command) => [osc(command, `D${parameters}`), osc(command, `E;claude${parameters}`)]),
  );
  assert.deepEqual(presences([...forged, osc(633, "E;claude")]), []);
  assert.deepEqual(presences([osc(7501, "state=idle:app=codex"), ...forged, osc(133, "D")]), ["codex status"]);
});

test("words about an agent start none", () => {
  const text = "Claude Code and codex\n? for shortcuts\n  esc to interrupt\n$ |";
  assert.deepEqual(presences([shown(text), typed("echo claude\r"), osc(2, "my notes on Qwen - today")]), []);
});

test("what is typed in a debugger or another REPL starts no agent", () => {
  assert.deepEqual(presences([shown("(gdb) |"), typed("claude\r"), shown(">>> |"), typed("pi\r")]), []);
});

test("what a secret input holds is not looked at", () => {
  assert.deepEqual(presences([{ ...typed("claude\r"), isSecret: true } as Step]), []);
});

test("an agent is recognised by what only it shows at its place", () => {
  const screen = `◆ hi\n${"─".repeat(80)}\n\n${"─".repeat(80)}\n~/proj\n↑1.2k 0.6%/200k (auto)`;
  assert.equal(builtInAgents.onScreen(frameOf(screen, { isCursorHidden: true }))?.agent, "pi");
  assert.equal(builtInAgents.onScreen(frameOf(`${screen}\n$ |`)), null);
});

test("the box that an agent left behind is nobody while the shell computes at its prompt", () => {
  const left = shown(`◆ hi|\n${"─".repeat(80)}\n\n${"─".repeat(80)}\n~/proj\n↑1.2k 0.6%/200k (auto)`, {
    isCursorHidden: true,
  });
  const prompt = [osc(133, "D;137;n=5f"), osc(133, "B;n=5f")];
  assert.deepEqual(presences([...prompt, foreground("busy", "bash"), left]), []);
  assert.deepEqual(presences([...prompt, osc(133, "C;n=5f"), foreground("busy", "bash"), left]), ["pi screen"]);
  assert.deepEqual(presences([...prompt, foreground("busy", "node"), left]), ["pi screen"]);
});

test("the agents of recorded sessions, one after another", () => {
  const expected = {
    "claude-two-80x24": ["claude command", "- prompt", "codex command", "- prompt"],
    "pi-two-80x24": ["pi command", "- prompt", "opencode command", "- prompt"],
    "codex-inline-events-80x24": ["codex command", "- prompt"],
    "repl-bash-color-80x24": [],
  };
  for (const [name, changes] of Object.entries(expected))
    assert.deepEqual(presences(recordedSteps(name)), changes, name);
});
