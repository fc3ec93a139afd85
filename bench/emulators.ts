/**
 * Other emulators beside xterm.js: `node bench/emulators.ts FOLDER`, where FOLDER has a `node_modules` with builds of libghostty, which are
 * not dependencies of Lectern: `npm install --ignore-scripts libghostty-vt@0.6.3` (needed: all of the contract), and if they are there
 * `@coder/libghostty-vt-node@0.1.0-beta.0` and `@wterm/ghostty@0.5.0` (`npm pack`, as its own dependency is not on every registry).
 * Rows of the contract, screens of recordings, CPU time per MB, memory, hostile output; interleaved. `docs/decisions/emulator.md` has results.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { MakeEmulator } from "../src/core/emulator/emulator.ts";
import { makeXterm } from "../src/core/emulator/xterm/xterm.ts";
import { Screen } from "../src/core/screen/screen.ts";
import {
  contractRows,
  emulatorAfter,
  everything,
  seenOf,
  sizeOf,
  type ContractRow,
} from "../test/emulator-contract.ts";
import { readRecordedScreens, screensOf } from "../test/emulator-screens.ts";
import { recordedOutput } from "../test/recordings.ts";
import { collect } from "./measure.ts";
import { bombs } from "./support/bombs.ts";
import { makeGhosttyIn } from "./support/ghostty.ts";
import { chunksOf, interleaved, median } from "./support/statistics.ts";

const COLUMNS = 100;
const ROWS = 30;
const LINES = 1000;
const ROUNDS = 7;
const TERMINALS = 50;
const CHUNK_BYTES = 16_384;
/** Each run writes its input so often into one terminal. */
const REPEATS = 4;
/** Time for one hostile output. The clock, since part of the cost is the kernel mapping memory, which is not in the CPU time. */
const BOMB_MS_MAX = 1000;
/** Small, since one chunk is parsed whatever it takes. */
const BOMB_CHUNK_BYTES = 1024;

/** What is measured without being asked for more than this. */
interface Feeder {
  write(bytes: Uint8Array): void;
  dispose(): void;
}
type MakeFeeder = () => Feeder;

const [folder = "", only] = process.argv.slice(2);
const makeGhostty =
  folder === ""
    ? "needs a folder with builds of libghostty: see the head of this file"
    : makeGhosttyIn(resolve(folder));
if (typeof makeGhostty === "string") {
  console.error(`Cannot compare emulators: ${makeGhostty}`);
  process.exit(2);
}
const size = { columns: COLUMNS, rows: ROWS, scrollbackLinesMax: LINES };
const feeders: Readonly<Record<string, MakeFeeder>> = {
  "xterm.js": () => makeXterm(size),
  "libghostty C": () => makeGhostty(size),
  ...(await nodeApiFeeder()),
  ...wasmFeeder(),
};

if (only === undefined) {
  contract("xterm.js", makeXterm);
  contract("libghostty C", makeGhostty);
  restored("xterm.js", makeXterm);
  restored("libghostty C", makeGhostty);
  recorded(makeGhostty);
  await speed();
  for (const name of Object.keys(feeders))
    console.log(
      execFileSync(process.execPath, ["--expose-gc", import.meta.filename, folder, name])
        .toString()
        .trim(),
    );
  hostile(makeGhostty);
} else if (only === "hostile") {
  hostile(makeGhostty);
} else {
  memory(only);
}

function contract(name: string, make: MakeEmulator): void {
  const differing = contractRows.flatMap((row) => differenceIn(row, make));
  console.log(`contract, ${name}: ${contractRows.length - differing.length} of ${contractRows.length} rows`);
  for (const difference of differing) console.log(`  ${difference}`);
}

function differenceIn(row: ContractRow, make: MakeEmulator): string[] {
  try {
    const seen = seenOf(emulatorAfter(make, row), row.expected);
    return isDeepStrictEqual(seen, row.expected) ? [] : [`${row.name}: ${JSON.stringify(seen)}`];
  } catch (error) {
    return [`${row.name}: ${(error as Error).message}`];
  }
}

/** After how many rows of the contract an emulator equals one that was made from what it serialized. */
function restored(name: string, make: MakeEmulator): void {
  const equal = contractRows.filter((row) => {
    const emulator = emulatorAfter(make, row);
    const copy = make({ ...sizeOf(row), columns: emulator.columns, rows: emulator.rows });
    copy.write(emulator.serialize({ normal: "", alternate: "" }));
    return isDeepStrictEqual(seenOf(copy, everything), seenOf(emulator, everything));
  });
  console.log(`restored from serialize, ${name}: ${equal.length} of ${contractRows.length}`);
}

/** Rows of the recorded screens that are the same; variation selector 15 and blanks at ends are not compared. */
function recorded(make: MakeEmulator): void {
  const counts = { screens: 0, sameScreens: 0, rows: 0, sameRows: 0 };
  const byRecording = new Map<string, number>();
  const text = (line = ""): string => line.replaceAll("\uFE0E", "").trimEnd();
  for (const [name, expected] of Object.entries(readRecordedScreens())) {
    for (const [index, screen] of screensOf(name, make).entries()) {
      const wanted = expected[index];
      const rows = Array.from({ length: screen.rows }, (_, row) => row);
      const same = rows.filter((row) => text(screen.lines[row]) === text(wanted?.lines[row])).length;
      counts.screens += 1;
      counts.rows += rows.length;
      counts.sameRows += same;
      if (same === rows.length) counts.sameScreens += 1;
      else byRecording.set(name, (byRecording.get(name) ?? 0) + rows.length - same);
    }
  }
  console.log(
    `recorded screens, libghostty C: ${counts.sameScreens} of ${counts.screens} the same, ${counts.sameRows} of ${counts.rows} rows`,
  );
  console.log(`  rows that differ: ${[...byRecording].map(([name, rows]) => `${name} ${rows}`).join(", ")}`);
}

async function speed(): Promise<void> {
  const inputs = {
    text: new TextEncoder().encode(
      "The quick brown fox jumps over the lazy dog, again and again and again.\r\n".repeat(14_000),
    ),
    coloured: new TextEncoder().encode(
      "\u001B[1;32mdrwxr-xr-x\u001B[0m 2 root \u001B[38;5;33mname\u001B[0m.ts\u001B[K\r\n".repeat(17_000),
    ),
    agents: Buffer.concat(
      ["claude", "codex", "gemini", "opencode"].map((name) => recordedOutput(`${name}-main-80x24.cast.gz`)),
    ),
  };
  for (const [input, data] of Object.entries(inputs)) {
    const chunks = chunksOf(data, CHUNK_BYTES);
    const tasks = Object.entries(feeders).map(([name, make]) => {
      const run = (): number => {
        const feeder = make();
        const before = process.threadCpuUsage();
        for (let turn = 0; turn < REPEATS; turn += 1) for (const chunk of chunks) feeder.write(chunk);
        const used = process.threadCpuUsage(before);
        feeder.dispose();
        return (REPEATS * data.length) / (used.user + used.system);
      };
      return [name, run] as const;
    });
    const speeds = await interleaved(ROUNDS, Object.fromEntries(tasks));
    const shown = [...speeds].map(([name, values]) => `${name} ${median(values).toFixed(1)}`).join(", ");
    console.log(`MB per second of CPU, ${input}: ${shown}`);
  }
}

/** Memory of the process for each terminal, empty and with all lines full. */
function memory(name: string): void {
  const make = feeders[name];
  if (make === undefined) return;
  const line = new TextEncoder().encode(`${"x".repeat(COLUMNS - 5)}\r\n`.repeat(LINES + ROWS));
  make().write(line);
  const kib = (): number => {
    collect?.();
    return process.memoryUsage.rss() / 1024;
  };
  const before = kib();
  const terminals = Array.from({ length: TERMINALS }, () => make());
  const empty = (kib() - before) / TERMINALS;
  for (const terminal of terminals) terminal.write(line);
  const full = (kib() - before) / TERMINALS;
  console.log(`memory, ${name}: ${empty.toFixed(0)} KiB empty, ${full.toFixed(0)} KiB with ${LINES} full lines`);
}

/** Each through a screen, which has the clamp, and without it for the one that needs none. */
function hostile(make: MakeEmulator): void {
  console.log("hostile output, ms: xterm.js with clamp, libghostty C with clamp, libghostty C alone");
  for (const [name, { output, columns = 80, rows = 24 }] of Object.entries(bombs)) {
    const chunks = chunksOf(new TextEncoder().encode(output), BOMB_CHUNK_BYTES);
    const screens = [makeXterm, make].map((maker) => new Screen({ columns, rows }, maker));
    const alone = make({ columns, rows, scrollbackLinesMax: LINES });
    const feeds = [
      ...screens.map((screen) => (chunk: Uint8Array) => screen.feed(chunk)),
      (chunk: Uint8Array) => alone.write(chunk),
    ];
    console.log(`  ${name.padEnd(36)} ${feeds.map((feed) => costOf(chunks, feed).padStart(9)).join(" ")}`);
    for (const each of [...screens, alone]) each.dispose();
  }
}

/** Ends with the chunk behind `BOMB_MS_MAX`: then with the share of the output that was parsed by then. */
function costOf(chunks: readonly Uint8Array[], feed: (chunk: Uint8Array) => unknown): string {
  const start = performance.now();
  for (const [index, chunk] of chunks.entries()) {
    feed(chunk);
    const usedMs = performance.now() - start;
    if (index + 1 === chunks.length) return usedMs.toFixed(0);
    if (usedMs > BOMB_MS_MAX) return `${usedMs.toFixed(0)} (${((100 * (index + 1)) / chunks.length).toFixed(0)} %)`;
  }
  return "0";
}

async function nodeApiFeeder(): Promise<Record<string, MakeFeeder>> {
  const entry = join(resolve(folder), "node_modules/@coder/libghostty-vt-node/dist/index.js");
  if (!existsSync(entry)) return {};
  const { createTerminal } = (await import(pathToFileURL(entry).href)) as {
    readonly createTerminal: (options: object) => { feed(bytes: Uint8Array): void; dispose(): void };
  };
  const make = (): Feeder => {
    const terminal = createTerminal({ cols: COLUMNS, rows: ROWS, scrollbackLimit: LINES });
    return { write: (bytes) => terminal.feed(bytes), dispose: () => terminal.dispose() };
  };
  return { "libghostty Node-API": make };
}

/** The types of the project are those of Node without a browser's. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: WasmTerminal };
}

interface WasmTerminal {
  readonly memory: { readonly buffer: ArrayBuffer };
  init(...settings: number[]): number;
  alloc_buffer(size: number): number;
  write(terminal: number, at: number, length: number): void;
}

/** One instance for each terminal: its memory never shrinks, so a terminal gives its memory back with its instance. */
function wasmFeeder(): Record<string, MakeFeeder> {
  const path = join(folder, "node_modules/@wterm/ghostty/wasm/ghostty-vt.wasm");
  if (!existsSync(path)) return {};
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WasmApi }).WebAssembly;
  const module = new Module(readFileSync(path));
  const make = (): Feeder => {
    const { exports: wasm } = new Instance(module, { env: { log: () => undefined } });
    const terminal = wasm.init(COLUMNS, ROWS, LINES, 0xd4d4d4, 0x1e1e1e, 0);
    const at = wasm.alloc_buffer(CHUNK_BYTES);
    const write = (bytes: Uint8Array): void => {
      for (const chunk of chunksOf(bytes, CHUNK_BYTES)) {
        new Uint8Array(wasm.memory.buffer).set(chunk, at);
        wasm.write(terminal, at, chunk.length);
      }
    };
    return { write, dispose: () => undefined };
  };
  return { "libghostty wasm": make };
}
