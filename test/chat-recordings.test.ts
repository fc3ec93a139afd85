/** What `npm run report:chat` measures, with floors, and the laws of the chat fold on true recordings. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measureChat, type GroundTruth, type Score } from "./chat-measure.ts";
import { builtInAgents } from "../src/core/agents/built-in-agents.ts";
import { AgentRegistry } from "../src/core/agents/registry.ts";
import { notReadLine } from "../src/core/chat/shell-reader.ts";
import type { Step } from "../src/core/observe/step.ts";
import type { CastEvent } from "./frames.ts";
import { SessionReducers } from "../src/core/views/session-reducers.ts";
import { castSteps, firstBytes, readCast, type Cast } from "./chat-replay.ts";
import { messagesIn, messagesOf, replay } from "./session-replay.ts";

const folder = join(import.meta.dirname, "fixtures", "recordings");
const casts = new Map(
  readdirSync(folder)
    .filter((file) => /\.cast(\.gz)?$/.test(file))
    .map((file) => [file.replace(/\.cast(\.gz)?$/, ""), join(folder, file)]),
);
const castOf = (name: string): Cast => readCast(casts.get(name) ?? assert.fail(`no recording ${name}`));

/** `npm run test:long` sets it: every recording of a kind, and more cuts. */
const hasAll = process.env["LECTERN_RECORDINGS"] === "all";
/** The longest run of each agent, two agents in one terminal with resizes, and those of other sizes and kinds; the report covers all. */
const all = [...casts.keys()].filter((name) =>
  /-(?:main|two)-80x24$|-(?:lists|tools|faults|asks|breaks|reads|mimic|chains|stops)-(?!80x24)|-(?:clears|ninety|empty)-|^(?!opencode-twice|(?:codex|pi)-twice-60).*-twice-|tmux|^copilot-/.test(
    name,
  ),
);
/** Each agent and each kind once. */
const short =
  /-main-80x24$|^(?:claude-(?:tmux-breaks|two|trust-reads|inline-stops)|codex-asks|continue-chains|copilot-(?:clears|lists)|gemini-(?:mimic|reads)|opencode-(?:faults|mini-twice)|pi-twice|qwen-(?:tools|clears))-/;
const names = hasAll ? all : all.filter((name) => short.test(name));

const chatOf = (cast: Cast, cutsAt: readonly number[] = []) =>
  messagesIn(replay(cast, { command: ["bash"], exits: true, cutsAt }));

const isAtLeast = (share: number, { expected, found, matched }: Score): boolean =>
  matched >= share * expected && matched >= share * found;

for (const name of names) {
  test(`${name}: messages are those that were sent, in order, with their words`, () => {
    const truth = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as GroundTruth;
    const cast = castOf(name);
    const { user, assistant, tool, command, words, silent, misses } = measureChat(truth, chatOf(cast), castSteps(cast));
    const message = misses.join("\n");
    assert.ok(isAtLeast(0.98, user), message);
    assert.ok(isAtLeast(0.98, assistant), message);
    assert.ok(isAtLeast(0.98, tool), message);
    assert.ok(isAtLeast(1, command), message);
    assert.ok(words.found >= 0.97 * words.visible, message);
    assert.ok(words.foreign <= 0.01 * words.said, message);
    assert.equal(silent, 0, message);
  });
}

test("opencode, which draws blocks in parts, loses nothing when every block comes twice", () => {
  const name = "opencode-twice-100x30";
  const truth = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as GroundTruth;
  const cast = castOf(name);
  const { user, assistant, silent, misses } = measureChat(truth, chatOf(cast), castSteps(cast));
  assert.deepEqual([user.matched, user.found, assistant.matched, silent], [12, 12, 15, 0], misses.join("\n"));
});

test("the colours of pi 1.6 tell prompts from results", () => {
  const cast = readCast(join(import.meta.dirname, "fixtures", "dialogs", "pi-1.6-100x32.cast.gz"));
  const messages = messagesIn(replay(cast, { command: ["pi"] }));
  assert.deepEqual(
    messages.slice(2, 10).map(({ role }) => role),
    ["user", "assistant", "user", "assistant", "user", "assistant", "tool-call", "tool-result"],
  );
});

test("inside of tmux each answer is there before the next prompt is typed", () => {
  const truth = JSON.parse(readFileSync(join(folder, "claude-tmux-breaks-80x24.json"), "utf8")) as {
    readonly timeline: readonly { role: string; kind?: string; text?: string; complete?: boolean; t_start?: number }[];
  };
  const cast = castOf("claude-tmux-breaks-80x24");
  const changes = replay(cast, { command: ["bash"], exits: true });
  for (const [index, { role, text = "", complete = true }] of truth.timeline.entries()) {
    const next = truth.timeline.slice(index).find((entry) => entry.role === "user")?.t_start;
    if (role !== "assistant" || !complete || next === undefined) continue;
    const before = messagesIn(changes.filter(({ timeUs }) => timeUs < next * 1e6));
    const last = text.slice(-12);
    assert.ok(
      before.some((message) => message.role === "assistant" && !message.isPartial && message.text.endsWith(last)),
      last,
    );
  }
});

test("on a machine that is four times as slow, what a resize draws anew is not said twice", () => {
  const { events, ...size } = castOf("opencode-mini-resized-100x32");
  const slow = events.map(([time, type, data]): CastEvent => [4 * time, type, data]);
  const answers = chatOf({ ...size, events: slow }).filter(({ role, text }) => role === "assistant" && text !== "");
  assert.deepEqual(
    answers.map(({ text }) => text.split(/\s/).at(-1)),
    ["PROSE-END-1.", "LIST-END-2.", "SHORT-END-3."],
  );
});

/** Without the rules of the agent that is in the recording. */
function chatOfUnknown(name: string): ReturnType<typeof messagesIn> {
  const agent = name.split("-")[0];
  const known = [...builtInAgents.agents, builtInAgents.named("generic")].filter((each) => each !== undefined);
  const reducers = new SessionReducers({ agents: new AgentRegistry(known.filter((each) => each.name !== agent)) });
  return messagesIn(castSteps(castOf(name)).flatMap((step) => reducers.step(step)));
}

test("an agent that nothing is known of has a conversation, or says that it is not read", () => {
  for (const name of ["claude-main-80x24", "cline-main-80x24", "qwen-main-80x24"]) {
    const users = chatOfUnknown(name).filter(({ role, text }) => role === "user" && text !== "");
    assert.ok(users.length >= 8, name);
  }
  for (const name of ["opencode-main-80x24", "codex-main-80x24"]) {
    const messages = chatOfUnknown(name);
    assert.equal(messages.filter(({ role }) => role === "user").length, 0, name);
    assert.ok(
      messages.some(({ text, isIncomplete }) => text.startsWith(notReadLine) && isIncomplete),
      name,
    );
  }
});

test("there are recordings of seven agents, full screen and inline", () => {
  assert.ok(all.length >= 24);
});

for (const name of [...casts.keys()].filter((key) => (hasAll ? /-encode-/ : /^(?:claude|codex)-encode-/).test(key))) {
  test(`${name}: each encoded event of an answer is found once, and trusted where a schema knows its name`, () => {
    const found = (eventNames: readonly string[]): string[] =>
      replay(castOf(name), { command: ["bash"], exits: true, eventNames }).flatMap((change) =>
        change.kind === "event" && change.event.carrier === "encoded"
          ? [`${change.event.trust} ${change.event.name} ${change.event.valid}`]
          : [],
      );
    const expected = (trust: string): string[] =>
      ["TASK", "PLAN", "PLAN", "PLAN"].map((word) => `${trust} ${word}_COMPLETE true`);
    assert.deepEqual(found(["TASK_COMPLETE", "PLAN_COMPLETE"]), expected("encoded"));
    if (hasAll || name.startsWith("codex-")) assert.deepEqual(found([]), expected("unverified"));
  });
}

/** Bytes between two cuts. */
const stride = hasAll ? 97 : 4999;

for (const name of [
  "claude-two-80x24",
  "codex-inline-breaks-100x30",
  "codex-inline-main-80x24",
  "claude-inline-stops-90x28",
  "pi-main-80x24",
  "qwen-two-80x24",
  "opencode-lists-100x30",
]) {
  test(`${name}: the same messages at every cut of its first 20 kB`, () => {
    const cast = firstBytes(castOf(name), 20_000);
    const whole = chatOf(cast);
    assert.ok(whole.length > 3);
    for (let cut = 1; cut < 20_000; cut += stride) assert.deepEqual(chatOf(cast, [cut]), whole, `cut at ${cut}`);
  });
}

test("the same messages where each byte comes alone", () => {
  const bytes = hasAll ? 30_000 : 12_000;
  const cast = firstBytes(castOf("gemini-two-80x24"), bytes);
  const cuts = Array.from({ length: bytes }, (_, index) => index);
  assert.deepEqual(chatOf(cast, cuts), chatOf(cast));
});

const saved = ["codex-inline-main-80x24", "opencode-two-80x24"];
const alsoSaved = ["claude-main-80x24", "gemini-breaks-120x40", "qwen-tools-60x20"];

for (const name of [...saved, ...(hasAll ? alsoSaved : [])]) {
  test(`${name}: a fold that was saved before each step says the same`, () => {
    const steps = castSteps(firstBytes(castOf(name), hasAll ? Infinity : 60_000));
    const messages = messagesOf(steps);
    assert.ok(messages.length > 3);
    assert.deepEqual(messagesOf(steps, { restore: true }), messages);
  });
}

for (const name of ["claude-main-80x24", "claude-inline-stops-90x28"]) {
  test(`${name}: each frame twice says the same`, () => {
    const steps = castSteps(castOf(name));
    const twice = steps.flatMap((step): Step[] => (step.type === "frame" ? [step, step] : [step]));
    assert.deepEqual(messagesOf(twice), messagesOf(steps));
  });
}
