/**
 * Journal append against a bare write of the same bytes and against SQLite blobs; random reads; event loop delay.
 * All rows of a block run in the same process in interleaved rounds; the medians are compared.
 *
 * Run: node bench/journal-append.ts [megabytes per row, default 100]
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { JournalReader } from "../src/journal/reader.ts";
import { JournalWriter } from "../src/journal/writer.ts";
import { median } from "./support/statistics.ts";

const megabytes = Number(process.argv[2] ?? 100);
const rounds = 5;
const root = mkdtempSync(join(tmpdir(), "lectern-bench-"));
let directories = 0;
const fresh = (): string => join(root, String((directories += 1)));

interface Row {
  readonly name: string;
  /**
   * Appends `count` payloads and gives the milliseconds of that, without opening and closing. The loop turns now and
   * then as it does in a process with sockets.
   */
  run(payload: Uint8Array, count: number): Promise<number>;
}

const turnEvery = 64;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function eachTurn(count: number, append: (index: number) => void): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    append(index);
    if (index % turnEvery === 0) await turn();
  }
  return performance.now() - started;
}

const raw: Row = {
  name: "bare writeSync",
  async run(payload, count) {
    const path = fresh();
    const descriptor = openSync(path, "w");
    const elapsed = await eachTurn(count, () => writeSync(descriptor, payload));
    closeSync(descriptor);
    rmSync(path);
    return elapsed;
  },
};

const journal = (fsync: "interval" | "never"): Row => ({
  name: `journal, fsync ${fsync}`,
  async run(payload, count) {
    const directory = fresh();
    const writer = await JournalWriter.open(directory, { fsync });
    const elapsed = await eachTurn(count, (index) => writer.append("output", payload, { timeUs: index }));
    await writer.close();
    rmSync(directory, { recursive: true });
    return elapsed;
  },
});

const sqlite = (perTransaction: number): Row => ({
  name: `node:sqlite, ${perTransaction} per transaction`,
  async run(payload, count) {
    const path = fresh();
    const database = new DatabaseSync(path);
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE r (o INTEGER PRIMARY KEY, t, b)",
    );
    const insert = database.prepare("INSERT INTO r VALUES (?, ?, ?)");
    const elapsed = await eachTurn(count, (index) => {
      if (perTransaction > 1 && index % perTransaction === 0) database.exec("BEGIN");
      insert.run(index * payload.length, index, payload);
      if (perTransaction > 1 && (index % perTransaction === perTransaction - 1 || index === count - 1))
        database.exec("COMMIT");
    });
    database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return elapsed;
  },
});

async function compare(size: number): Promise<void> {
  const rows = [raw, journal("interval"), journal("never"), sqlite(1), sqlite(64)];
  const count = Math.ceil(Math.min(megabytes * 1e6, 60_000 * size) / size);
  const payload = new Uint8Array(size).fill(97);
  const rates = rows.map((): number[] => []);
  const delays = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, row] of rows.entries()) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const elapsed = await row.run(payload, count);
      rates[index]?.push((size * count) / 1000 / elapsed);
      delay.disable();
      delays[index]?.push(delay.percentile(99) / 1e6);
    }
  }
  const base = median(rates[0] ?? []);
  const sqliteRates = [median(rates[3] ?? []), median(rates[4] ?? [])];
  console.log(`\n${size} B x ${count}, median of ${rounds} rounds`);
  for (const [index, row] of rows.entries()) {
    const rate = median(rates[index] ?? []);
    const ratios = [base, ...sqliteRates].map((peer) => (rate / peer).toFixed(2).padStart(6));
    const delay = median(delays[index] ?? []).toFixed(2);
    const each = (size / rate).toFixed(2);
    console.log(
      `${row.name.padEnd(32)} ${rate.toFixed(0).padStart(5)} MB/s ${each.padStart(7)} us each; x bare ${ratios[0]}, x sqlite-1 ${ratios[1]}, x sqlite-64 ${ratios[2]}; loop p99 ${delay} ms`,
    );
  }
}

/** Microseconds of each call, sorted. */
function timed(count: number, call: (index: number) => void): number[] {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    call(index);
    times.push((performance.now() - started) * 1000);
  }
  return times.toSorted((left, right) => left - right);
}

const quantiles = (times: readonly number[]): string =>
  `p50 ${(times[times.length >> 1] ?? 0).toFixed(1)} us, p99 ${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(1)} us`;

/** An even spread that is the same in every run. */
const spread = (index: number, below: number): number => Math.floor(((index * 0.618_033_988_75) % 1) * below);

async function reads(totalBytes: number): Promise<void> {
  const directory = fresh();
  const writer = await JournalWriter.open(directory, { fsync: "never" });
  const payload = new Uint8Array(4096).fill(97);
  while (writer.end < totalBytes) writer.append("output", payload, { timeUs: writer.end });
  console.log(`\nreads from a journal of ${(writer.end / 1e9).toFixed(2)} GB, records of 4096 B`);
  const started = performance.now();
  const first = await JournalReader.open(directory);
  first.readSync(first.end - 100);
  console.log(
    `open and read the last bytes: ${(performance.now() - started).toFixed(2)} ms (new reader, no index in memory)`,
  );
  await first.close();
  const reader = await JournalReader.open(directory);
  const random = (index: number): void => void reader.readSync(spread(index, reader.end - 4096), { bytesMax: 4096 });
  console.log(`first touch of each place, sync:   ${quantiles(timed(2000, random))}`);
  console.log(`random offset, sync:               ${quantiles(timed(20_000, random))}`);
  let next = 0;
  const sequential = (): void => {
    next = reader.readSync(next, { bytesMax: 65_536 }).next;
  };
  const count = 4000;
  const times = timed(count, sequential);
  const total = times.reduce((sum, time) => sum + time, 0);
  console.log(`sequential 64 KiB, sync:           ${quantiles(times)}, ${(next / total).toFixed(0)} MB/s`);
  writer.onAppend((end) => reader.advance(end));
  const live = timed(20_000, () => {
    const offset = writer.append("output", payload, { timeUs: 1 });
    reader.readSync(offset);
  });
  const append = timed(20_000, () => void writer.append("output", payload, { timeUs: 1 }));
  console.log(`append 4 KiB:                      ${quantiles(append)}`);
  console.log(`append 4 KiB and read it live:     ${quantiles(live)}`);
  await writer.close();
  await reader.close();
}

try {
  for (const size of [256, 4096, 65_536]) await compare(size);
  await reads(1e9);
} finally {
  rmSync(root, { recursive: true, force: true });
}
