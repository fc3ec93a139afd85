/**
 * The time constants of readiness, all in one table: each row has its value in milliseconds, the reason for it, and the test or
 * measurement that set it. `docs/decisions/readiness.md` tells what they are for; nothing else in this folder has a duration of its own.
 */
interface Row {
  readonly ms: number;
  readonly reason: string;
  readonly setBy: string;
}

export const readinessTimes = {
  timeout: {
    ms: 20_000,
    reason: "A read ends with what it has, so that no caller waits without end",
    setBy: "default of the read options",
  },
  settle: {
    ms: 200,
    reason: "A prompt may be printed in the middle of output: nothing may follow a ready marker for this long",
    setBy: "default of the read options; test/terminal-agterm.test.ts",
  },
  quiet: {
    ms: 80,
    reason: "Without marks, probe and marker, silence is all there is; most programs answer in one piece",
    setBy: "default of the read options; the REPL turns of test/e2e/terminal-repls.test.ts",
  },
  unchanged: {
    ms: 100,
    reason:
      "If changes are reported, they are probed 1, 2, 4, ... ms after a movement: nothing reported for this long means that nothing has changed. A job that stops is replaced by its shell sooner",
    setBy: "test/e2e/foreground.test.ts, with 16 processes on 2 processors",
  },
  reaction: {
    ms: 250,
    reason:
      "By then the kernel has handed on what was typed (it took once more than 60 ms), and a shell that is running has reported the start behind a prompt that it redraws, and the prompt behind a command's end",
    setBy: "Linux 6.18, with 16 processes on 2 processors; ready-wait.test.ts",
  },
  unstarted: {
    ms: 2000,
    reason: "A shell that has not begun with what was typed may not have been given a processor for this long",
    setBy: "240 commands typed 0 to 20 ms behind Ctrl-C on a busy machine: 34 lost their first letter",
  },
  firstProbe: {
    ms: 5,
    reason: "The marks of a shell come sooner than this for most commands, and a probe costs 100 microseconds",
    setBy: "bench/foreground-probe.ts",
  },
  trusted: {
    ms: 128,
    reason:
      "A probe result is trusted for this time before it only, so that a stalled machine is not mistaken for a quiet one",
    setBy: "the longest doubled wait of the probe schedule below the time to settle; ready-wait.test.ts",
  },
  nextProbe: {
    ms: 1,
    reason: "Wait before the first probe after a movement, doubled from probe to probe",
    setBy: "REPL turns that end 2 to 4 ms after the program reads again",
  },
  probe: {
    ms: 250,
    reason:
      "The longest doubled wait. A program that waits for a person is left alone this long after the last movement, so that an idle session costs nothing",
    setBy: "bench/foreground-probe.ts",
  },
  restingProbe: {
    ms: 10_000,
    reason: "A program that was silent for a minute and computes or sleeps may begin to wait silently",
    setBy: "bench/sessions.ts",
  },
  rest: { ms: 60_000, reason: "After this long without a movement probes are far apart", setBy: "bench/sessions.ts" },
  flood: {
    ms: 16,
    reason: "While bytes keep coming, a probe says nothing about their end: probes are spread to 62 a second",
    setBy: "bench/throughput.ts",
  },
} as const satisfies Readonly<Record<string, Row>>;
