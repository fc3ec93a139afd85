/** MB/s of the clamp and of the screen, against the bare emulator awaited per chunk; interleaved rounds, medians. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import headless from "@xterm/headless";
import { Clamp } from "../src/core/screen/clamp.ts";
import { Screen } from "../src/core/screen/screen.ts";
import { chunksOf, interleaved, median } from "./support/statistics.ts";

const text = new TextEncoder().encode(
  "The quick brown fox jumps over the lazy dog, again and again and again.\r\n".repeat(14_000),
);
const coloured = new TextEncoder().encode(
  "\u001B[1;32mdrwxr-xr-x\u001B[0m 2 root \u001B[38;5;33mname\u001B[0m.ts\u001B[K\r\n".repeat(17_000),
);
const agent = new Uint8Array(
  Buffer.concat(
    Array.from({ length: 6 }, () => {
      const file = new URL("../test/fixtures/recordings/codex-inline-events-80x24.cast.gz", import.meta.url);
      const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n").slice(1);
      const events = lines.map((line) => JSON.parse(line)).filter(([, type]) => type === "o");
      return Buffer.from(events.map(([, , data]) => data).join(""));
    }),
  ),
);
const inputs = { text, coloured, agent };

/** Peer: what a careless caller does. */
async function awaited(data: Uint8Array, size: number): Promise<void> {
  const terminal = new headless.Terminal({ cols: 80, rows: 24, scrollback: 1000, allowProposedApi: true });
  for (const piece of chunksOf(data, size)) await new Promise<void>((resolve) => terminal.write(piece, resolve));
  terminal.dispose();
}

async function screen(data: Uint8Array, size: number): Promise<void> {
  const view = new Screen({ columns: 80, rows: 24 });
  for (const piece of chunksOf(data, size)) view.feed(piece);
  view.dispose();
}

async function clamp(data: Uint8Array, size: number): Promise<void> {
  const filter = new Clamp({ columns: 80, rows: 24 });
  for (let round = 0; round < 20; round += 1) for (const piece of chunksOf(data, size)) filter.feed(piece);
}

const runs: Record<string, { run: (data: Uint8Array) => Promise<void>; rounds: number }> = {
  "clamp, 64 KiB": { run: async (data) => await clamp(data, 65_536), rounds: 20 },
  "Screen, 4 KiB": { run: async (data) => await screen(data, 4096), rounds: 1 },
  "Screen, 64 KiB": { run: async (data) => await screen(data, 65_536), rounds: 1 },
  "emulator awaited, 64 KiB": { run: async (data) => await awaited(data, 65_536), rounds: 1 },
  "emulator awaited, 4 KiB": { run: async (data) => await awaited(data, 4096), rounds: 1 },
};

for (const [name, data] of Object.entries(inputs)) {
  const measured = Object.entries(runs).map(([label, { run, rounds }]) => {
    const measure = async (): Promise<number> => {
      const start = performance.now();
      await run(data);
      return (data.length * rounds) / 1000 / (performance.now() - start);
    };
    return [label, measure] as const;
  });
  const speeds = await interleaved(5, Object.fromEntries(measured));
  const peer = median(speeds.get("emulator awaited, 4 KiB") ?? []);
  for (const [label, values] of speeds) {
    const speed = median(values);
    console.log(
      `${name.padEnd(9)} ${label.padEnd(26)} ${speed.toFixed(1).padStart(8)} MB/s  ${(speed / peer).toFixed(1)} x`,
    );
  }
}

const snapshots = new Screen({ columns: 80, rows: 24 });
snapshots.feed(coloured);
const taken: number[] = [];
const restored: number[] = [];
let size = 0;
for (let round = 0; round < 15; round += 1) {
  const start = performance.now();
  const snapshot = snapshots.snapshot(0);
  const middle = performance.now();
  Screen.restore(snapshot).dispose();
  restored.push(performance.now() - middle);
  taken.push(middle - start);
  size = snapshot.ansi.length;
}
console.log(
  `snapshot of ${snapshots.scrollbackLines} coloured lines: ${median(taken).toFixed(1)} ms, ${(size / 1024).toFixed(0)} KiB; restore ${median(restored).toFixed(1)} ms`,
);
