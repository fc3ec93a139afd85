/**
 * CPU of the chat fold on recordings of agents: as a share of what the emulator and its frames cost, and how it grows with a
 * session that is 1, 2, 4 and 8 times as long. Interleaved rounds, medians.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ChatFold } from "../src/core/chat/chat-fold.ts";
import type { Step } from "../src/core/observe/step.ts";
import { castSteps, readCast, type Cast } from "../test/chat-replay.ts";
import { compare, cost } from "./measure.ts";

const folder = join(import.meta.dirname, "..", "test", "fixtures", "recordings");
const agents = ["claude", "claude-inline", "codex", "codex-inline", "gemini", "opencode", "qwen", "pi", "cline"];

function castNamed(name: string): Cast {
  const file = readdirSync(folder).find((candidate) => candidate.startsWith(`${name}-80x24.cast`));
  if (file === undefined) throw new Error(`No recording ${name}`);
  return readCast(join(folder, file));
}

function fold(steps: readonly Step[]): void {
  const chat = new ChatFold();
  for (const step of steps) chat.step(step);
}

/** The session again and again, each time later: the shell, the agent in it, the shell. */
function repeated(cast: Cast, times: number): Cast {
  const seconds = (cast.events.at(-1)?.[0] ?? 0) + 1;
  const events = Array.from({ length: times }, (_, round) =>
    cast.events.map(([time, type, data]) => [time + round * seconds, type, data] as const),
  ).flat();
  return { ...cast, events };
}

for (const agent of agents) {
  const cast = castNamed(`${agent}-main`);
  const steps = castSteps(cast);
  const bytes = cast.events.reduce((sum, [, type, data]) => sum + (type === "o" ? Buffer.byteLength(data) : 0), 0);
  const { first, second } = compare(
    5,
    () => fold(steps),
    () => castSteps(cast),
  );
  console.log(
    `${agent.padEnd(14)} chat ${first.toFixed(0).padStart(5)} ms  emulator and frames ${second.toFixed(0).padStart(5)} ms  ${(first / second).toFixed(2)} x  ${(bytes / 1000 / first).toFixed(1)} MB/s`,
  );
}

for (const agent of ["claude", "codex-inline", "gemini"]) {
  const cast = castNamed(`${agent}-main`);
  const sizes = [1, 2, 4, 8];
  const times = sizes.map((size) => {
    const steps = castSteps(repeated(cast, size));
    return cost(3, () => fold(steps));
  });
  const exponent = Math.log((times.at(-1) ?? 1) / (times[0] ?? 1)) / Math.log(8);
  console.log(
    `${agent.padEnd(14)} 1, 2, 4, 8 times as long: ${times.map((time) => time.toFixed(0)).join(", ")} ms  exponent ${exponent.toFixed(2)}`,
  );
}
