/**
 * What a sandbox adds to the start of a session: from the request until the program has printed a line, with and without, by turns in one run.
 *
 *   node bench/sandbox.ts [rounds=40]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./support/statistics.ts";
import { BenchDaemon } from "./support/daemon.ts";

const rounds = Number(process.argv[2] ?? 40);
const directory = mkdtempSync(join(tmpdir(), "lectern-bench-"));
await using daemon = await BenchDaemon.start();
const { client } = daemon;

async function startMs(sandbox: { readonly profile: string } | undefined): Promise<number> {
  const start = performance.now();
  const { id } = await client.call("sessions.create", {
    command: ["sh", "-c", "echo up; read line"],
    workingDirectory: directory,
    ...(sandbox !== undefined && { sandbox }),
  });
  await client.call("sessions.wait", { session: id, for: { type: "output", pattern: "up" }, from: 0 });
  const tookMs = performance.now() - start;
  await client.call("sessions.remove", { session: id, force: true });
  return tookMs;
}

const kinds = { "no sandbox": undefined, offline: { profile: "offline" }, look: { profile: "look" } } as const;
const samples = new Map<string, number[]>();
for (let round = -2; round < rounds; round += 1) {
  for (const [name, sandbox] of Object.entries(kinds)) {
    const tookMs = await startMs(sandbox);
    // The first rounds start the host and try bubblewrap.
    if (round >= 0) samples.set(name, [...(samples.get(name) ?? []), tookMs]);
  }
}
const base = median(samples.get("no sandbox") ?? []);
for (const [name, times] of samples) {
  console.log(
    `${name.padEnd(12)} ${median(times).toFixed(1)} ms, ${(median(times) - base).toFixed(1)} ms added (median of ${rounds})`,
  );
}
rmSync(directory, { recursive: true, force: true });
