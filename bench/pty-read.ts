/**
 * Reading a flood: MB/s and CPU seconds per GB of our reader against a C program that only reads the same pty.
 * Rounds are interleaved and the table shows medians; CPU is the reader's own, without the writer and the kernel's workers.
 *
 *   node bench/pty-read.ts [megabytes=100] [rounds=5]
 */
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import type { PtyBackend } from "../src/pty/pty.ts";
import { spawnPty } from "../src/pty/spawn.ts";
import { compile } from "./support/compile.ts";
import { interleaved, median } from "./support/statistics.ts";

const megabytes = process.argv[2] ?? "100";
const rounds = Number(process.argv[3] ?? 5);
const flood = compile("flood");
const reader = compile("reader");

interface Result {
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly chunks: number;
}

type Mode = "interactive" | "exec";

function inC(kind: string, mode: Mode): Result {
  const parameters = [mode === "exec" ? "raw" : "default", flood, kind, megabytes];
  const [bytes = 0, seconds = 0, cpuSeconds = 0, chunks = 0] = execFileSync(reader, parameters, { encoding: "utf8" })
    .split(" ")
    .map(Number);
  return { bytes, seconds, cpuSeconds, chunks };
}

async function inNode(kind: string, mode: Mode, backend: PtyBackend): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  let chunks = 0;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  spawnPty({
    backend,
    mode,
    command: [flood, kind, megabytes],
    workingDirectory: tmpdir(),
    environment: { PATH: "/usr/bin:/bin" },
    columns: 80,
    rows: 24,
    onOutput: (chunk) => {
      bytes += chunk.length;
      chunks += 1;
    },
    onExit: () => resolve(),
  });
  await promise;
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { bytes, seconds, cpuSeconds: (user + system) / 1e6, chunks };
}

type Reader = (kind: string, mode: Mode) => Result | Promise<Result>;
const readers: Readonly<Record<string, Reader>> = {
  C: inC,
  ffi: (kind, mode) => inNode(kind, mode, "ffi"),
  "node-pty": (kind, mode) => inNode(kind, mode, "node-pty"),
};

await inNode("text", "interactive", "ffi");
for (const mode of ["interactive", "exec"] as const) {
  for (const kind of ["text", "escapes"]) {
    const tasks = Object.entries(readers).map(([name, read]) => [name, () => read(kind, mode)] as const);
    const results = await interleaved(rounds, Object.fromEntries(tasks));
    const speedOf = (name: string): number =>
      median(results.get(name)!.map(({ bytes, seconds }) => bytes / seconds / 1e6));
    for (const [name, list] of results) {
      const cpu = median(list.map(({ bytes, cpuSeconds }) => (cpuSeconds / bytes) * 1e9));
      const chunkBytes = median(list.map(({ bytes, chunks }) => bytes / chunks));
      console.log(
        `${mode.padEnd(11)} ${kind.padEnd(7)} ${name.padEnd(8)} ${speedOf(name).toFixed(1).padStart(6)} MB/s  ` +
          `${(speedOf(name) / speedOf("C")).toFixed(2)} x C  ${cpu.toFixed(2).padStart(5)} CPU s/GB  ${chunkBytes.toFixed(0).padStart(6)} bytes a chunk`,
      );
    }
  }
}
