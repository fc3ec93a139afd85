/** Hostile output through screen views: delay of the main loop meanwhile, time to recover, growth of memory; and memory per idle view. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { JournalRecord } from "../src/protocol/records.ts";
import { ViewPool } from "../src/live/view-pool.ts";
import type { ViewSource } from "../src/live/live-view-options.ts";

function sourceOf(output: string, size: { columns: number; rows: number } | null = null): ViewSource {
  const payloads = output.match(/[^]{1,65536}/g) ?? [];
  const records: JournalRecord[] = [];
  let offset = 0;
  const add = (type: "output" | "resize", payload: Uint8Array): void => {
    records.push({ offset, timeUs: Date.now() * 1000, type, secret: false, payload });
    offset += payload.length;
  };
  if (size !== null)
    add("resize", Uint8Array.of(size.columns >> 8, size.columns & 255, size.rows >> 8, size.rows & 255));
  for (const payload of payloads) add("output", Buffer.from(payload));
  return {
    read: (from, max) => {
      const first = records.findIndex((record) => record.offset >= from);
      return first < 0 ? [] : records.slice(first, first + Math.max(1, Math.floor(max / 65_536)));
    },
  };
}

const megabytes = (bytes: number): string => (bytes / 1048576).toFixed(0);
const attacks: Record<string, [output: string, size?: { columns: number; rows: number }]> = {
  "REP 2^31": ["a\u001B[2147483647b"],
  "IL, DL, SU, SD 2^31": ["\u001B[2147483647L\u001B[2147483647M\u001B[2147483647S\u001B[2147483647T"],
  "CHT, CBT 2^31": ["\u001B[2147483647I\u001B[2147483647Z"],
  "SU 9999 x 1000": ["\u001B[9999S".repeat(1000)],
  "200,000 links": [Array.from({ length: 200_000 }, (_, index) => `\u001B]8;;l${index}\u0007x`).join("")],
  "title of 50 MB": [`\u001B]0;${"t".repeat(50_000_000)}`],
  "REP of a screen x 10,000": ["a\u001B[9999b".repeat(10_000)],
  "RIS x 30,000": ["\u001Bc".repeat(30_000)],
  "RIS x 4,096 at 1000x500": ["\u001Bc".repeat(4096), { columns: 1000, rows: 500 }],
};

await using pool = new ViewPool({ workersMax: 1 });
const warm = pool.open({ source: sourceOf("warm"), columns: 80, rows: 24 });
await warm.caughtUp();
for (const [name, [output, size]] of Object.entries(attacks)) {
  const source = sourceOf(`${output}\u001B\\after`, size ?? null);
  const before = process.memoryUsage.rss();
  let peak = before;
  let lostAt = 0;
  let recovered = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  const view = pool.open({ source, columns: 80, rows: 24 });
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    const { state } = view.status;
    if (state === "rebuilding" && lostAt === 0) lostAt = performance.now();
    if (state === "live" && lostAt > 0) {
      recovered = Math.max(recovered, performance.now() - lostAt);
      lostAt = 0;
    }
  }, 10);
  await view.caughtUp();
  const total = performance.now() - start;
  const neighbourStart = performance.now();
  await warm.text();
  delay.disable();
  clearInterval(timer);
  console.log(
    `${name.padEnd(26)} total ${total.toFixed(0).padStart(6)} ms, main loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, breaks ${view.status.rebuilds}, recovered in ${recovered.toFixed(0)} ms, skipped ${view.status.bytesSkipped} B, neighbour answers in ${(performance.now() - neighbourStart).toFixed(0)} ms, RSS +${megabytes(peak - before)} MB`,
  );
  view.close();
}

const views = 200;
globalThis.gc?.();
const empty = process.memoryUsage.rss();
const idle = Array.from({ length: views }, () => pool.open({ source: sourceOf("$ "), columns: 80, rows: 24 }));
await Promise.all(idle.map(async (view) => await view.caughtUp()));
const perView = (process.memoryUsage.rss() - empty) / views / 1024;
console.log(
  `memory per idle session with a view: ${perView.toFixed(0)} KiB (${views} views of 80x24, one prompt each)`,
);
