import assert from "node:assert/strict";
import { test } from "node:test";
import { observationsOf, Observed } from "../../../test/observed.ts";
import { frameOf } from "../../../test/frames.ts";
import { recordedSteps } from "../../../test/recordings.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { Step } from "../observe/step.ts";
import type { Approval } from "../dialogs/approval.ts";
import { ApprovalFold } from "./approval-fold.ts";

const dialog = (command: string, marked = 1): string =>
  `  Would you like to run the following command?\n\n  $ ${command}\n\n${["Yes (y)", "No (esc)"]
    .map((label, index) => `${index + 1 === marked ? "›" : " "} ${index + 1}. ${label}`)
    .join("\n")}\n\n  Press enter to confirm`;
const box = "• Done.\n\n› Ask Codex to do anything\n\n  ? for shortcuts";
const at = (milliseconds: number) => ({ offset: 0, timeUs: milliseconds * 1000 });
const shown = (text: string, milliseconds: number): Step => ({
  type: "frame",
  frame: { ...frameOf(text, { isCursorHidden: true, timeUs: milliseconds * 1000 }), offset: 0 },
});
/** A frame with the cursor at `|`. */
const asked = (text: string, milliseconds: number): Step => ({
  type: "frame",
  frame: { ...frameOf(text, { timeUs: milliseconds * 1000 }), offset: 0 },
});
const probed = (
  verdict: ForegroundVerdict,
  milliseconds: number,
  text?: string,
  echo = verdict === "prompt",
): Step => ({
  type: "foreground",
  verdict,
  program: "ask",
  echo,
  ...(text === undefined ? {} : { frame: { ...frameOf(text, { timeUs: milliseconds * 1000 }), offset: 0 } }),
  ...at(milliseconds),
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
  const approvals = new Observed(new ApprovalFold());
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
  const approvals = new Observed(new ApprovalFold());
  assert.deepEqual(torn.flatMap((step) => approvals.step(step)).map(brief), answered);
  assert.equal(approvals.reducer.wakeUs, 1_050_000);
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
  const approvals = new Observed(new ApprovalFold());
  const changes = steps.flatMap((step) => approvals.step(step));
  assert.deepEqual(changes.map(brief), ["a1 open $ ls *1"]);
  assert.equal(approvals.reducer.wakeUs, 1_300_000);
  assert.deepEqual(approvals.step({ type: "tick", timeUs: 1_300_000 }).map(brief), ["a1 gone $ ls -> ?"]);
});

test("a dialog that is painted piece by piece after its key stays the same, and so does one from before the key", () => {
  const shownBy = (rows: readonly string[], milliseconds: number): Step =>
    shown([`╭${"─".repeat(40)}╮`, ...rows].join("\n"), milliseconds);
  const rows = ["│  Would you like to continue?", "│  > Continue (tab)", "│    No (esc)", `╰${"─".repeat(40)}╯`];
  const begun: Step[] = [{ ...start, command: ["cn"] }, shownBy(rows, 100)];
  const answered = [shown(`╭${"─".repeat(40)}╮\n│ ● Ask\n╰${"─".repeat(40)}╯`, 2000)];
  const expected = ["a1 open  *1", "a1 answered  -> 1"];
  assert.deepEqual(fold([...begun, typed("\r", 900), shownBy(rows.slice(0, 2), 1300), ...answered]), expected);
  // A frame comes when a pause shows its end: the key was typed meanwhile.
  assert.deepEqual(fold([...begun, shown("half", 890), typed("\r", 900), shownBy(rows, 895), ...answered]), expected);
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

test("behind the key that answered it, the part of a dialog is not taken for the part of the next one", () => {
  const shownAt = (command: string, milliseconds: number, isResized = false): Step => {
    const frame = frameOf(dialog(command), { isCursorHidden: true, timeUs: milliseconds * 1000 });
    return { type: "frame", frame: { ...frame, isResized, offset: milliseconds } };
  };
  const [whole, folded] = ["python - <<E\n    one()\n    E", "python - <<E\n    [… 2 lines] ^a view all"];
  const steps = [shownAt(whole, 1000), shownAt(folded, 5000, true), shownAt(folded, 5100), typed("y", 9000)];
  const approvals = new Observed(new ApprovalFold());
  const changes = [start, ...steps, shownAt(folded, 9100)].flatMap((step) => approvals.step(step));
  assert.deepEqual(
    changes.map(({ id, state }) => [id, state]),
    [["a1000", "open"]],
  );
  assert.equal(approvals.reducer.wakeUs, 10_500_000);
  const after = approvals.step({ type: "tick", timeUs: 10_500_000 });
  assert.deepEqual(
    after.map(({ id, state, isComplete, details }) => [id, state, isComplete, details.includes("one()")]),
    [
      ["a1000", "answered", true, true],
      ["a9100", "open", false, false],
    ],
  );
});

test("a line question stays while its answer is typed, and what is secret is not told", () => {
  const lineSteps = [
    probed("prompt", 0),
    asked("Remove? [y/N] |", 0),
    typed("y", 100),
    asked("Remove? [y/N] y|", 110),
    typed("\r", 700),
    asked("Remove? [y/N] y\nok\n|", 710),
  ];
  assert.deepEqual(fold(lineSteps), ["a1 open  *n", "a1 answered  -> y"]);
  const secret: Step = { ...typed("****", 300), isSecret: true } as Step;
  assert.deepEqual(fold([probed("password", 0), asked("Password: |", 0), secret, asked("Password: \nhello\n|", 400)]), [
    "a1 open  *null",
    "a1 answered  -> ?",
  ]);
});

test("a question that nobody reads is none until somebody does", () => {
  const text = "Continue? [y/N] |";
  assert.deepEqual(
    fold([probed("busy", 0), asked(text, 10), typed("y\r", 100), asked("Continue? [y/N] y\n|", 110)]),
    [],
  );
  assert.deepEqual(fold([probed("busy", 0), asked(text, 10), probed("prompt", 9000, text)]), ["a1 open  *n"]);
  assert.deepEqual(fold([probed("stopped", 0), asked(text, 10), probed("listening", 9000, text)]), ["a1 open  *n"]);
  const menu = "Go on?\n❯ 1. Yes\n  2. No\n  (use arrow keys)";
  assert.deepEqual(fold([probed("busy", 0), shown(menu, 10)]), []);
});

test("a question that an older probe opened is withdrawn by the next; one whose reader comes back keeps its id", () => {
  const text = "Continue? [y/N] |";
  assert.deepEqual(fold([probed("prompt", 0), asked(text, 10), probed("busy", 30)]), ["a1 open  *n", "a1 hint  -> ?"]);
  const approvals = new Observed(new ApprovalFold());
  const flicker = [
    probed("prompt", 0),
    asked(text, 10),
    probed("busy", 900),
    probed("prompt", 1000, text),
    probed("busy", 2000),
  ];
  assert.deepEqual(flicker.flatMap((step) => approvals.step(step)).map(brief), ["a1 open  *n"]);
  assert.equal(approvals.reducer.wakeUs, 2_400_000);
  assert.deepEqual(approvals.step({ type: "tick", timeUs: 2_400_000 }).map(brief), ["a1 hint  -> ?"]);
  assert.deepEqual(approvals.step(probed("prompt", 3000, text)).map(brief), ["a1 open  *n"]);
});

test("a question that nobody reads is a hint once it stands, with the reason, and never answered", () => {
  const approvals = new Observed(new ApprovalFold());
  const text = "Wipe it? [y/N] |";
  const steps = [probed("busy", 0), asked(text, 10), typed("y\r", 100), asked("Wipe it? [y/N] y\n|", 110)];
  assert.deepEqual(
    steps.flatMap((step) => approvals.step(step)),
    [],
  );
  assert.equal(approvals.reducer.wakeUs, 410_000);
  const [hint] = approvals.step({ type: "tick", timeUs: 410_000 });
  assert.deepEqual([hint?.state, hint?.whyHint], ["hint", "ask is busy and does not read"]);
  assert.equal(approvals.reducer.open, null);
  assert.deepEqual(approvals.step({ type: "exit", code: 0, signal: null, ...at(9000) }).map(brief), ["a1 gone  -> ?"]);
});

test("without a probe, and behind a program that hands keys on, a question is a hint", () => {
  const behind = (step: Step | null): string | null | undefined => {
    const approvals = new Observed(new ApprovalFold());
    if (step !== null) approvals.step(step);
    approvals.step(asked("Go on? [y/N] |", 10));
    return approvals.step({ type: "tick", timeUs: 500_000 })[0]?.whyHint;
  };
  assert.equal(behind(null), "it is not known whether the program in the foreground reads");
  assert.equal(behind(probed("unknown", 0)), "it is not known whether ask reads");
  assert.equal(behind(probed("listening", 0)), undefined);
  const relay = { ...probed("listening", 0), isRelay: true } as Step;
  assert.equal(behind(relay), "ask hands keys to a program that cannot be seen");
});

test("a reason that was not known is replaced by what the kernel reports, once", () => {
  const approvals = new Observed(new ApprovalFold());
  const steps: Step[] = [
    asked("Go on? [y/N] |", 10),
    { type: "tick", timeUs: 500_000 },
    probed("unknown", 600),
    probed("busy", 700),
    { ...probed("busy", 800), program: "sleep" } as Step,
    probed("unknown", 900),
  ];
  assert.deepEqual(
    steps.flatMap((step) => approvals.step(step)).map(({ id, whyHint }) => [id, whyHint]),
    [
      ["a1", "it is not known whether the program in the foreground reads"],
      ["a1", "it is not known whether ask reads"],
      ["a1", "ask is busy and does not read"],
    ],
  );
});

test("the terminal's echo is no answer; what the program writes or the kernel reports is", () => {
  const open = [probed("prompt", 0), asked("Continue? [y/N] |", 10), typed("y\r", 900)];
  const echo = asked("Continue? [y/N] y\n|", 910);
  const opened = ["a1 open  *n"];
  const answered = [...opened, "a1 answered  -> y"];
  assert.deepEqual(fold([...open, echo, asked("Continue? [y/N] y\n|", 9000)]), opened);
  assert.deepEqual(fold([...open, echo, asked("Continue? [y/N] y\nok|", 9000)]), answered);
  assert.deepEqual(fold([...open, echo, probed("busy", 920)]), answered);
  assert.deepEqual(fold([...open, echo, probed("password", 920)]), answered);
  // With the echo off the program itself has moved the cursor.
  assert.deepEqual(fold([probed("raw", 0), ...open.slice(1), echo]), answered);
});

test("a line question is on the screen while what was typed stands behind it, also after half a screen", () => {
  const approvals = new Observed(new ApprovalFold());
  const half = [probed("prompt", 0), asked("Go? [y/N] |", 10), typed("y", 900), asked("|", 905)];
  const changes = [...half, asked("Go? [y/N] y|", 910)].flatMap((step) => approvals.step(step));
  assert.deepEqual(changes.map(brief), ["a1 open  *n"]);
  assert.equal(approvals.reducer.wakeUs, null);
});

test("the same words in the next line are another question once a line was typed", () => {
  const steps = [
    probed("prompt", 0),
    asked("Sure? [y/N] |", 10),
    typed("y\r", 900),
    asked("Sure? [y/N] y\nSure? [y/N] |", 910),
  ];
  assert.deepEqual(fold(steps), ["a1 open  *n", "a1 answered  -> y", "a2 open  *n"]);
});

test("a key that a program takes without Enter is an answer once the program has written something", () => {
  const open = [probed("raw", 0, undefined, true), asked("Go? [y/N] |", 10)];
  const [first, second] = [typed("y", 900), asked("Go? [y/N] y|", 910)];
  assert.deepEqual(fold([...open, first, second, probed("busy", 920), probed("raw", 930)]), ["a1 open  *n"]);
  assert.deepEqual(fold([...open, first, second, asked("Go? [y/N] ygone\n|", 1000)]), [
    "a1 open  *n",
    "a1 answered  -> y",
  ]);
});

test("the same words in the next line are another question once a key was taken", () => {
  const open = [probed("raw", 0, undefined, true), asked("Go? [y/N] |", 10), typed("y", 900)];
  const again = asked("Go? [y/N] y\nGo? [y/N] |", 910);
  const both = ["a1 open  *n", "a1 answered  -> y", "a2 open  *n"];
  assert.deepEqual(fold([...open, again]), both);
  assert.deepEqual(fold([...open, asked("Go? [y/N] y|", 905), again]), both);
});

test("a program that paints its question anew with the key in it has not taken the key yet", () => {
  const steps = [probed("raw", 0), asked("Wipe? [y/N] |", 10), typed("n", 900), asked("\nWipe? [y/N] n|", 920)];
  assert.deepEqual(fold(steps), ["a1 open  *n"]);
  const entered = [...steps, typed("\r", 1000), asked("\nWipe? [y/N] n\nkept|", 1020)];
  assert.deepEqual(fold(entered), ["a1 open  *n", "a1 answered  -> n"]);
});

test("Enter is pressed behind a key only if the program itself has shown that key", () => {
  const keysBehind = (echo: boolean, screen: string): unknown => {
    const approvals = new Observed(new ApprovalFold());
    const keysOn = (text: string) => approvals.reducer.keysFor("y", approvals.observer.screen(frameOf(text)));
    for (const step of [probed("raw", 0, undefined, echo), asked("Go? [y/N] |", 10)]) approvals.step(step);
    assert.deepEqual(keysOn("Go? [y/N] |"), { keys: ["y"], isComplete: false });
    approvals.step(typed("y", 900));
    return keysOn(screen);
  };
  assert.deepEqual(keysBehind(false, "Go? [y/N] y|"), { keys: ["Enter"], isComplete: true });
  // The terminal echoes what nobody has read yet, and a program that is slow has shown nothing.
  assert.equal(keysBehind(true, "Go? [y/N] y|"), null);
  assert.equal(keysBehind(false, "Go? [y/N] |"), null);
});

test("an answer that stands in the line of the terminal as a whole wants Enter only", () => {
  const keysBehind = (keys: string, screen: string, verdict: "prompt" | "busy" = "prompt"): unknown => {
    const approvals = new Observed(new ApprovalFold());
    const steps = [probed("prompt", 0), asked("Go? (yes/no) |", 10), typed(keys, 900), probed(verdict, 905)];
    for (const step of steps) approvals.step(step);
    return approvals.reducer.keysFor("yes", approvals.observer.screen(frameOf(screen)));
  };
  assert.deepEqual(keysBehind("yes", "Go? (yes/no) yes|"), { keys: ["Enter"], isComplete: true });
  for (const keys of ["ye", "yes ", "no"]) assert.equal(keysBehind(keys, `Go? (yes/no) ${keys}|`), null);
  // Nobody has typed it, it is not there any more, or the program does not read.
  assert.equal(keysBehind("", "Go? (yes/no) yes|"), null);
  assert.equal(keysBehind("yes", "Stop? (yes/no) yes|"), null);
  assert.equal(keysBehind("yes", "Go? (yes/no) yes|", "busy"), null);
});

test("ids grow with the journal, so a part of it that is read again repeats none", () => {
  const from = (offset: number, count = 0) => {
    const approvals = new Observed(new ApprovalFold({ ...new ApprovalFold().save(), count }));
    const frame = { ...frameOf("Go on? [y/N] |"), offset };
    approvals.step(probed("prompt", 0));
    return approvals.step({ type: "frame", frame }).map(({ id }) => id);
  };
  assert.deepEqual([from(512), from(512), from(9000), from(512, 700)], [["a512"], ["a512"], ["a9000"], ["a701"]]);
});

test("a hint becomes a question only on a screen that shows all output: the question that is read may be the next one", () => {
  const first = [probed("busy", 0), asked("Staging? [y/N] |", 10)];
  assert.deepEqual(fold([...first, probed("prompt", 700)]), ["a1 hint  -> ?"]);
  assert.deepEqual(fold([...first, probed("prompt", 700, "Staging? [y/N] |")]), ["a1 open  *n"]);
  const second = "Staging? [y/N]\nProduction? [y/N] |";
  const replaced = ["a1 hint  -> ?", "a1 gone  -> ?", "a2 open  *n"];
  assert.deepEqual(fold([...first, probed("prompt", 700), asked(second, 710)]), replaced);
});

test("a hint that another line replaces at once is judged by the probe that came before its frame", () => {
  const approvals = new Observed(new ApprovalFold());
  const next = "Go on 9? [y/N]\nLast one? [y/N] |";
  const steps = [probed("busy", 0), asked("Go on 9? [y/N] |", 10), probed("prompt", 100), asked(next, 110)];
  const changes = steps.flatMap((step) => approvals.step(step));
  assert.deepEqual(
    changes.map(({ question, state, whyHint }) => [question, state, whyHint]),
    [["Last one? [y/N]", "open", null]],
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
  for (const observation of observationsOf([...recordedSteps("codex-inline-events-80x24")])) {
    restored = new ApprovalFold(structuredClone(restored.save()));
    assert.deepEqual(restored.step(observation), whole.step(observation));
  }
});

test("a question opens only while no shell reads a command there, and an answer before that has been taken", () => {
  const question = "Overwrite? [y/N] |";
  const shell = (milliseconds: number, text?: string): Step => ({
    ...(probed("raw", milliseconds, text) as Extract<Step, { type: "foreground" }>),
    program: "bash",
  });
  assert.deepEqual(fold([shell(10), asked(question, 20), shell(30, question)]), []);
  const answered = [probed("prompt", 10), asked(question, 20), typed("y\r", 100), shell(200)];
  assert.deepEqual(fold(answered), ["a1 open  *n", "a1 answered  -> y"]);
  assert.deepEqual(fold([probed("prompt", 10), asked(question, 20), shell(100)]), ["a1 open  *n", "a1 hint  -> ?"]);
  const late: Step[] = [probed("prompt", 10), asked(question, 20), shell(1000), typed("y\r", 1100)];
  assert.deepEqual(fold([...late, { type: "tick", timeUs: 1_400_000 }]), ["a1 open  *n", "a1 hint  -> ?"]);
});
