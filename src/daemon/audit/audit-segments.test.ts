import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { type AuditSegment, segmentName, segmentsIn } from "./audit-segments.ts";
import { AuditStore } from "./audit-store.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-segments-"));
after(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;
const newDirectory = (): string => join(root, `audit${directories++}`);
const writer = join(import.meta.dirname, "../../../test/support/audit-writer.ts");

/** Two of these rows are less, three are more. */
const segmentBytesMax = 600;
const rowOf = (call: string): AuditRow => ({ type: "start", session: "s1", call, timeMs: 1, executor: "executor" });
const open = (directory: string): Promise<AuditStore> => AuditStore.open(directory, { segmentBytesMax });

/** A log of twelve rows in four segments that nobody has open. */
async function closedLog(): Promise<{ readonly directory: string; readonly segments: readonly AuditSegment[] }> {
  const directory = newDirectory();
  await using store = await open(directory);
  for (let call = 1; call <= 12; call += 1) await store.append([rowOf(String(call))]);
  const segments = segmentsIn(directory);
  assert.equal(segments.length, 4);
  return { directory, segments };
}

/** What a store that is opened on the log says of it, also after a further row. */
async function verified(directory: string): Promise<[string, string]> {
  await using store = await open(directory);
  const word = async (): Promise<string> => {
    const { verification } = await store.verify();
    return verification.intact ? `intact ${verification.head.sequence}` : verification.message;
  };
  const before = await word();
  await store.append([rowOf("more")]);
  return [before, await word()];
}

async function callsOf(store: AuditStore, from: number | undefined, limit = 100): Promise<string> {
  return (await store.list({ session: undefined, from, limit })).rows.map(({ row }) => row.call).join(" ");
}

test("a log goes on in further files when one is full, and the chain and the queries go over all of them", async () => {
  const { directory, segments } = await closedLog();
  assert.deepEqual(
    segments.map(({ name, ordinal, start }) => name === segmentName(ordinal, start)),
    [true, true, true, true],
  );
  await using store = await open(directory);
  assert.equal(await callsOf(store, 0), "1 2 3 4 5 6 7 8 9 10 11 12");
  assert.equal(await callsOf(store, undefined, 5), "8 9 10 11 12");
  const page = await store.list({ session: "s1", from: segments[1]!.start, limit: 4 });
  assert.equal(page.rows[0]?.sequence, 4);
  assert.equal(await callsOf(store, page.next), "8 9 10 11 12");
  assert.equal((await store.find("s1", "2"))?.stage, "unfinished");
  const { rows, verification } = await store.verify();
  assert.deepEqual([rows, verification.intact], [12, true]);
});

test("an index that is missing is made again from all segments", async () => {
  const { directory } = await closedLog();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(directory, `index.db${suffix}`), { force: true });
  await using store = await open(directory);
  assert.equal(await callsOf(store, 0), "1 2 3 4 5 6 7 8 9 10 11 12");
});

test("whichever segment is missing is named, and stays missing when rows are appended", async () => {
  for (const [index, message] of [
    'The audit row 1 was removed; the file "rows.jsonl" is missing',
    'The audit row 4 was removed; the file "rows.000001.*.jsonl" is missing',
    'The audit row 7 was removed; the file "rows.000002.*.jsonl" is missing',
    'The audit row 10 was removed; the file "rows.000003.*.jsonl" is missing',
  ].entries()) {
    const { directory, segments } = await closedLog();
    rmSync(join(directory, segments[index]!.name));
    assert.deepEqual(await verified(directory), [message, message]);
    await using store = await open(directory);
    const left = (await callsOf(store, 0)).split(" ");
    assert.deepEqual([left.length, left.at(-1)], [10, "more"], "what is left can be read");
  }
});

test("a log of which only the head is left shows", async () => {
  const { directory, segments } = await closedLog();
  for (const { name } of segments) rmSync(join(directory, name));
  const message =
    'The audit row 1 was removed; the files "rows.jsonl", "rows.000001.*.jsonl", "rows.000002.*.jsonl", "rows.000003.*.jsonl" are missing';
  assert.deepEqual(await verified(directory), [message, message]);
});

test("full segments that were put away are named, and the log is whole again when they are back", async () => {
  const { directory, segments } = await closedLog();
  const [first, second] = segments.map(({ name }) => ({ from: join(directory, name), to: join(root, `away-${name}`) }));
  for (const { from, to } of [first!, second!]) renameSync(from, to);
  const message = 'The audit row 1 was removed; the files "rows.jsonl", "rows.000001.*.jsonl" are missing';
  assert.deepEqual(await verified(directory), [message, message]);
  for (const { from, to } of [first!, second!]) renameSync(to, from);
  assert.deepEqual(await verified(directory), ["intact 13", "intact 14"]);
  await using store = await open(directory);
  assert.equal(await callsOf(store, 0), "1 2 3 4 5 6 7 8 9 10 11 12 more more");
});

test("a segment that was cut, lengthened or changed shows like any row", async () => {
  const { directory, segments } = await closedLog();
  const file = join(directory, segments[1]!.name);
  const whole = readFileSync(file, "utf8");
  const lines = whole.trimEnd().split("\n");
  truncateSync(file, lines[0]!.length + 1);
  assert.equal((await verified(directory))[0], "The audit row 5 was removed");
  writeFileSync(file, `${whole}${lines[0]}\n`);
  assert.equal((await verified(directory))[0], "The audit row 4 was inserted");
  writeFileSync(file, whole.replace('"call":"5"', '"call":"6"'));
  assert.equal((await verified(directory))[0], "The audit row 5 was changed");
});

test("a crash behind a new segment loses nothing, be it still empty or with a half row", async () => {
  for (const left of ["", '{"hash":"12']) {
    const { directory, segments } = await closedLog();
    const last = segments.at(-1)!;
    const name = segmentName(last.ordinal + 1, last.start + last.bytes);
    appendFileSync(join(directory, name), left);
    assert.deepEqual(await verified(directory), ["intact 12", "intact 13"]);
    assert.equal(segmentsIn(directory).at(-1)?.name, name);
  }
});

test("a crash between a new segment's rows and the head loses nothing", async () => {
  const directory = newDirectory();
  await using store = await open(directory);
  for (const call of ["1", "2", "3"]) await store.append([rowOf(call)]);
  const head = readFileSync(join(directory, "head"));
  await store.append([rowOf("4")]);
  await store.close();
  writeFileSync(join(directory, "head"), head);
  assert.equal(segmentsIn(directory).length, 2);
  assert.deepEqual(await verified(directory), ["intact 4", "intact 5"]);
});

test("a log that was written before there were segments goes on", async () => {
  const directory = newDirectory();
  await using store = await AuditStore.open(directory);
  for (const call of ["1", "2", "3", "4"]) await store.append([rowOf(call)]);
  await store.close();
  const head = readFileSync(join(directory, "head"), "latin1");
  writeFileSync(join(directory, "head"), `${head.slice(0, 81)}\n`);
  assert.deepEqual(await verified(directory), ["intact 4", "intact 5"]);
  assert.equal(segmentsIn(directory).length, 2);
});

test("a log whose writer is killed at any time has every row that it told of", async () => {
  const directory = newDirectory();
  const rows = Array.from({ length: 400 }, (_, index) => rowOf(String(index)));
  const words = [writer, directory, JSON.stringify(rows), String(segmentBytesMax)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let told = "";
  for await (const chunk of child.stdout) {
    told += String(chunk);
    if (told.split("\n").length > 40) child.kill("SIGKILL");
  }
  // A process that is killed closes its output before it gives up its lock.
  await ended;
  await using store = await open(directory);
  const { rows: found, verification } = await store.verify();
  assert.ok(verification.intact);
  assert.ok(found >= told.split("\n").length - 1, `${found} rows of ${told.split("\n").length - 1}`);
  assert.ok(segmentsIn(directory).length > 10);
});
