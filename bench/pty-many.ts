/**
 * Many sessions: 300 times `cat`, all ready, against node-pty 1.1.0 in the same run (interleaved, medians), with threads, memory and
 * descriptors; then 1,000 short sessions, after which no descriptor may be left.
 *
 *   node bench/pty-many.ts [sessions=300] [rounds=5] [shortSessions=1000]
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import type { PtyBackend } from "../src/pty/pty.ts";
import { spawnPty } from "../src/pty/spawn.ts";
import { PtyRun } from "../test/pty-run.ts";
import { interleaved, median } from "./support/statistics.ts";

/** This file runs itself with `--memory NAME` for one contestant alone. */
const memoryOf = process.argv[2] === "--memory" ? process.argv[3] : undefined;
const [sessions = 300, rounds = 5, shortSessions = 1_000] =
  memoryOf === undefined ? process.argv.slice(2).map(Number) : [];

/** What the bench uses of node-pty 1.1.0. */
interface PeerModule {
  spawn(file: string, parameters: readonly string[], options: object): Peer;
}
interface Peer {
  onData(listener: (data: Buffer) => void): void;
  onExit(listener: () => void): void;
  write(data: string): void;
  kill(signal: string): void;
}
const require = createRequire(import.meta.url);
const peer = require("node-pty-1.1") as PeerModule;

interface Session {
  readonly ready: Promise<void>;
  readonly end: () => Promise<unknown>;
}

/** `x\r\n` twice: the terminal's echo, and then what `cat` itself wrote: only that shows that the program runs. */
const readyBytes = 6;

/** Resolves when that much has come. */
function readiness(): { readonly ready: Promise<void>; readonly received: (length: number) => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const received = (length: number): void => {
    bytes += length;
    if (bytes >= readyBytes) resolve();
  };
  return { ready: promise, received };
}

function ours(backend: PtyBackend): Session {
  const { ready, received } = readiness();
  const pty = spawnPty({
    backend,
    command: ["cat"],
    workingDirectory: tmpdir(),
    environment: { PATH: "/usr/bin:/bin", TERM: "xterm-256color" },
    columns: 80,
    rows: 24,
    onOutput: (chunk) => received(chunk.length),
    onExit: () => {},
  });
  pty.write(Buffer.from("x\n"));
  return { ready, end: () => pty.kill({ graceMs: 0 }) };
}

function theirs(): Session {
  const { ready, received } = readiness();
  const ended = Promise.withResolvers<void>();
  const env = { PATH: "/usr/bin:/bin", TERM: "xterm-256color" };
  const pty = peer.spawn("cat", [], { cols: 80, rows: 24, cwd: tmpdir(), env, encoding: null });
  pty.onData((data) => received(data.length));
  pty.onExit(() => ended.resolve());
  pty.write("x\n");
  const end = (): Promise<void> => {
    pty.kill("SIGKILL");
    return ended.promise;
  };
  return { ready, end };
}

const count = (directory: string): number => readdirSync(directory).length;

interface Round {
  readonly readyMs: number;
  readonly spawnMs: number;
  readonly threads: number;
  readonly descriptors: number;
}

async function round(start: () => Session): Promise<Round> {
  const descriptorsBefore = count("/proc/self/fd");
  const startMs = performance.now();
  const all = Array.from({ length: sessions }, start);
  const spawnMs = (performance.now() - startMs) / sessions;
  await Promise.all(all.map(({ ready }) => ready));
  const readyMs = performance.now() - startMs;
  const threads = count("/proc/self/task");
  const descriptors = (count("/proc/self/fd") - descriptorsBefore) / sessions;
  await Promise.all(all.map(({ end }) => end()));
  return { readyMs, spawnMs, threads, descriptors };
}

const contestants: Readonly<Record<string, () => Session>> = {
  "node-pty 1.1.0": theirs,
  ffi: () => ours("ffi"),
  "node-pty": () => ours("node-pty"),
};

/** Resident memory that one session adds in a process of its own, after what the first few load once. */
async function memory(start: () => Session): Promise<void> {
  const warm = Array.from({ length: 5 }, start);
  await Promise.all(warm.map(({ ready }) => ready));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const all = Array.from({ length: sessions }, start);
  await Promise.all(all.map(({ ready }) => ready));
  globalThis.gc?.();
  console.log(((process.memoryUsage.rss() - before) / 1024 / sessions).toFixed(0));
  await Promise.all([...warm, ...all].map(({ end }) => end()));
}

const memoryFor = (name: string): string =>
  execFileSync(process.execPath, ["--expose-gc", import.meta.filename, "--memory", name], { encoding: "utf8" }).trim();

async function compare(): Promise<void> {
  const tasks = Object.entries(contestants).map(([name, start]) => [name, () => round(start)] as const);
  const results = await interleaved(rounds, Object.fromEntries(tasks));
  const readyOf = (name: string): number => median(results.get(name)!.map(({ readyMs }) => readyMs));
  for (const [name, list] of results) {
    const [first] = list;
    console.log(
      `${name.padEnd(15)} ${sessions} ready in ${readyOf(name).toFixed(0)} ms = ${(readyOf(name) / readyOf("node-pty 1.1.0")).toFixed(2)} x, ` +
        `spawn ${median(list.map(({ spawnMs }) => spawnMs)).toFixed(2)} ms each, threads ${Math.max(...list.map(({ threads }) => threads))}, ` +
        `${memoryFor(name)} KB each, ${first?.descriptors.toFixed(1)} descriptors each`,
    );
  }

  for (const backend of ["ffi", "node-pty"] as const) {
    await new PtyRun("true", { backend }).ended;
    const before = count("/proc/self/fd");
    for (let left = shortSessions; left > 0; left -= 10) {
      await Promise.all(Array.from({ length: 10 }, () => new PtyRun("echo x", { backend }).ended));
    }
    await new Promise((resolve) => void setImmediate(resolve));
    console.log(
      `${backend.padEnd(15)} descriptors left after ${shortSessions} sessions: ${count("/proc/self/fd") - before}`,
    );
  }
}

const alone = contestants[memoryOf ?? ""];
await (alone === undefined ? compare() : memory(alone));
