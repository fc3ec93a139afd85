import assert from "node:assert/strict";
import { test } from "node:test";
import { askedDraft, type Draft } from "./draft.ts";
import { enterStep, planPrompt } from "./prompt-plan.ts";
import type { ActTarget } from "./target.ts";

const unknown: ActTarget = {
  kind: "unknown",
  agent: null,
  run: 0,
  program: "cat",
  group: 7,
  pid: 7,
  startTicks: 1,
  image: 1,
  members: [{ pid: 7, startTicks: 1, image: 1 }],
};
const reader = { agent: null, run: 0, pid: 7, lastPid: 7 };
const empty: Draft = { ...askedDraft(reader), place: "line", kind: "unknown", showsInput: true };
const box: Draft = {
  ...empty,
  place: "box",
  rules: { trims: "!", changes: null },
  reader: { ...reader, agent: "pi" },
};

function planned(
  text: string,
  draft: Draft,
  more: Readonly<Record<string, unknown>> & { readonly target?: ActTarget; readonly takesPastes?: boolean } = {},
): unknown {
  const { target = { ...unknown, agent: draft.reader.agent }, takesPastes = true } = more;
  const shown = { draft: { ...draft, takesPastes }, target, name: "work" };
  const seen = { ...shown, whyNotMeant: null, isAtPrompt: true, ...more };
  const plan = planPrompt({ key: "k", text, ...more }, seen);
  if (!("steps" in plan)) return plan;
  const [typed, enter] = plan.steps;
  assert.deepEqual([plan.target, typed?.key, enter], [target, "k:text", enterStep("k")]);
  return [new TextDecoder().decode(typed?.bytes), typed?.isWhole];
}

test("a shell gets no prompt where it reads the rest of a command, or a command of it reads", () => {
  const inside: Draft = { ...empty, isAtPrompt: false };
  const target: ActTarget = { ...unknown, kind: "shell", program: "bash" };
  const plan = planned("ls", inside, { target }) as { readonly reason: string };
  assert.match(plan.reason, /^nothing was typed: the shell does not read a new command here/);
  assert.deepEqual(planned("ls", inside, { target, isAtPrompt: false }), { isEarly: true });
  assert.deepEqual(planned("ls", { ...inside, kind: "shell" }, { target }), ["\u001B[200~ls\u001B[201~", false]);
});

test("a text is one paste where pastes are taken, and whole for the box of an agent", () => {
  assert.deepEqual(planned("a\nb", box), ["\u001B[200~a\nb\u001B[201~", true]);
  assert.deepEqual(planned("/x y z", box, { takesPastes: false, isLiteral: true }), [" /x y z", false]);
  assert.deepEqual(planned("1 + 1", empty), ["\u001B[200~1 + 1\u001B[201~", false]);
  assert.deepEqual(planned("1 + 1", empty, { takesPastes: false }), ["1 + 1", false]);
});

test("what would be changed, entered in parts, or read by somebody else is refused with a reason", () => {
  const refusals: readonly [object, RegExp][] = [
    [planned("!ls", box) as object, /pi runs a text that begins with "!"/],
    [planned("a\nb", empty, { takesPastes: false }) as object, /each of the 2 lines would be entered by itself/],
    [planned("a\u2028b", empty, { takesPastes: false }) as object, /each of the 2 lines would be entered by itself/],
    [planned("  ", empty) as object, /blanks alone cannot be seen/],
    [planned("a", empty, { whyNotMeant: "it was meant for pi" }) as object, /it was meant for pi/],
    [planned("a", { ...empty, showsInput: false }) as object, /does not show an input line.* --force/],
  ];
  for (const [plan, reason] of refusals) assert.match("reason" in plan ? String(plan.reason) : "", reason);
  assert.deepEqual(planned("a", { ...empty, showsInput: false }, { isForced: true, takesPastes: false }), ["a", false]);
});

test("somebody's draft, a question and a program that works are waited for", () => {
  const occupied = planned("a", { ...empty, text: "half" }) as { occupied: string };
  assert.match(occupied.occupied, /behind its prompt there are 4 characters .* clear it with "lectern key work C-u"/);
  const early = { isEarly: true };
  assert.deepEqual(planned("a", { ...empty, place: "question" }), early);
  assert.deepEqual(planned("a", empty, { isAtPrompt: false }), early);
  assert.deepEqual(planned("a", empty, { isAtPrompt: false, whyNotMeant: "it was meant for pi" }), early);
});
