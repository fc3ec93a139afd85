/**
 * 1 MB of input to each of 50 programs that do not read: how long the event loop stalls, what it costs while they stay stuck,
 * whether the echo of another session suffers, and whether all bytes arrive when they read.
 *
 *   node bench/pty-stuck.ts [sessions=50] [stuckMs=5000] [backend]
 */
import { createHash, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { PtyBackend } from "../src/pty/pty.ts";
import { describeBackends } from "../src/pty/spawn.ts";
import { PtyRun } from "../test/pty-run.ts";
import { median } from "./support/statistics.ts";

const sessions = Number(process.argv[2] ?? 50);
const stuckMs = Number(process.argv[3] ?? 5_000);
const onlyBackend = process.argv[4];
const bytes = 1_000_000;

/** The longest turn of the event loop while it runs: on the clock, and in CPU time, which a busy machine does not stretch. */
function watchLoop(): () => string {
  let longestMs = 0;
  let longestCpuMs = 0;
  let lastMs = performance.now();
  let lastCpuMs = cpuMs();
  let watching = true;
  const turn = (): void => {
    const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
    longestMs = Math.max(longestMs, nowMs - lastMs);
    longestCpuMs = Math.max(longestCpuMs, nowCpuMs - lastCpuMs);
    [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
    if (watching) setImmediate(turn);
  };
  turn();
  return () => {
    watching = false;
    return `${longestMs.toFixed(1)} (CPU ${longestCpuMs.toFixed(1)}) ms`;
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function echoMs(echo: PtyRun, count: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const text = `<${randomBytes(4).toString("hex")}>`;
    const startMs = performance.now();
    echo.write(text);
    await echo.until(text);
    times.push(performance.now() - startMs);
  }
  return median(times);
}

async function measure(backend: PtyBackend): Promise<void> {
  const data = Buffer.from(randomBytes(bytes).map((byte) => 33 + (byte % 90)));
  const wanted = createHash("sha1").update(data).digest("hex");
  const script = `stty raw -echo; printf ready; kill -STOP $$; head -c ${bytes} | sha1sum`;
  const runs = Array.from({ length: sessions }, () => new PtyRun(script, { backend }));
  await Promise.all(runs.map((run) => run.until("ready")));
  const echo = new PtyRun("stty raw -echo; printf ready; exec cat", { backend, workingDirectory: tmpdir() });
  await echo.until("ready");
  await wait(200);
  const echoBefore = await echoMs(echo, 200);

  const stallOfWrites = watchLoop();
  for (const run of runs) {
    run.pty.write(data);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const writesMs = stallOfWrites();

  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await wait(stuckMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuPercent = ((user + system) / 1e3 / (performance.now() - startMs)) * 100;

  const stallWhileStuck = watchLoop();
  const echoStuck = await echoMs(echo, 200);
  await wait(1_000);
  const stuckStallMs = stallWhileStuck();

  const stallWhileReading = watchLoop();
  const readMs = performance.now();
  for (const run of runs) run.pty.signal("SIGCONT");
  await Promise.all(runs.map((run) => run.ended));
  const stallReading = stallWhileReading();
  const seconds = ((performance.now() - readMs) / 1_000).toFixed(1);
  const intact = runs.filter((run) => run.text.includes(wanted)).length;
  await echo.pty.kill();
  console.log(
    `${backend.padEnd(8)} ${sessions} stuck: longest stall ${writesMs} while writing, ${stuckStallMs} while stuck, ` +
      `${stallReading} while they read; CPU while stuck ${cpuPercent.toFixed(1)} %; ` +
      `echo p50 ${echoBefore.toFixed(3)} -> ${echoStuck.toFixed(3)} ms; ${intact} of ${sessions} intact after ${seconds} s`,
  );
}

for (const { backend } of describeBackends().filter(
  (one) => one.available && (onlyBackend ?? one.backend) === one.backend,
)) {
  await measure(backend);
}
