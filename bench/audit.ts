/**
 * What it costs to have an audit row on disk before a call begins: the store with one caller and with many, against SQLite
 * with synchronous=FULL in this thread, and against the disk alone (write and fdatasync of a line). Interleaved rounds, medians.
 *
 *     node bench/audit.ts
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { chainRow, chainStart, writeAuditLine, type AuditRow, type ChainHead } from "../src/core/gate/audit-chain.ts";
import { AuditStore } from "../src/daemon/audit/audit-store.ts";
import { sha256 } from "../src/daemon/audit/sha256.ts";
import { interleaved, median } from "./support/statistics.ts";

const rounds = 9;
const rowsEach = 64;
const directory = mkdtempSync(join(tmpdir(), "lectern-bench-"));
let calls = 0;

const rowOf = (): AuditRow => ({
  type: "decision",
  session: "s1",
  call: `call_${calls++}`,
  timeMs: Date.now(),
  requester: "me",
  tool: "bash",
  source: "anthropic",
  provenance: "wire",
  argumentsHash: "a".repeat(64),
  effect: "allow",
  decidedBy: "list",
  line: 3,
  policyHash: "b".repeat(64),
  evidence: "ls -a",
});

const file = openSync(join(directory, "plain"), "a");
const database = new DatabaseSync(join(directory, "full.db"));
database.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (at INTEGER PRIMARY KEY, line TEXT)",
);
const insert = database.prepare("INSERT INTO rows (line) VALUES (?)");
const store = await AuditStore.open(join(directory, "audit"));

let head: ChainHead = chainStart;
function nextLine(): string {
  const chained = chainRow(head, rowOf(), sha256);
  head = { sequence: chained.sequence, hash: chained.hash };
  return writeAuditLine(chained);
}

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  "disk alone, one row at a time": async () => {
    for (let row = 0; row < rowsEach; row += 1) {
      writeSync(file, `${nextLine()}\n`);
      fdatasyncSync(file);
    }
  },
  "SQLite FULL, one row at a time": async () => {
    for (let row = 0; row < rowsEach; row += 1) insert.run(nextLine());
  },
  "audit store, one row at a time": async () => {
    for (let row = 0; row < rowsEach; row += 1) await store.append([rowOf()]);
  },
  "audit store, 64 callers at once": () => Promise.all(Array.from({ length: rowsEach }, () => store.append([rowOf()]))),
};

const measured = Object.entries(tasks).map(([name, task]) => {
  const measure = async (): Promise<number> => {
    const start = performance.now();
    await task();
    return ((performance.now() - start) * 1000) / rowsEach;
  };
  return [name, measure] as const;
});
const measures = Object.fromEntries(measured);
await interleaved(1, measures); // Warm up.
const times = await interleaved(rounds, measures);
const medianOf = (name: string): number => median(times.get(name) ?? []);
const peer = medianOf("SQLite FULL, one row at a time");
for (const name of Object.keys(tasks)) {
  console.log(
    `${name.padEnd(34)}${medianOf(name).toFixed(0).padStart(6)} us/row${(medianOf(name) / peer).toFixed(2).padStart(8)} x SQLite`,
  );
}

const many = 20_000;
for (let done = 0; done < many; done += 500) {
  await store.append(Array.from({ length: 500 }, rowOf));
}
const start = performance.now();
const { rows, verification } = await store.verify();
const verifyMs = performance.now() - start;
console.log(
  `verify: ${((verifyMs * 1000) / rows).toFixed(1)} us/row, ${verification.intact ? "intact" : verification.message}`,
);
await store.close();
const reopened = performance.now();
await (await AuditStore.open(join(directory, "audit"))).close();
console.log(`open a log of ${rows} rows: ${(performance.now() - reopened).toFixed(0)} ms`);
closeSync(file);
database.close();
rmSync(directory, { recursive: true });
