/**
 * Hostile output beside a neighbour: each bomb in one session and in several at once, while screen, status and approvals of a neighbour are
 * asked for all the time. What the neighbour waited (p99, longest), how much memory the daemon took more at its peak, and when the
 * hostile sessions' own screens were back after their output ended.
 *
 *   node bench/hostile.ts [sessions=1,5] [part of a bomb's name]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bombs, type Bomb } from "./support/bombs.ts";
import { BenchDaemon, residentKibOf } from "./support/daemon.ts";
import { quantile } from "./support/statistics.ts";

const counts = (process.argv[2] ?? "1,5").split(",").map(Number);
const wanted = process.argv[3] ?? "";
const GIVE_UP_MS = 60_000;
const ASK_EVERY_MS = 10;
/** A screen of 1000x500 is much to ask for. */
const BACK_EVERY_MS = 100;
const TICKER = '$|=1; for ($i = 0; ; $i++) { printf "\\rtick %d", $i; select(undef, undef, undef, 0.1) }';

const directory = mkdtempSync(join(tmpdir(), "lectern-bombs-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
await using daemon = await BenchDaemon.start();
const { client } = daemon;
const neighbour = await client.call("sessions.create", { command: ["perl", "-e", TICKER] });
await sleep(2000);

const lines: string[] = [];
let worst = { p99: 0, longest: 0, memory: 0, back: 0 };
for (const [name, bomb] of Object.entries(bombs).filter(([known]) => known.includes(wanted))) {
  const file = join(directory, "bomb");
  writeFileSync(file, bomb.output);
  for (const count of counts) {
    const { waits, memory, back } = await explode(file, bomb, count);
    const p99 = quantile(waits, 0.99);
    const longest = Math.max(...waits);
    worst = {
      p99: Math.max(worst.p99, p99),
      longest: Math.max(worst.longest, longest),
      memory: Math.max(worst.memory, memory),
      back: Math.max(worst.back, back),
    };
    const [first, last, more, own] = [p99, longest, memory, back].map((value) => value.toFixed(0).padStart(6));
    console.log(
      `${name.padEnd(40)} x ${count}  neighbour p99 ${first} ms, longest ${last} ms (${waits.length})  memory +${more} MB  own screen ${own} ms`,
    );
  }
}
lines.push(
  `worst: p99 ${worst.p99.toFixed(0)} ms, longest ${worst.longest.toFixed(0)} ms, memory +${worst.memory.toFixed(0)} MB, own screen ${worst.back.toFixed(0)} ms`,
);
console.log(lines.join("\n"));

interface Outcome {
  /** Of each request about the neighbour, ms. */
  readonly waits: readonly number[];
  /** Peak, MB. */
  readonly memory: number;
  /** From the end of the last session's output to the last screen that shows it, ms. */
  readonly back: number;
}

async function explode(file: string, { columns = 80, rows = 24 }: Bomb, count: number): Promise<Outcome> {
  const before = residentKibOf(daemon.pid);
  const waits: number[] = [];
  let peak = before;
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    while (!over.signal.aborted) {
      for (const request of [
        () => client.call("sessions.screen", { session: neighbour.id }),
        () => client.call("sessions.status", { session: neighbour.id }),
        () => client.call("approvals.list", {}),
      ]) {
        const start = performance.now();
        await request();
        waits.push(performance.now() - start);
      }
      peak = Math.max(peak, residentKibOf(daemon.pid));
      await sleep(ASK_EVERY_MS);
    }
  };
  const asking = ask();
  const command: [string, ...string[]] = [
    "bash",
    "-c",
    `stty -echo; cat ${file}; printf '\\033\\\\\\033c\\nIT IS OVER\\n'; exec sleep 1000`,
  ];
  const sessions = await Promise.all(
    Array.from({ length: count }, async () => await client.call("sessions.create", { command, columns, rows })),
  );
  const back = Math.max(...(await Promise.all(sessions.map(async ({ id }) => await untilBack(id)))));
  over.abort();
  await asking;
  for (const { id } of sessions) {
    await client.call("sessions.kill", { session: id, graceMs: 0 });
    await client.call("sessions.remove", { session: id });
  }
  return { waits, memory: (peak - before) / 1024, back };
}

async function untilBack(session: string): Promise<number> {
  await client.call("sessions.wait", {
    session,
    for: { type: "output", pattern: "IT IS OVER" },
    from: 0,
    timeoutMs: 300_000,
  });
  const start = performance.now();
  while (performance.now() - start < GIVE_UP_MS) {
    if ((await client.call("sessions.screen", { session })).text.includes("IT IS OVER")) break;
    await sleep(BACK_EVERY_MS);
  }
  return performance.now() - start;
}
