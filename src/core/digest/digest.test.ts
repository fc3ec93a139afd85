import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedSteps } from "../../../test/recordings.ts";
import { eachNth } from "../../../test/support/searches.ts";
import type { Step } from "../observe/step.ts";
import { SessionReducers } from "../views/session-reducers.ts";
import { keyOfChange, type ViewChange } from "../views/change.ts";
import { lastTurn, makeDigest, type DigestExchange, type DigestInput, filesIn } from "./digest.ts";

/** The last state of each thing that the views told. */
class Told {
  readonly #folds = new SessionReducers();
  readonly #changes = new Map<string, ViewChange>();
  #timeUs = 0;

  constructor(command: string) {
    this.step({ type: "start", command: [command], offset: 0, timeUs: 0 });
  }

  step(step: Step): void {
    for (const change of this.#folds.step(step)) {
      this.#changes.set(`${change.kind} ${keyOfChange(change)}`, change);
      this.#timeUs = change.timeUs;
    }
  }

  input(exchanges: readonly DigestExchange[] | null = null): DigestInput {
    const changes = [...this.#changes.values()];
    return {
      messages: changes.flatMap((change) => (change.kind === "message" ? [change.message] : [])),
      approvals: changes.flatMap((change) => (change.kind === "approval" ? [change.approval] : [])),
      events: changes.flatMap((change) => (change.kind === "event" ? [change.event] : [])),
      statuses: changes.flatMap((change) => (change.kind === "status" ? [change.status] : [])),
      exchanges,
      asOfUs: this.#timeUs,
    };
  }
}

/** What was told of a recording up to where `until` is true, or of all of it. */
function told(recording: string, until?: (input: DigestInput) => boolean): DigestInput {
  // The recordings begin in a shell.
  const views = new Told("bash");
  for (const step of recordedSteps(recording)) {
    views.step(step);
    if (until?.(views.input())) break;
  }
  return views.input();
}

const commandsOf = (recording: string): string[] =>
  makeDigest(told(recording), "all").commands.map(({ by, command }) => `${by}: ${command}`);

test("the digest of a recorded Claude Code has what was asked, done and said", () => {
  const digest = makeDigest(told("claude-main-80x24"), "all");
  assert.equal(digest.agent, "claude");
  assert.equal(digest.request, "Answer in one short sentence.");
  assert.equal(digest.answer?.text, "A PTY is a software terminal. SHORT-END-1001.");
  assert.deepEqual(digest.tools, [
    { name: "Bash", calls: 5 },
    { name: "Reading", calls: 1 },
    { name: "Write", calls: 1 },
  ]);
  assert.deepEqual(
    digest.files.map(({ name }) => name),
    ["out/marker.txt", "./scratch-folder", "notes.txt", "out-first.txt", "out-second.txt", "rows.txt", "greeting.txt"],
  );
  assert.deepEqual(digest.errors, ["Interrupted · What should Claude do instead?"]);
  assert.deepEqual(
    digest.decisions.map(({ option }) => option),
    ["1", "4", "1", "1", "1", "1"],
  );
  assert.equal(digest.question, null);
  assert.equal(digest.tokens, null);
  const inStates = Object.values(digest.stateMs).reduce((sum, ms) => sum + ms, 0);
  assert.ok(Math.abs(inStates - 55_000) < 11_000, `${inStates} ms in all states`);
  assert.ok((digest.stateMs.working ?? 0) > 1000 && (digest.stateMs.blocked ?? 0) > 1000);
});

test("commands of the shell and of an agent stand in their order", () => {
  assert.deepEqual(commandsOf("codex-main-80x24").slice(0, 8), [
    'shell: echo "shell before $((6*7))"',
    "shell: ls -1",
    "shell: false",
    "agent: mkdir -p out && printf 'AGTERM-%s-%d\\n' TOOL 42 | tee out/marker.txt",
    "agent: rm -rf ./scratch-folder && echo removed",
    "agent: printf 'FIRST-%d\\n' 2 > out-first.txt && cat out-first.txt",
    "agent: printf 'SECOND-%d\\n' 4 > out-second.txt && cat out-second.txt",
    "agent: seq -f 'row %g of sixty' 1 60 | tee rows.txt",
  ]);
});

test("marked commands have their exit codes", () => {
  const { commands } = makeDigest(told("repl-bash-osc133-80x24"), "all");
  const codes = new Map(commands.map(({ command, exitCode }) => [command, exitCode]));
  assert.deepEqual(
    ["false", "cd /tmp", "ls /nonexistent", "sleep 5"].map((command) => codes.get(command)),
    [1, 0, 2, 130],
  );
});

test("while a dialog is open the digest asks its question, and the last turn is what led to it", () => {
  const isAsked = ({ approvals }: DigestInput): boolean =>
    approvals.some(({ details, state }) => state === "open" && details.includes("scratch-folder"));
  const digest = makeDigest(told("claude-main-80x24", isAsked), "last");
  assert.equal(digest.request, "Please remove the scratch folder.");
  assert.match(digest.question?.approval ?? "", /^a\d+$/);
  assert.ok((digest.question?.options.length ?? 0) >= 2);
  assert.deepEqual(
    digest.files.map(({ name }) => name),
    ["./scratch-folder"],
  );
  assert.deepEqual([digest.counts.requests, digest.decisions], [1, []]);
});

test("the digest of the last turn is a part of that of all, for each recorded agent", () => {
  for (const agent of eachNth(["claude", "codex", "gemini", "opencode", "pi", "qwen", "cline"], 3)) {
    const input = told(`${agent}-two-80x24`);
    const [last, all] = (["last", "all"] as const).map((turn) => makeDigest(input, turn));
    assert.ok(last && all);
    assert.ok(last.offset >= all.offset && last.counts.messages <= all.counts.messages, agent);
    assert.deepEqual(all.commands.slice(-last.commands.length || all.commands.length), last.commands, agent);
    assert.equal(lastTurn(input.messages)[0]?.offset, last.offset);
    assert.notEqual(all.answer, null, agent);
  }
});

test("tokens are those that the wire told, and a price that is not known makes no sum", () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, cacheWriteTokens: 0, reasoningTokens: 5 };
  const views = new Told("claude");
  const costs = [0.5, 0.25];
  const exchanges = costs.map((costUsd, offset) => ({ offset, usage, costUsd }));
  const { tokens } = makeDigest(views.input(exchanges), "all");
  assert.deepEqual(tokens, { requests: 2, input: 200, output: 40, cachedInput: 120, reasoning: 10, costUsd: 0.75 });
  const more = makeDigest(views.input([...exchanges, { offset: 2, usage: null, costUsd: null }]), "all").tokens;
  assert.deepEqual([more?.requests, more?.input, more?.costUsd], [3, 200, null]);
});

test("a session of which nothing is known has an empty digest", () => {
  const empty: DigestInput = { messages: [], approvals: [], events: [], statuses: [], exchanges: null, asOfUs: 7 };
  const { answer, commands, endUs, question, request, startUs, state } = makeDigest(empty, "last");
  assert.deepEqual(
    [answer, commands, endUs, question, request, startUs, state],
    [null, [], 7, null, null, 7, "unknown"],
  );
});

test("lists and texts are bounded, and the counts tell of the rest", () => {
  const base = {
    agent: null,
    source: "screen",
    isPartial: false,
    isIncomplete: false,
    offset: 0,
    end: 0,
    timeUs: 0,
    endTimeUs: 0,
  } as const;
  const messages = Array.from({ length: 80 }, (_, index) => ({
    ...base,
    id: `m${index}`,
    role: "shell" as const,
    text: "\u{1F600}".repeat(5000),
    shell: { command: `cat file-${index}.txt\nsecond line`, exitCode: index % 2 },
  }));
  const digest = makeDigest({ messages, approvals: [], events: [], statuses: [], exchanges: null, asOfUs: 0 }, "all");
  assert.equal(digest.commands.length, 50);
  assert.deepEqual(digest.commands.at(-1), { command: "cat file-79.txt …", exitCode: 1, by: "shell", message: "m79" });
  assert.deepEqual([digest.counts.commands, digest.counts.files, digest.files.length], [80, 80, 50]);
  assert.ok((digest.answer?.text.length ?? 0) <= 4001);
  assert.ok(digest.answer?.text.isWellFormed());
});

test("names of files are found in commands and prose, without their marks", () => {
  const cases: Record<string, string[]> = {
    "mkdir -p out && printf 'A-%s\\n' x | tee out/marker.txt": ["out/marker.txt"],
    "Wrote `src/core/a-b.test.ts:12:3`, see (README.md).": ["src/core/a-b.test.ts", "README.md"],
    "cat /etc/passwd ~/.bashrc ../x ./scratch-folder": ["/etc/passwd", "~/.bashrc", "../x", "./scratch-folder"],
    "diff a.ts a.ts": ["a.ts", "a.ts"],
    "node --config=conf/app.toml > build.log": ["conf/app.toml", "build.log"],
  };
  for (const [text, names] of Object.entries(cases)) assert.deepEqual(filesIn(text), names, text);
});

test("what only looks like a file is left alone", () => {
  const text =
    "Use Node.js 26.10.0, e.g. and/or, 1/2, v1.2.3, https://example.com/a.html, example.com/x.y, /clear, /effort, user@host, -rf, /srv/project/pro…, etc.";
  assert.deepEqual(filesIn(text), []);
});

test("a text without end is looked at in part", () => {
  assert.deepEqual(filesIn(`${"a".repeat(1_000_000)}.ts`), []);
  assert.equal(filesIn("x.ts ".repeat(1_000_000)).length, Math.floor(65_536 / 5));
});
