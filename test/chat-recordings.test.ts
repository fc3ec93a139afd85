/** What `npm run report:chat` measures, with floors, and the laws of the chat fold on true recordings. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measureChat, type GroundTruth, type Score } from "./chat-measure.ts";
import type { Step } from "../src/core/observe/step.ts";
import { castSteps, firstBytes, readCast, type Cast } from "./chat-replay.ts";
import { messagesIn, messagesOf, replay } from "./session-replay.ts";

const folder = join(import.meta.dirname, "fixtures", "recordings");
const casts = new Map(
  readdirSync(folder)
    .filter((file) => /\.cast(\.gz)?$/.test(file))
    .map((file) => [file.replace(/\.cast(\.gz)?$/, ""), join(folder, file)]),
);
const castOf = (name: string): Cast => readCast(casts.get(name) ?? assert.fail(`no recording ${name}`));

/** The longest run of each agent, two agents in one terminal with resizes, and those of other sizes; the report covers all. */
const names = [...casts.keys()].filter((name) =>
  /-(?:main|two)-80x24$|-(?:lists|tools|faults|asks|breaks|reads|mimic|chains|stops)-(?!80x24)/.test(name),
);

const chatOf = (cast: Cast, cutsAt: readonly number[] = []) =>
  messagesIn(replay(cast, { command: ["bash"], exits: true, cutsAt }));

const isAtLeast = (share: number, { expected, found, matched }: Score): boolean =>
  matched >= share * expected && matched >= share * found;

for (const name of names) {
  test(`${name}: messages are those that were sent, in order, with their words`, () => {
    const truth = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as GroundTruth;
    const cast = castOf(name);
    const { user, assistant, tool, words, silent, misses } = measureChat(truth, chatOf(cast), castSteps(cast));
    const message = misses.join("\n");
    assert.ok(isAtLeast(0.98, user), message);
    assert.ok(isAtLeast(0.98, assistant), message);
    assert.ok(isAtLeast(0.98, tool), message);
    assert.ok(words.found >= 0.97 * words.visible, message);
    assert.ok(words.foreign <= 0.01 * words.said, message);
    assert.equal(silent, 0, message);
  });
}

test("there are recordings of seven agents, full screen and inline", () => {
  assert.ok(names.length >= 24);
});

for (const name of [...casts.keys()].filter((key) => /-encode-/.test(key))) {
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
    assert.deepEqual(found([]), expected("unverified"));
  });
}

/** Every place with `CHAT_CUT_STRIDE=1`, which takes minutes. */
const stride = Number(process.env["CHAT_CUT_STRIDE"] ?? 997);

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
  const cast = firstBytes(castOf("gemini-two-80x24"), 30_000);
  const cuts = Array.from({ length: 30_000 }, (_, index) => index);
  assert.deepEqual(chatOf(cast, cuts), chatOf(cast));
});

for (const name of [
  "claude-main-80x24",
  "codex-inline-main-80x24",
  "gemini-breaks-120x40",
  "opencode-two-80x24",
  "qwen-tools-60x20",
]) {
  test(`${name}: a fold that was saved before each step says the same`, () => {
    const steps = castSteps(castOf(name));
    assert.deepEqual(messagesOf(steps, { restore: true }), messagesOf(steps));
  });
}

for (const name of ["claude-main-80x24", "claude-inline-stops-90x28"]) {
  test(`${name}: each frame twice says the same`, () => {
    const steps = castSteps(castOf(name));
    const twice = steps.flatMap((step): Step[] => (step.type === "frame" ? [step, step] : [step]));
    assert.deepEqual(messagesOf(twice), messagesOf(steps));
  });
}
