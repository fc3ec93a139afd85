/**
 * What status and approvals cost for a frame, against what the frame itself costs (the emulator and reading its rows): CPU time,
 * interleaved rounds, the median one.
 */
import { Watch } from "../src/core/status/watch.ts";
import type { Step } from "../src/core/observe/step.ts";
import { stepsOf } from "../test/frames.ts";
import { readRecording } from "../test/recordings.ts";
import { compare } from "./measure.ts";

const names = ["claude-main-80x24", "codex-main-80x24", "gemini-main-80x24", "cline-main-80x24", "repl-slow-80x24"];

console.log("recording              frames   watch us/frame   emulator us/frame   ratio");
for (const name of names) {
  const recording = readRecording(name);
  const steps: readonly Step[] = [...stepsOf(recording.events, recording)];
  const frames = steps.filter(({ type }) => type === "frame").length;
  const { first, second } = compare(
    5,
    () => {
      const watch = new Watch();
      for (const step of steps) watch.step(step);
    },
    () => [...stepsOf(recording.events, recording)],
  );
  const each = (milliseconds: number): string => ((milliseconds * 1000) / frames).toFixed(1);
  console.log(
    name.padEnd(22),
    String(frames).padStart(6),
    each(first).padStart(16),
    each(second).padStart(19),
    (first / second).toFixed(2).padStart(7),
  );
}
