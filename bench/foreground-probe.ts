/**
 * What a look at the foreground costs, and how long after the last byte of an answer the kernel's word comes. Against what a user of a
 * terminal library does today: reading the modes through stty(1), and quiet of 80 ms.
 *
 *   node bench/foreground-probe.ts [rounds=40] [turns=40]
 */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { PtyRun } from "../test/pty-run.ts";
import { gapsOf, turnPrograms, TurnRun } from "../test/support/turns.ts";
import { ForegroundProbe } from "../src/pty/foreground-probe.ts";
import { quantile } from "./support/statistics.ts";

const rounds = Number(process.argv[2] ?? 40);
const turns = Number(process.argv[3] ?? 40);
const LOOKS_PER_ROUND = 20;

const bash: [string, ...string[]] = ["bash", "--norc", "--noprofile", "-i"];
const programs: Readonly<Record<string, { command: [string, ...string[]]; type?: string }>> = {
  "bash at its prompt": { command: bash },
  "bash that runs sleep": { command: bash, type: "sleep 1000\r" },
  "a pipeline of five": { command: bash, type: "sleep 1000 | sleep 1000 | sleep 1000 | sleep 1000 | sleep 1000\r" },
  "vim (select, timer)": { command: ["vim", "-u", "NONE", "-i", "NONE"] },
  "node REPL (epoll, 11 threads)": { command: [process.execPath, "-i"] },
};

async function costs(): Promise<void> {
  const runs = Object.entries(programs).map(([name, { command, type }]) => {
    const run = new PtyRun(command);
    if (type !== undefined) run.write(type);
    return { name, run, probe: new ForegroundProbe(run.pty), samples: [] as number[], stty: [] as number[] };
  });
  await sleep(1500);
  for (const { probe } of runs) for (let warm = 0; warm < 300; warm++) probe.look();
  for (let round = 0; round < rounds; round++) {
    for (const { probe, samples, run, stty } of runs) {
      for (let look = 0; look < LOOKS_PER_ROUND; look++) {
        const start = performance.now();
        probe.look();
        samples.push((performance.now() - start) * 1000);
      }
      const start = performance.now();
      execFileSync("stty", ["-a", "-F", run.pty.terminalPath ?? ""]);
      stty.push((performance.now() - start) * 1000);
      await sleep(1);
    }
  }
  for (const { name, samples, probe, stty } of runs) {
    const ratio = quantile(stty, 0.5) / quantile(samples, 0.5);
    console.log(
      `${name.padEnd(30)} ${probe.look().verdict.padEnd(9)} p50 ${quantile(samples, 0.5).toFixed(0).padStart(4)} us  p99 ${quantile(samples, 0.99).toFixed(0).padStart(5)} us   stty alone: ${ratio.toFixed(0)} x as much`,
    );
  }
  for (const { run } of runs) await run.pty.kill({ graceMs: 0 });
}

async function delays(): Promise<void> {
  for (const [name, program] of Object.entries(turnPrograms)) {
    await using run = new TurnRun(program);
    await run.ready();
    const delaysMs: number[] = [];
    let right = 0;
    for (let turn = 0; turn < turns; turn++) {
      const result = await run.turn(turn, gapsOf(turn));
      delaysMs.push(result.delayMs);
      if (result.right) right += 1;
    }
    const p50 = quantile(delaysMs, 0.5);
    console.log(
      `${name.padEnd(10)} right ${right} of ${turns}   after the last byte p50 ${p50.toFixed(1)} ms  p99 ${quantile(delaysMs, 0.99).toFixed(1)} ms   quiet of 80 ms: ${(80 / p50).toFixed(0)} x as long`,
    );
  }
}

await costs();
await delays();
