/**
 * `kill -9` the daemon between questions and their notices, again and again, with a real webhook receiver. Counts how often each question
 * arrived (all must be 1), and what arrived of questions that were answered before their notice was due (must be 0).
 *
 *   node bench/notify.ts [kills=20] [questions=5]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NoticeReceiver } from "../test/support/notice-receiver.ts";
import { BenchDaemon } from "./support/daemon.ts";

const kills = Number(process.argv[2] ?? 20);
const questions = Number(process.argv[3] ?? 5);
/** Long enough that the kill comes before it is over. */
const AFTER = "2s";
const QUESTION = "read -rp 'Go on? [y/N] ' answer; echo \"answer=$answer\"; read -r";
const WAIT_MS_MAX = 120_000;

await using receiver = await NoticeReceiver.start();
await using daemon = await BenchDaemon.start();
const settings = {
  notify: {
    channels: { hook: { kind: "webhook", url: `http://${receiver.host}/` } },
    rules: [{ on: ["blocked"], after: AFTER, content: "question", to: ["hook"] }],
    privateTargets: [receiver.host],
  },
};
writeFileSync(join(daemon.paths.dataDirectory, "lectern.yaml"), JSON.stringify(settings));
await daemon.client.call("daemon.reload", {});

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + WAIT_MS_MAX; !(await condition()); await sleep(20)) {
    if (performance.now() > deadline) throw new Error(`It did not happen: ${what}`);
  }
}
const sessionsOf = (): string[] =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { data: { session: { id: string } } }).data.session.id);

const asked: string[] = [];
const answered: string[] = [];
for (let kill = 0; kill < kills; kill += 1) {
  const ids: string[] = [];
  for (let number = 0; number <= questions; number += 1)
    ids.push((await daemon.client.call("sessions.create", { command: ["bash", "--norc", "-c", QUESTION] })).id);
  const open = async () => (await daemon.client.call("approvals.list", {})).approvals;
  await until(async () => {
    const sessions = new Set((await open()).map(({ session }) => session));
    return ids.every((id) => sessions.has(id));
  }, "all ask");
  const early = ids.at(-1) ?? "";
  const others = ids.slice(0, -1);
  await daemon.client.call("sessions.input", { session: early, text: "y\r" });
  await until(async () => !(await open()).some(({ session }) => session === early), "one is answered");
  // On a busy machine its notice may have been due before it was answered.
  if (!sessionsOf().includes(early)) answered.push(early);
  await daemon.crash();
  asked.push(...others);
  await until(async () => await Promise.resolve(others.every((id) => sessionsOf().includes(id))), "all are delivered");
  for (const id of ids) await daemon.client.call("sessions.kill", { session: id, graceMs: 0 });
}
const times = asked.map((id) => sessionsOf().filter((session) => session === id).length);
const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
const once = times.filter((count) => count === 1).length;
console.log(
  `${kills} kills, ${asked.length} questions: ${once} delivered once, ${times.length - once} not; ${ids.size} ids`,
);
console.log(
  `answered before: ${answered.length}, of which delivered: ${answered.filter((id) => sessionsOf().includes(id)).length}`,
);
if (once !== asked.length) process.exitCode = 1;
