import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundLook } from "../events/foreground.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { ShellStep } from "./command-tracker.ts";
import type { PromptRules } from "./learned-prompts.ts";
import {
  beginWait,
  stepWait,
  wantsText,
  type ReadyWaitOptions,
  type WaitEffect,
  type WaitEvent,
  type WaitState,
} from "./ready-wait.ts";

const probe = (verdict: ForegroundVerdict): ForegroundLook => ({
  verdict,
  pid: 1,
  group: 1,
  program: "x",
  echo: true,
  canonical: true,
  reasons: [],
});
const defaults: ReadyWaitOptions = {
  strategy: "auto",
  foreground: null,
  markers: ["$ "],
  timeoutMs: 20_000,
  settleMs: 200,
  quietMs: 80,
};

interface Happening {
  readonly atMs: number;
  readonly event: WaitEvent;
}
const start: ShellStep = { type: "command-start" };
const end: ShellStep = { type: "command-end", exitCode: 0 };
const prompt: ShellStep = { type: "prompt" };
const more: ShellStep = { type: "continuation" };
const output = (atMs: number, lastLine: string, ...steps: ShellStep[]): Happening => ({
  atMs,
  event: { type: "output", lastLine, steps },
});
const reported = (atMs: number, verdict: ForegroundVerdict): Happening => ({
  atMs,
  event: { type: "probed", probe: probe(verdict) },
});

/** One whose prompt is known, and in whose event loop a timer is pending. */
const timed = (atMs: number, verdict: ForegroundVerdict = "raw"): Happening => ({
  atMs,
  event: { type: "probed", probe: { ...probe(verdict), timerAtMs: 90_000 } },
});
const known = (isRequired: boolean, restingTimerMs?: number): PromptRules => ({
  learned: [{ pid: 1, text: "> ", verdict: "raw", isFirm: true }],
  restingTimerMs,
  owner: 1,
  inside: false,
  markers: [],
  isRequired,
});

interface Given extends Partial<ReadyWaitOptions> {
  /** What a probe finds, at any time or as a function of it. */
  readonly kernel?: ForegroundVerdict | ((nowMs: number) => ForegroundVerdict);
  /** The machine stands still from the first to the second time: what is due then comes at its end. */
  readonly stall?: readonly [fromMs: number, toMs: number];
}

/** How and when a wait ends, with everything that happens on the way and each timer and probe that it asks for. */
function endOf({ kernel = "unknown", stall = [0, 0], ...options }: Given, ...happenings: Happening[]): string {
  const queue = [...happenings];
  let state = beginWait({ ...defaults, ...options }, 0);
  let nowMs = 0;
  const put = (event: WaitEvent): WaitEffect => {
    const next = stepWait(state, event, nowMs);
    state = next.state;
    return next.effect.type === "probe"
      ? put(
          options.foreground === "reported"
            ? { type: "asked", isComing: false }
            : { type: "probed", probe: probe(typeof kernel === "string" ? kernel : kernel(nowMs)) },
        )
      : next.effect;
  };
  for (let effect = put({ type: "tick" }); ;) {
    if (effect.type === "settle") return `${effect.readiness.reason} ${effect.readiness.asks} at ${nowMs}`;
    assert.ok(effect.type === "wake" && effect.atMs > nowMs, "no timer for what is past");
    const isNext = queue[0] !== undefined && queue[0].atMs <= effect.atMs;
    const atMs = isNext ? queue[0]!.atMs : effect.atMs;
    nowMs = atMs >= stall[0] && atMs < stall[1] ? stall[1] : atMs;
    effect = put(isNext ? queue.shift()!.event : { type: "tick" });
  }
}

test("the marks of the shell decide before everything else", () => {
  const given = { foreground: "polled", marks: "own", kernel: "password" } as const;
  assert.equal(endOf(given, output(4, "$ ", prompt)), "mark command at 4");
  assert.equal(endOf({}, output(5, "> ", more)), "mark more at 5");
  assert.equal(endOf({ ...given, place: "prompt" }), "mark command at 0");
});

const forged = {
  prompt: [prompt],
  more: [more],
  end: [start, end],
  all: [start, end, prompt],
} as const;

test("marks that any program can print do not count while the kernel reports a busy program", () => {
  for (const [name, steps] of Object.entries(forged)) {
    for (const typed of [{}, { place: "typed", typedAt: "prompt" }] as const) {
      const reports = { foreground: "reported", standing: probe("busy"), ...typed } as const;
      assert.equal(endOf(reports, output(5, "$ ", ...steps)), "timeout null at 20000", name);
      const probes = { foreground: "polled", kernel: "busy", ...typed } as const;
      assert.equal(endOf(probes, output(5, "$ ", ...steps)), "timeout null at 20000", name);
    }
  }
});

test("marks that any program can print count if the kernel reports a prompt too, or cannot be asked", () => {
  for (const verdict of ["raw", "prompt", "listening", "not-available"] as const) {
    // The first probe is due at 1 ms, in front of the marks; the next one follows them.
    const kernel = (nowMs: number): ForegroundVerdict => (nowMs < 5 ? "busy" : verdict);
    assert.equal(endOf({ foreground: "polled", kernel }, output(5, "$ ", ...forged.all)), "mark command at 6", verdict);
  }
  const hidden = (nowMs: number): ForegroundVerdict => (nowMs < 5 ? "busy" : "unknown");
  const given = { foreground: "polled", kernel: hidden, markers: [] } as const;
  assert.equal(endOf(given, output(5, "$ ", ...forged.all)), "mark command at 2005", "it hides a program that starts");
  const before = { foreground: "reported", standing: probe("raw") } as const;
  assert.equal(endOf(before, output(5, "$ ", ...forged.all)), "mark command at 105", "the kernel may report a change");
});

test("the prompt of a shell that was still starting when a line was typed does not end the wait", () => {
  const given = { markers: [], strategy: "mark", place: "starting", typedAt: "starting" } as const;
  assert.equal(endOf(given, output(5, "$ ", prompt), output(9, "$ ", start, end, prompt)), "mark command at 9");
});

test("a prompt that is redrawn before the command starts is not the end of the command", () => {
  const given = { strategy: "mark", place: "typed", typedAt: "prompt" } as const;
  assert.equal(endOf(given, output(1, "$ ", prompt), output(3, "$ ", start, end, prompt)), "mark command at 3");
});

test("a prompt that is redrawn is not the end of the command while the shell is busy, however long it takes to start it", () => {
  const typed = { place: "typed", typedAt: "prompt", marks: "own", markers: [] } as const;
  const happenings = [output(1, "$ ", prompt), output(900, "", start), output(950, "$ ", end, prompt)];
  assert.equal(endOf({ ...typed, foreground: "polled", kernel: "busy" }, ...happenings), "mark command at 950");
  const reports = { ...typed, foreground: "reported" } as const;
  assert.equal(endOf({ ...reports, standing: probe("busy") }, ...happenings), "mark command at 950");
  const late = [happenings[0]!, reported(850, "busy"), ...happenings.slice(1)];
  assert.equal(endOf({ ...reports, standing: probe("raw") }, ...late), "mark command at 950", "asked at 101");
  assert.equal(
    endOf({ ...reports, standing: probe("busy") }, happenings[0]!, reported(400, "raw")),
    "mark command at 400",
  );
});

test("the prompt after an empty command counts if the kernel reports one too, or after a while", () => {
  const typed = { place: "typed", typedAt: "prompt" } as const;
  const kernel = "raw";
  assert.equal(endOf({ ...typed, foreground: "polled", kernel }, output(1, "$ ", prompt)), "mark command at 1");
  assert.equal(endOf({ ...typed, strategy: "mark" }, output(1, "$ ", prompt)), "mark command at 251");
  assert.equal(endOf({ strategy: "mark", place: "prompt", typedAt: "prompt" }), "mark command at 250");
});

test("a prompt is forgotten if a command starts behind it", () => {
  assert.equal(endOf({ strategy: "mark" }, output(5, "$ ", prompt, start)), "timeout null at 20000");
});

test("the end of a command counts if its prompt never comes", () => {
  assert.equal(endOf({ strategy: "mark" }, output(10, "", end)), "mark null at 260");
});

test("a shell that works on its prompt after the end of a command is not ready, however long it takes", () => {
  for (const foreground of ["polled", "reported"] as const) {
    const given = { foreground, marks: "own", kernel: "busy", markers: [] } as const;
    const command: Happening[] = [output(2, "", start), reported(3, "busy"), output(5, "", end)];
    assert.equal(endOf(given, ...command, output(3000, "$ ", prompt)), "mark command at 3000", foreground);
  }
});

test("a marker counts only if the kernel does not report that the program computes", () => {
  const kernel = (nowMs: number): ForegroundVerdict => (nowMs < 5000 ? "busy" : "unknown");
  assert.equal(endOf({ foreground: "polled", kernel }, output(0, "price in $ ")), "marker command at 5005");
});

test("a marker may be there before the wait begins, counts only at the end of the text, and may have line feeds", () => {
  assert.equal(endOf({ lastLine: "user$ " }), "marker command at 200");
  assert.equal(endOf({}, output(10, "$ "), output(20, "$ 5"), output(300, "$ ")), "marker command at 500");
  assert.equal(endOf({ markers: ["", "\n>>> "] }, output(10, ">>> ")), "marker command at 210");
});

test("a marker from before what was typed is not the answer of a program that has yet to echo it", () => {
  const typed = { lastLine: "$ ", isUnanswered: true } as const;
  assert.equal(endOf(typed, output(2100, "$ make"), output(2101, "$ ")), "marker command at 2301");
  assert.equal(endOf(typed, output(10, "$ ")), "marker command at 210");
  // It echoes nothing.
  assert.equal(endOf(typed), "marker command at 2200");
});

test("silence ends the wait if there is nothing better, counted from its beginning", () => {
  assert.equal(endOf({ markers: [] }, output(79, "x")), "quiet null at 159");
  assert.equal(endOf({}, output(0, "working")), "timeout null at 20000");
  const typed = { markers: [], place: "typed", typedAt: "prompt" } as const;
  assert.equal(endOf(typed, output(1, "", start)), "timeout null at 20000");
});

test("a probe is not the answer of a shell that has yet to report what became of its line", () => {
  const typed = { markers: [], place: "typed" } as const;
  const polled = { ...typed, foreground: "polled", kernel: "raw" } as const;
  assert.equal(endOf(polled, output(10, "$ ^C")), "foreground keys at 2010");
  const byReports = { ...typed, foreground: "reported", marks: "own", standing: probe("raw") } as const;
  assert.equal(endOf(byReports, output(10, "$ ^C"), output(2009, "$ ", prompt)), "mark command at 2009");
  const started = { ...typed, foreground: "polled", kernel: "prompt" } as const;
  assert.equal(endOf(started, output(0.5, "", start)), "foreground line at 1", "the shell has reported something");
});

test("what was typed is given the time to reach the program, until something comes back", () => {
  const typed = { foreground: "polled", markers: [], isUnanswered: true, kernel: "raw" } as const;
  assert.equal(endOf(typed), "foreground keys at 250");
  assert.equal(endOf(typed, output(0.5, ">>> 1")), "foreground keys at 1");
});

test("one strategy alone uses no other evidence", () => {
  const quiet = { strategy: "quiet", foreground: "polled", kernel: () => assert.fail("a probe") } as const;
  assert.equal(endOf(quiet, output(0, "$ ", prompt)), "quiet null at 80");
  assert.equal(wantsText(beginWait({ ...defaults, ...quiet }, 0)), false);
});

test("a question for a password is read from the text if nothing better is known", () => {
  assert.equal(endOf({ strategy: "quiet" }, output(0, "Password: ")), "quiet password at 80");
});

test("the wait ends with the program and at the limit", () => {
  for (const reason of ["exit", "limit"] as const) {
    assert.equal(endOf({}, { atMs: 3, event: { type: "end", reason } }), `${reason} null at 3`);
  }
});

test("the first probe that sees the program wait ends the wait", () => {
  for (const [verdict, asks] of [
    ["prompt", "line"],
    ["password", "password"],
    ["raw", "keys"],
  ] as const) {
    const kernel = (nowMs: number): ForegroundVerdict => (nowMs < 3 ? "busy" : verdict);
    assert.equal(endOf({ foreground: "polled", kernel }), `foreground ${asks} at 3`);
    assert.equal(endOf({ foreground: "reported" }, reported(10, verdict)), `foreground ${asks} at 10`);
  }
});

test("with marks of the shell the first probe comes a little later", () => {
  assert.equal(endOf({ foreground: "polled", marks: "own", kernel: "prompt" }), "foreground line at 5");
});

test("silence decides if the program only listens, with one more probe at its end", () => {
  assert.equal(endOf({ foreground: "reported" }, output(100, ""), reported(101, "listening")), "quiet null at 300");
  assert.equal(endOf({ foreground: "polled", kernel: "listening" }), "quiet null at 200");
  const reads = (nowMs: number): ForegroundVerdict => (nowMs < 199 ? "listening" : "raw");
  assert.equal(endOf({ foreground: "polled", kernel: reads }), "foreground keys at 200");
});

test("time in which the machine stood still is not silence", () => {
  // The program would do then what it would have done meanwhile.
  const reads = (nowMs: number): ForegroundVerdict => (nowMs < 310 ? "listening" : "raw");
  assert.equal(endOf({ foreground: "polled", kernel: reads, stall: [5, 305] }), "foreground keys at 313");
  assert.equal(endOf({ foreground: "polled", kernel: "listening", stall: [5, 305] }), "quiet null at 374");
  const computes = { foreground: "polled", timeoutMs: 30, stall: [2, 500] } as const;
  assert.equal(endOf({ ...computes, kernel: (nowMs) => (nowMs < 500 ? "busy" : "raw") }), "foreground keys at 500");
});

test("a job that stays stopped ends the wait and asks for nothing", () => {
  assert.equal(endOf({ foreground: "polled", kernel: "stopped" }), "foreground null at 100");
});

test("where nothing was typed the kernel is asked at once, and else after a movement that it has not reported", () => {
  const given = { ...defaults, foreground: "reported", standing: probe("raw") } as const;
  const effectAt = (options: Partial<ReadyWaitOptions>, event: WaitEvent, nowMs: number): string =>
    stepWait(beginWait({ ...given, ...options }, 0), event, nowMs).effect.type;
  assert.equal(effectAt({}, { type: "tick" }, 0), "probe");
  assert.equal(effectAt({ isUnanswered: true }, { type: "tick" }, 0), "wake");
  assert.equal(effectAt({ isUnanswered: true }, { type: "tick" }, 100), "probe");
  assert.equal(effectAt({}, { type: "output", lastLine: "", steps: [] }, 0), "wake");
});

test("a program that reads the terminal's answer asks nobody, until two seconds are over without one", () => {
  const given = { foreground: "polled", kernel: "raw" } as const;
  const question = (atMs: number): Happening => ({
    atMs,
    event: { type: "output", lastLine: "", awaitsReply: true, steps: [] },
  });
  assert.equal(endOf(given, question(1)), "foreground keys at 2001");
  assert.equal(endOf({ ...given, awaitsReply: true }), "foreground keys at 2000");
  const replied = { atMs: 700, event: { type: "replied" } } as const;
  assert.equal(endOf(given, question(1), replied), "foreground keys at 701");
});

test("an older report counts only if nothing was reported for a while after the last movement", () => {
  const given = { foreground: "reported", standing: probe("raw") } as const;
  assert.equal(endOf(given, output(99, "")), "foreground keys at 199");
  assert.equal(endOf({ ...given, place: "typed" }), "foreground keys at 2000");
  assert.equal(endOf({ ...given, isUnanswered: true }), "foreground keys at 2000");
  assert.equal(endOf({ ...given, isUnanswered: true }, output(1900, "")), "foreground keys at 2000");
});

test("an older report is dropped when the shell reports the start of a command, not when any program may have", () => {
  const given = { foreground: "reported", markers: [], standing: probe("raw"), timeoutMs: 900 } as const;
  const own = { ...given, marks: "own" } as const;
  assert.equal(endOf(own, output(50, "", start)), "timeout null at 900");
  assert.equal(endOf(own, output(50, "", start), reported(700, "password")), "foreground password at 700");
  assert.equal(endOf(given, output(50, "", start)), "foreground keys at 150");
});

test("a program with a pending timer away from its prompt asks nothing; a question, a prompt and a line editor do", () => {
  const options = { foreground: "reported", markers: [] } as const;
  const at = (isRequired: boolean, line: string, probes: (atMs: number) => Happening): string =>
    endOf({ ...options, prompts: known(isRequired) }, output(5, line), probes(9));
  assert.equal(at(true, "", timed), "timeout null at 20000");
  assert.equal(at(false, "", timed), "quiet null at 255");
  assert.equal(at(true, "> ", timed), "foreground command at 9");
  assert.equal(at(true, "name? ", timed), "foreground keys at 255");
  assert.equal(
    at(true, "", (atMs) => reported(atMs, "raw")),
    "foreground keys at 255",
  );
  const resting = { ...options, prompts: known(true, 89_900) };
  assert.equal(endOf(resting, output(5, ""), timed(9)), "foreground keys at 255", "it was pending before the command");
  const later = [output(5, ""), timed(9), output(1500, "42"), output(1501, "> "), timed(1510)];
  assert.equal(endOf({ ...options, prompts: known(true) }, ...later), "foreground command at 1510");
});

test("a program that polls for keys asks for something where another line than its prompt stands, and an event loop may not", () => {
  const options = { foreground: "polled", markers: [], kernel: "listening" } as const;
  assert.match(endOf({ ...options, prompts: known(true) }, output(5, "")), /^quiet line at 2\d\d$/);
  assert.match(endOf({ ...options, prompts: known(true) }, output(5, "> ")), /^quiet command at 2\d\d$/);
  const loop = { foreground: "reported", markers: [], prompts: known(true) } as const;
  assert.equal(endOf(loop, output(5, ""), timed(9, "listening")), "timeout null at 20000");
});

test("a report from before the start of a command does not decide while a newer one is to come", () => {
  const given = {
    foreground: "reported",
    marks: "own",
    markers: [],
    place: "running",
    standing: probe("raw"),
  } as const;
  const asking = (isComing: boolean): WaitState => {
    const begun = stepWait(beginWait({ ...defaults, ...given }, 0), { type: "standing", probe: probe("raw") }, 150);
    assert.equal(begun.effect.type, "probe");
    return stepWait(begun.state, { type: "asked", isComing }, 150).state;
  };
  assert.equal(stepWait(asking(false), { type: "tick" }, 150).effect.type, "settle");
  const state = asking(true);
  assert.equal(stepWait(state, { type: "tick" }, 1999).effect.type, "wake");
  assert.equal(stepWait(state, { type: "probed", probe: probe("busy") }, 200).effect.type, "wake");
  assert.equal(stepWait(state, { type: "probed", probe: probe("raw") }, 200).effect.type, "settle");
  // Whoever was asked is not to be waited for without end.
  assert.equal(stepWait(state, { type: "tick" }, 2000).effect.type, "settle");
});

test("a report that is older than what was typed is asked for once", () => {
  let state = beginWait(
    { ...defaults, foreground: "reported", markers: [], standing: probe("raw"), isUnanswered: true },
    0,
  );
  const effects = [99, 100, 101, 400].map((nowMs) => {
    const { effect } = stepWait(state, { type: "tick" }, nowMs);
    if (effect.type === "probe") ({ state } = stepWait(state, { type: "asked", isComing: false }, nowMs));
    return effect.type;
  });
  assert.deepEqual(effects, ["wake", "probe", "wake", "wake"]);
  const { effect } = stepWait(state, { type: "probed", probe: probe("raw") }, 401);
  assert.equal(effect.type, "settle");
});
