/**
 * CPU of a session's views on recordings of agents: for a MB of output, and how it grows with a session that is 1, 2, 4 and 8 times as
 * long. `node bench/views.ts DIRECTORY` compares with the source of another commit, in interleaved rounds.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SessionView } from "../src/core/views/session-view.ts";
import type { CastEvent } from "../test/frames.ts";
import { readRecording } from "../test/recordings.ts";
import { compare, cost } from "./measure.ts";
import { tellFigure } from "./support/figure.ts";

interface Recorded {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}
interface Views {
  readonly SessionView: typeof SessionView;
}

const names = ["claude", "claude-inline", "codex", "codex-inline", "gemini", "opencode", "qwen", "pi", "cline"];
const viewsIn = async (directory: string): Promise<Views> =>
  (await import(pathToFileURL(resolve(directory, "src/core/views/session-view.ts")).href)) as Views;

function run(views: Views, { events, ...size }: Recorded): number {
  const view = new views.SessionView(size);
  view.step({ type: "start", command: ["bash"], offset: 0, timeUs: 0 });
  let offset = 0;
  for (const [seconds, type, data] of events) {
    const timeUs = Math.round(seconds * 1e6);
    const bytes = new TextEncoder().encode(data);
    if (type === "o") {
      view.output(bytes, offset, timeUs);
      offset += bytes.length;
    } else if (type === "i") view.step({ type: "input", bytes, isSecret: false, offset, timeUs });
    else if (type === "r") {
      const [columns = 80, rows = 24] = data.split("x").map(Number);
      view.resize(columns, rows, timeUs);
    }
  }
  view.dispose();
  return offset;
}

/** The session again and again, each time later: the shell, the agent in it, the shell. */
function repeated(recorded: Recorded, times: number): Recorded {
  const seconds = (recorded.events.at(-1)?.[0] ?? 0) + 1;
  const events = Array.from({ length: times }, (_, round) =>
    recorded.events.map(([time, type, data]) => [time + round * seconds, type, data] as const),
  ).flat();
  return { ...recorded, events };
}

const own = await viewsIn(resolve(import.meta.dirname, ".."));
const [directory] = process.argv.slice(2);
const other = directory === undefined ? undefined : await viewsIn(directory);
const sums = { bytes: 0, own: 0, other: 0 };
console.log(`recording           MB    ms/MB${other === undefined ? "" : "   other   ratio"}`);
for (const name of names) {
  const recorded = readRecording(`${name}-main-80x24`);
  const bytes = run(own, recorded);
  const measured =
    other === undefined
      ? { first: cost(5, () => run(own, recorded)), second: 0 }
      : compare(
          5,
          () => run(own, recorded),
          () => run(other, recorded),
        );
  sums.bytes += bytes;
  sums.own += measured.first;
  sums.other += measured.second;
  print(name, bytes, measured);
}
print("all", sums.bytes, { first: sums.own, second: sums.other });
const msPerMegabyte = (sums.own * 1e6) / sums.bytes;
tellFigure({ name: "views of agents' recordings", value: msPerMegabyte, unit: "ms/MB", better: "less" });

for (const name of ["claude", "codex-inline", "gemini"]) {
  const recorded = readRecording(`${name}-main-80x24`);
  const times = [1, 2, 4, 8].map((count) => {
    const longer = repeated(recorded, count);
    return cost(3, () => run(own, longer));
  });
  const exponent = Math.log((times.at(-1) ?? 1) / (times[0] ?? 1)) / Math.log(8);
  const shown = times.map((time) => time.toFixed(0)).join(", ");
  console.log(`${name.padEnd(14)} 1, 2, 4, 8 times as long: ${shown} ms  exponent ${exponent.toFixed(2)}`);
}

function print(name: string, bytes: number, { first, second }: { first: number; second: number }): void {
  const each = (milliseconds: number): string => ((milliseconds * 1e6) / bytes).toFixed(0).padStart(8);
  const ratio = other === undefined ? "" : `${each(second)} ${(first / second).toFixed(2).padStart(7)}`;
  console.log(name.padEnd(16), (bytes / 1e6).toFixed(2).padStart(5), each(first), ratio);
}
