/**
 * `kill -9` the daemon again and again while a program writes numbered lines at full speed and two clients are attached.
 * Counts lines that a client lost, doubled or saw out of order (all must be 0), and says how fast a new daemon answers.
 *
 *   node bench/crash.ts [kills=20] [lines=8000000]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./support/statistics.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { LineCheck } from "./support/line-check.ts";

const kills = Number(process.argv[2] ?? 20);
const lines = Number(process.argv[3] ?? 8_000_000);
const BETWEEN_KILLS_MS = 250;
const CLIENTS = 2;

await using daemon = await BenchDaemon.start();
const { id } = await daemon.client.call("sessions.create", { command: ["seq", String(lines)] });
const attachments = await Promise.all(
  Array.from({ length: CLIENTS }, () =>
    daemon.client.attach(id, { from: 0, readOnly: true, lossless: true, reconnectMsMax: 100 }),
  ),
);
const clients = attachments.map(async (attachment) => {
  const check = new LineCheck();
  let reconnects = 0;
  for await (const item of attachment) {
    if (item.type === "output") check.feed(item.bytes);
    if (item.type === "gap") throw new Error(`a gap at ${item.offset}`);
    if (item.type === "reconnected") reconnects++;
  }
  return { ...check.result(lines), reconnects };
});
const restartsMs: number[] = [];
for (let kill = 0; kill < kills; kill++) {
  await sleep(BETWEEN_KILLS_MS);
  restartsMs.push(await daemon.crash());
}
for (const [index, result] of (await Promise.all(clients)).entries()) {
  console.log(`client ${index + 1}: ${JSON.stringify(result)}`);
}
console.log(
  `${kills} kills, new daemon answers after ${median(restartsMs).toFixed(0)} ms (median), ${Math.max(...restartsMs).toFixed(0)} ms (worst)`,
);
