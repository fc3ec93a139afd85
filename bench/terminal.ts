/**
 * 500 round trips of `echo` in bash: a command, its exact output and its exit code, against the ways in which others do it.
 *
 * Run: `node bench/terminal.ts [rounds=5] [warm-up=10]` (wants gcc and python3-pexpect). Some rounds warm up; then rounds are interleaved; the median trip of each round and the median of the rounds count,
 * because a busy neighbour holds up single trips. Prints the ratio of round trips per second, and how many of our outputs have lost or foreign bytes: it must be none.
 */
import { execFileSync } from "node:child_process";
import { openTerminal } from "../src/terminal/open-terminal.ts";
import { compile } from "./support/compile.ts";
import { tellFigure } from "./support/figure.ts";
import { median } from "./support/statistics.ts";

const TRIPS = 500;
const [rounds = 5, warmUpRounds = 10] = process.argv.slice(2).map(Number);
const shell = ["bash", "--norc", "--noprofile"] as const;

/** Milliseconds of each round trip. */
type Trips = readonly number[];

let wrong = 0;

async function ours(): Promise<Trips> {
  await using terminal = await openTerminal(shell);
  await terminal.readUntilReady();
  const trips: number[] = [];
  for (let index = 0; index < TRIPS; index++) {
    const start = performance.now();
    const result = await terminal.run(`echo hello ${index}`);
    trips.push(performance.now() - start);
    const isRight = result.output === `hello ${index}\n` && result.exitCode === 0 && result.exact;
    if (!isRight || Buffer.compare(result.bytes, Buffer.from(`hello ${index}\r\n`)) !== 0) wrong++;
  }
  return trips;
}

const sentinel = compile("sentinel");
const inC = async (): Promise<Trips> =>
  numbers(execFileSync(sentinel, [String(TRIPS)])).map((nanoseconds) => nanoseconds / 1e6);

/** A marker and then 200 ms of settling, as the seed of this project did it. */
async function markerAndSettle(): Promise<Trips> {
  await using terminal = await openTerminal(shell, { readyMarkers: ["__READY__ "], shellIntegration: false });
  await terminal.sendAndReadUntilReady('PS1="__READY__ "', { strategy: "marker" });
  const trips: number[] = [];
  for (let index = 0; index < 5; index++) {
    const start = performance.now();
    await terminal.sendAndReadUntilReady(`echo hello ${index}`, { strategy: "marker" });
    trips.push(performance.now() - start);
  }
  return trips;
}

const python = (script: string): Trips =>
  numbers(execFileSync("/usr/bin/python3", ["-c", script])).map((seconds) => seconds * 1000);

/** pexpect without its delay, a prompt of its own and no echo. */
const pexpectTuned = async (): Promise<Trips> =>
  python(`
import pexpect, time
child = pexpect.spawn("bash", ["--norc", "--noprofile"], echo=False, encoding=None)
child.delaybeforesend = None
child.sendline(b"PS1='__READY__ '; PS2=''; bind 'set enable-bracketed-paste off'; echo")
child.expect_exact(b"\\n__READY__ ")
for index in range(${TRIPS}):
    start = time.perf_counter()
    child.sendline(b"echo hello %d; echo $?" % index)
    child.expect_exact(b"__READY__ ")
    print(time.perf_counter() - start)
`);

/** pexpect as its manual shows it. */
const replWrap = async (): Promise<Trips> =>
  python(`
import time
from pexpect import replwrap
shell = replwrap.bash()
for index in range(40):
    start = time.perf_counter()
    shell.run_command("echo hello %d" % index)
    print(time.perf_counter() - start)
`);

const numbers = (output: Buffer): number[] => output.toString().trim().split("\n").map(Number);

const ways = {
  ours,
  "C with a sentinel": inC,
  "pexpect tuned": pexpectTuned,
  "pexpect replwrap": replWrap,
  "marker + 200 ms": markerAndSettle,
};
const perSecond: Record<string, number[]> = {};
const all: number[] = [];
// A process that lives long: its code is compiled by then.
for (let round = 0; round < warmUpRounds; round++) await ours();
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const trips = await run();
    if (name === "ours") all.push(...trips);
    (perSecond[name] ??= []).push(1000 / median(trips));
  }
}

const sorted = all.toSorted((one, other) => one - other);
const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(3);
for (const [name, rates] of Object.entries(perSecond)) {
  const ratio = median(rates.map((rate, round) => (perSecond["ours"]?.[round] ?? Number.NaN) / rate));
  console.log(`${name.padEnd(20)} ${median(rates).toFixed(1).padStart(8)} trips/s   ours is ${ratio.toFixed(2)} x`);
  if (name === "C with a sentinel")
    tellFigure({ name: "round trips in bash", value: ratio, unit: "x C", better: "more", goal: 0.7 });
}
console.log(
  `ours: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${wrong} of ${(rounds + warmUpRounds) * TRIPS} with lost or foreign bytes`,
);
