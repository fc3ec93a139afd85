/**
 * The law of the merge (`core/chat/merge.ts`) over random histories with a truth.
 *
 *     LECTERN_CHAT_HISTORIES=100000 LECTERN_CHAT_SEED=1 npm test -- test/chat-histories/histories.test.ts
 *
 * `node test/chat-histories/main.ts --trace SEED` shows one.
 */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { historyOf } from "./history.ts";
import { playRange, type HistoriesReport, type HistoryRange } from "./worker.ts";

/** 100,000 in `npm run test:long`. */
const COUNT = Number(process.env["LECTERN_CHAT_HISTORIES"] ?? 400);
const SEED = Number(process.env["LECTERN_CHAT_SEED"] ?? 1);
const RANGE = 50;
/**
 * The shares of histories that may break the law, that may still be read wrong without a mark, and that may be marked although all was
 * shown. Goal: 0. The first two only ever fall; docs/decisions/chat-histories.md has what is left.
 */
const BROKEN_SHARE_MAX = 0.0002;
const SILENT_SHARE_MAX = 0.02;
const FALSELY_MARKED_SHARE_MAX = 0.09;

async function playAll(): Promise<HistoriesReport[]> {
  const reports: HistoriesReport[] = [];
  let next = SEED;
  const played = Array.from({ length: availableParallelism() }, async () => {
    const thread = new Worker(new URL("worker.ts", import.meta.url));
    const done = Promise.withResolvers<void>();
    const give = (): void => {
      const range: HistoryRange = { from: next, count: Math.min(RANGE, SEED + COUNT - next) };
      if (range.count <= 0) return done.resolve();
      next += range.count;
      thread.postMessage(range);
    };
    thread.on("error", done.reject);
    thread.on("message", (report: HistoriesReport) => {
      reports.push(report);
      give();
    });
    give();
    try {
      await done.promise;
    } finally {
      await thread.terminate();
    }
  });
  await Promise.all(played);
  return reports;
}

test(`${COUNT} histories: what was acknowledged stays, and what is lost is marked`, async (context) => {
  const start = process.cpuUsage();
  const reports = await playAll();
  const { user, system } = process.cpuUsage(start);
  const sum = (value: (report: HistoriesReport) => number): number =>
    reports.reduce((total, report) => total + value(report), 0);
  const [histories, windows] = [sum((report) => report.histories), sum((report) => report.windows)];
  const silent = reports.flatMap((report) => report.silent).toSorted((one, other) => one - other);
  const broken = reports.flatMap((report) => report.broken);
  const falselyMarked = sum((report) => report.falselyMarked);
  const seconds = ((user + system) / 1e6).toFixed(1);
  context.diagnostic(`${histories} histories with ${windows} windows, ${seconds} s of processor time`);
  context.diagnostic(`${silent.length} wrong without a mark, ${falselyMarked} marked although all was shown`);
  context.diagnostic(`${broken.length} broke the law: ${broken.slice(0, 20).join("; ").slice(0, 4000)}`);
  assert.equal(histories, COUNT);
  assert.ok(broken.length <= BROKEN_SHARE_MAX * COUNT, broken.join("\n"));
  assert.ok(silent.length <= SILENT_SHARE_MAX * COUNT, `${silent.length}: seeds ${silent.slice(0, 20).join(", ")}`);
  assert.ok(falselyMarked <= FALSELY_MARKED_SHARE_MAX * COUNT, `${falselyMarked}`);
});

for (const seed of [6496, 7000, 7565, 13_200, 16_812, 18_010, 29_033, 40_652, 44_952, 45_128, 48_819])
  test(`history ${seed}, which broke the law once, keeps it`, () => {
    assert.deepEqual(playRange({ from: seed, count: 1 }).broken, []);
  });

for (const seed of [
  29, 77, 94, 152, 161, 170, 173, 264, 409, 412, 686, 701, 797, 822, 827, 1111, 1113, 1238, 1240, 1398, 1683, 2313,
])
  test(`history ${seed}, which was read wrong without a mark once, is not`, () => {
    assert.deepEqual(playRange({ from: seed, count: 1 }).silent, []);
  });

test("a seed gives the same history each time, of 5 to 40 windows and the end", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const [one, other] = [historyOf(seed), historyOf(seed)];
    assert.deepEqual(one.shots, other.shots);
    assert.ok(one.shots.length >= 5, `seed ${seed}`);
  }
});
