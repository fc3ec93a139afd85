import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { recordedSteps } from "../../../test/recordings.ts";
import type { Step } from "../views/fold.ts";
import type { Approval } from "./approval.ts";
import { ApprovalFold } from "./approval-fold.ts";

const dialog = (command: string, marked = 1): string =>
  `  Would you like to run the following command?\n\n  $ ${command}\n\n${["Yes (y)", "No (esc)"]
    .map((label, index) => `${index + 1 === marked ? "›" : " "} ${index + 1}. ${label}`)
    .join("\n")}\n\n  Press enter to confirm`;
const box = "• Done.\n\n› Ask Codex to do anything\n\n  ? for shortcuts";
const at = (milliseconds: number) => ({ offset: 0, timeUs: milliseconds * 1000 });
const shown = (text: string, milliseconds: number): Step => ({
  type: "frame",
  frame: frameOf(text, { isCursorHidden: true, timeUs: milliseconds * 1000 }),
});
const typed = (text: string, milliseconds: number): Step => ({
  type: "input",
  bytes: new TextEncoder().encode(text),
  isSecret: false,
  ...at(milliseconds),
});
const start: Step = { type: "start", command: ["codex"], ...at(0) };
const brief = ({ id, state, answer, selected, details }: Approval): string =>
  `${id} ${state} ${details} ${state === "open" ? `*${selected}` : `-> ${answer?.option ?? "?"}`}`;
const fold = (steps: readonly Step[]): string[] => {
  const approvals = new ApprovalFold();
  return steps.flatMap((step) => approvals.step(step)).map(brief);
};

test("an approval opens with its dialog and is answered with it", () => {
  assert.deepEqual(fold([start, shown(dialog("ls"), 100), typed("y", 900), shown(box, 950)]), [
    "a1 open $ ls *1",
    "a1 answered $ ls -> 1",
  ]);
});

test("two dialogs in a row are two approvals", () => {
  const steps = [
    start,
    shown(dialog("ls"), 100),
    typed("\r", 900),
    shown(dialog("pwd"), 930),
    typed("\u001B", 2000),
    shown(box, 2050),
  ];
  assert.deepEqual(fold(steps), [
    "a1 open $ ls *1",
    "a1 answered $ ls -> 1",
    "a2 open $ pwd *1",
    "a2 answered $ pwd -> 2",
  ]);
});

test("the same words again are another approval where the screen was seen between", () => {
  const steps = [start, shown(dialog("ls"), 100), typed("\r", 900), shown(box, 930), shown(dialog("ls"), 950)];
  assert.deepEqual(fold(steps), ["a1 open $ ls *1", "a1 answered $ ls -> 1", "a2 open $ ls *1"]);
});

test("the same words right after a key and half a screen are a repaint; where they stay they are another approval", () => {
  const torn = [
    start,
    shown(dialog("ls"), 100),
    typed("\r", 900),
    shown("• half a screen", 905),
    shown(dialog("ls"), 908),
  ];
  const answered = ["a1 open $ ls *1", "a1 answered $ ls -> 1"];
  assert.deepEqual(fold([...torn, shown(box, 940), { type: "tick", timeUs: 1_100_000 }]), answered);
  const approvals = new ApprovalFold();
  assert.deepEqual(torn.flatMap((step) => approvals.step(step)).map(brief), answered);
  assert.equal(approvals.wakeUs, 1_050_000);
  assert.deepEqual(approvals.step({ type: "tick", timeUs: 1_050_000 }).map(brief), ["a2 open $ ls *1"]);
});

test("while it is painted it is one approval", () => {
  const steps = [start, shown(dialog("l"), 100), shown(dialog("ls"), 130), shown(dialog("ls", 2), 1000)];
  assert.deepEqual(fold(steps), ["a1 open $ l *1", "a1 open $ ls *1", "a1 open $ ls *2"]);
});

test("a repaint is no answer; what stays away is gone", () => {
  const steps = [
    start,
    shown(dialog("ls"), 100),
    shown("• half a screen", 500),
    shown(dialog("ls"), 550),
    shown("• other", 900),
  ];
  const approvals = new ApprovalFold();
  const changes = steps.flatMap((step) => approvals.step(step));
  assert.deepEqual(changes.map(brief), ["a1 open $ ls *1"]);
  assert.equal(approvals.wakeUs, 1_300_000);
  assert.deepEqual(approvals.step({ type: "tick", timeUs: 1_300_000 }).map(brief), ["a1 gone $ ls -> ?"]);
});

test("a key that changes nothing was no answer", () => {
  const steps = [
    start,
    shown(dialog("ls"), 100),
    typed("1", 500),
    shown(dialog("ls"), 2500),
    typed("\u001B", 3000),
    shown(box, 3050),
  ];
  assert.deepEqual(fold(steps), ["a1 open $ ls *1", "a1 answered $ ls -> 2"]);
});

test("a line question stays while its answer is typed, and what is secret is not told", () => {
  const lineSteps = [
    shown("Remove? [y/N] |", 0),
    typed("y", 100),
    shown("Remove? [y/N] y|", 110),
    typed("\r", 700),
    shown("Remove? [y/N] y\nok\n|", 710),
  ].map((step) =>
    step.type === "frame"
      ? { ...step, frame: { ...step.frame, cursor: { ...step.frame.cursor, isVisible: true } } }
      : step,
  );
  assert.deepEqual(fold(lineSteps), ["a1 open  *n", "a1 answered  -> y"]);
  const secret: Step = { ...typed("****", 300), isSecret: true } as Step;
  const visible = { ...frameOf("Password: |"), timeUs: 0 };
  assert.deepEqual(
    fold([
      { type: "frame", frame: visible },
      secret,
      { type: "frame", frame: frameOf("Password: \nhello\n|", { timeUs: 400_000 }) },
    ]),
    ["a1 open  *null", "a1 answered  -> ?"],
  );
});

test("the end of the program takes its dialogs along", () => {
  assert.deepEqual(fold([start, shown(dialog("ls"), 100), { type: "exit", code: 0, signal: null, ...at(200) }]), [
    "a1 open $ ls *1",
    "a1 gone $ ls -> ?",
  ]);
});

test("a fold that was saved at any step goes on the same", () => {
  const whole = new ApprovalFold();
  let restored = new ApprovalFold();
  for (const step of recordedSteps("codex-inline-events-80x24")) {
    restored = new ApprovalFold(structuredClone(restored.save()));
    assert.deepEqual(restored.step(step), whole.step(step));
  }
});
