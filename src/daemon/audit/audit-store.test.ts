import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chainRow, writeAuditLine, type AuditRow, type ChainedRow } from "../../core/gate/audit-chain.ts";
import { AuditStore } from "./audit-store.ts";
import { sha256 } from "./sha256.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-audit-"));
after(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;
const writer = join(import.meta.dirname, "../../../test/support/audit-writer.ts");
const newDirectory = (): string => join(root, `audit${directories++}`);

const decision = (call: string, effect: "allow" | "ask" | "deny" = "allow", session = "s1"): AuditRow => ({
  type: "decision",
  session,
  call,
  timeMs: 1,
  requester: "me",
  tool: "bash",
  source: "anthropic",
  provenance: "wire",
  argumentsHash: "a".repeat(64),
  effect,
  decidedBy: "ls",
  line: 3,
  policyHash: null,
  evidence: "ls ∙",
});
const start = (call: string): AuditRow => ({ type: "start", session: "s1", call, timeMs: 2, executor: "executor" });
const outcome = (call: string): AuditRow => ({
  type: "outcome",
  session: "s1",
  call,
  timeMs: 3,
  result: "succeeded",
  outcomeHash: "b".repeat(64),
});
const callOf = (call: string): AuditRow[] => [decision(call), start(call), outcome(call)];

/** A log of four calls, twelve rows, that nobody has open. */
async function closedLog(): Promise<string> {
  const directory = newDirectory();
  await using store = await AuditStore.open(directory);
  for (const call of ["1", "2", "3", "4"]) await store.append(callOf(call));
  return directory;
}

const rowsFile = (directory: string): string => join(directory, "rows.jsonl");
const linesOf = (directory: string): string[] => readFileSync(rowsFile(directory), "utf8").trimEnd().split("\n");
const setLines = (directory: string, lines: readonly string[]): void =>
  writeFileSync(rowsFile(directory), `${lines.join("\n")}\n`);

/** What a store that is opened on the log now says of it. */
async function verified(directory: string): Promise<string> {
  await using store = await AuditStore.open(directory);
  const { verification } = await store.verify();
  return verification.intact ? `intact ${verification.head.sequence}` : verification.message;
}

test("rows come back in the order in which they were appended, in any number of callers", async () => {
  await using store = await AuditStore.open(newDirectory());
  await Promise.all(Array.from({ length: 50 }, (_, index) => store.append(callOf(`c${index}`))));
  const { rows, next, end } = await store.list({ session: undefined, from: 0, limit: 1000 });
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    Array.from({ length: 150 }, (_, index) => index + 1),
  );
  assert.equal(next, end);
  assert.deepEqual((await store.verify()).verification, {
    intact: true,
    head: { sequence: 150, hash: rows.at(-1)?.hash },
  });
  assert.equal((await store.verify()).rows, 150);
});

test("a page tells where the next one begins, and a session has its own rows", async () => {
  await using store = await AuditStore.open(newDirectory());
  await store.append([decision("1"), decision("2", "ask", "s2"), decision("3"), decision("4")]);
  const calls = (rows: readonly ChainedRow[]): string => rows.map(({ row }) => row.call).join("");
  const first = await store.list({ session: undefined, from: 0, limit: 3 });
  const second = await store.list({ session: undefined, from: first.next, limit: 3 });
  assert.deepEqual([calls(first.rows), calls(second.rows), second.next === second.end], ["123", "4", true]);
  assert.equal(calls((await store.list({ session: "s1", from: undefined, limit: 2 })).rows), "34");
  assert.equal(calls((await store.list({ session: "s2", from: 0, limit: 2 })).rows), "2");
});

test("a log goes on where an earlier daemon left it, and its index is made again where it is missing", async () => {
  const directory = await closedLog();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(directory, `index.db${suffix}`), { force: true });
  await using store = await AuditStore.open(directory);
  await store.append([decision("5", "ask")]);
  assert.equal((await store.find("s1", "4"))?.stage, "finished");
  assert.equal((await store.find("s1", "5"))?.stage, "undecided");
  assert.equal(await store.find("s1", "6"), undefined);
  assert.equal((await store.verify()).verification.intact, true);
});

test("a row that was cut out or put in is named", async () => {
  const directory = await closedLog();
  const lines = linesOf(directory);
  setLines(directory, lines.toSpliced(4, 1));
  assert.equal(await verified(directory), "The audit row 5 was removed");
  setLines(directory, lines.toSpliced(4, 0, lines[2]!));
  assert.equal(await verified(directory), "The audit row 3 was inserted");
  setLines(directory, lines.toSpliced(4, 0, "not a row"));
  assert.equal(await verified(directory), "The audit row 5 was changed");
});

test("a tail that was cut shows, and goes on to show when rows were appended behind the cut", async () => {
  const directory = await closedLog();
  setLines(directory, linesOf(directory).slice(0, 10));
  assert.equal(await verified(directory), "The audit row 11 was removed");
  await using store = await AuditStore.open(directory);
  await store.append(callOf("5"));
  const { verification } = await store.verify();
  assert.equal(verification.intact ? "" : verification.message, "The audit row 11 was removed");
});

test("a log that was emptied shows", async () => {
  const directory = await closedLog();
  truncateSync(rowsFile(directory));
  assert.equal(await verified(directory), "The audit row 1 was removed");
});

test("a chain that was written anew with right hashes shows against a head that was kept elsewhere", async () => {
  const directory = await closedLog();
  await using store = await AuditStore.open(directory);
  const { verification } = await store.verify();
  assert.ok(verification.intact);
  const first = chainRow({ sequence: 0, hash: "0".repeat(64) }, decision("other"), sha256);
  const forged = newDirectory();
  await using other = await AuditStore.open(forged);
  await other.append([decision("other")]);
  assert.equal(linesOf(forged)[0], writeAuditLine(first));
  assert.equal((await other.verify()).verification.intact, true);
  assert.equal((await other.verify(verification.head)).verification.intact, false);
});

test("half a line at the end is a row that nobody was told of: it is cut off", async () => {
  const directory = await closedLog();
  const whole = readFileSync(rowsFile(directory), "utf8");
  writeFileSync(rowsFile(directory), `${whole}{"hash":"12`);
  assert.equal(await verified(directory), "intact 12");
  assert.equal(readFileSync(rowsFile(directory), "utf8"), whole);
});

test("what is said to be appended survives kill -9, and a call that was started is unfinished, an asked one undecided", async () => {
  const directory = newDirectory();
  const rows = [...callOf("done"), decision("asked", "ask"), decision("allowed"), decision("cut"), start("cut")];
  const child = spawn(process.execPath, [writer, directory, JSON.stringify(rows)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let told = "";
  for await (const chunk of child.stdout) {
    told += String(chunk);
    if (told.split("\n").length > rows.length) child.kill("SIGKILL");
  }
  // A process that is killed closes its output before it gives up its lock.
  await ended;
  await using store = await AuditStore.open(directory);
  assert.deepEqual(
    (await store.openCalls(10)).map(({ call, stage }) => `${call} ${stage}`),
    ["asked undecided", "allowed approved", "cut unfinished"],
  );
  assert.equal((await store.verify()).verification.intact, true);
});

test("who waits for a change is woken by the next row, and by an abort", async () => {
  await using store = await AuditStore.open(newDirectory());
  const abort = new AbortController();
  const [changed, aborted] = [store.changed(new AbortController().signal), store.changed(abort.signal)];
  abort.abort();
  assert.equal(await aborted, false);
  await store.append([decision("1")]);
  assert.equal(await changed, true);
});

test("a log whose directory cannot be written is a clear error, and so is one that was closed", async () => {
  const file = join(root, "a-file");
  writeFileSync(file, "");
  await assert.rejects(AuditStore.open(join(file, "audit")), /ENOTDIR/);
  const store = await AuditStore.open(newDirectory());
  await store.close();
  await assert.rejects(store.append([decision("1")]), { code: "JOURNAL_WRITE_FAILED" });
});

test("a head that was removed is still reported after further rows, in every later process", async () => {
  const directory = await closedLog();
  rmSync(join(directory, "head"));
  setLines(directory, linesOf(directory).slice(0, -1));
  {
    await using store = await AuditStore.open(directory);
    await store.append(callOf("5"));
  }
  assert.match(await verified(directory), /The file "head".*was removed: audit rows from 15 on may be missing/);
});

test("a log that ends before its first row is told has lost no head", async () => {
  const directory = newDirectory();
  {
    await using store = await AuditStore.open(directory);
    await store.verify();
  }
  const first = chainRow({ sequence: 0, hash: "0".repeat(64) }, decision("1"), sha256);
  // As a crash leaves it: the row is on the disk, and the head is that of the empty log.
  setLines(directory, [writeAuditLine(first)]);
  assert.equal(await verified(directory), "intact 1");
});

test("a log that is not there has no thread and no rows, is verified as such, and is begun by the first row alone", async () => {
  const directory = newDirectory();
  const { audit, problem } = await AuditStore.openOrRefuse(directory);
  assert.equal(problem, null);
  assert.deepEqual(await audit.openCalls(10), []);
  const all = { session: undefined, from: undefined, limit: 10 };
  assert.deepEqual(await audit.list(all), { rows: [], next: 0, end: 0 });
  assert.equal(await audit.find("s1", "1"), undefined);
  assert.deepEqual(await audit.verify(), {
    verification: { intact: true, head: { sequence: 0, hash: "0".repeat(64) } },
    rows: 0,
  });
  const gone = { sequence: 3, hash: "a".repeat(64), session: "s1" };
  for (const { verification } of [await audit.verify(gone), await audit.verify(undefined, [gone])])
    assert.equal(!verification.intact && verification.problem, "removed");
  assert.deepEqual(readdirSync(directory), []);
  await audit.append([decision("1")]);
  assert.ok(readdirSync(directory).includes("rows.jsonl"));
  assert.equal((await audit.list(all)).rows.length, 1);
  await audit.close();
  await assert.rejects(audit.append([decision("2")]), { code: "JOURNAL_WRITE_FAILED" });
});
