/**
 * How long a write of the registry takes while views are written, listed, searched and forgotten: in the thread of the views, and in one of
 * its own. Interleaved rounds, for each rate of rows of 2.5 kB.
 *
 *     node bench/store.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ViewChange } from "../src/core/views/change.ts";
import { DaemonProblems } from "../src/daemon/problems.ts";
import { Store } from "../src/daemon/store/store.ts";
import { StoreThread } from "../src/daemon/store/store-thread.ts";
import { ViewStore } from "../src/daemon/store/view-store.ts";
import { quantile } from "./support/statistics.ts";

const rounds = 3;
const roundMs = 6000;
const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`);
/** Rows of a session each time, and the pause after all sessions. */
const rates = { "1,000 rows/s": { rows: 10, pauseMs: 200 }, "as many as it takes": { rows: 50, pauseMs: 1 } } as const;

const said = "error journal offset session agent question answer terminal request response ".repeat(32);
let messages = 0;

const message = (): ViewChange => {
  const id = `m${++messages}`;
  // Only what becomes a row.
  return {
    kind: "message",
    offset: messages,
    timeUs: messages,
    message: { id, role: "agent", text: `${id} ${said}` },
  } as unknown as ViewChange;
};

async function round({ rows, pauseMs }: (typeof rates)[keyof typeof rates], isShared: boolean): Promise<number[]> {
  // Not in /tmp, which may be in memory.
  const directory = mkdtempSync(join(process.cwd(), ".bench-store-"));
  await using thread = new StoreThread();
  await using other = new StoreThread();
  const files = { databaseFile: join(directory, "lectern.db"), lockFile: join(directory, "lectern.lock") };
  const store = await Store.open(thread, files);
  const views = await ViewStore.open({
    databaseFile: join(directory, "views.db"),
    thread: isShared ? thread : other,
    onError: console.error,
    problems: new DaemonProblems(console.error),
  });
  const endMs = performance.now() + roundMs;
  const repeat = async (everyMs: number, act: () => Promise<unknown>): Promise<void> => {
    while (performance.now() < endMs) {
      await act();
      await sleep(everyMs);
    }
  };
  const [first = "", second = "", ...others] = sessions;
  const all = { from: 0, kinds: ["message"], changesMax: 2000 } as const;
  const words = { words: "error AND journal", session: null, role: null, sinceUs: null, hitsMax: 50 };
  let forgotten = 0;
  const timesMs: number[] = [];
  await Promise.all([
    repeat(pauseMs, async () => {
      for (const session of sessions) views.put(session, Array.from({ length: rows }, message));
      await views.list({ ...all, session: first, last: 1 });
    }),
    repeat(20, () => views.list({ ...all, session: second, last: null })),
    // One that takes too long is ended.
    repeat(50, () => views.search(words).catch(() => undefined)),
    repeat(1500, () => views.forget(others[forgotten++ % others.length] ?? second)),
    repeat(3, async () => {
      const startMs = performance.now();
      await store.rows.nextQuestion(0);
      timesMs.push(performance.now() - startMs);
    }),
  ]);
  await views.close();
  await store.close();
  rmSync(directory, { recursive: true });
  return timesMs;
}

for (const [name, rate] of Object.entries(rates)) {
  const times: Record<string, number[]> = { shared: [], apart: [] };
  for (let index = 0; index < rounds; index++)
    for (const isShared of [true, false]) times[isShared ? "shared" : "apart"]?.push(...(await round(rate, isShared)));
  for (const [thread, timesMs] of Object.entries(times)) {
    const at = (share: number): string => quantile(timesMs, share).toFixed(1);
    console.log(`${name}, ${thread}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
  }
}
