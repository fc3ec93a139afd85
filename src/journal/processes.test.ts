import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { JournalReader } from "./reader.ts";
import { JournalWriter } from "./writer.ts";

const program = fileURLToPath(new URL("../../test/journal-process.ts", import.meta.url));

function start(...args: string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

const openFiles = (): number => readdirSync("/dev/fd").length;

/** Reads and checks everything from `from` on; returns where it stopped. */
function checkFrom(reader: JournalReader, from: number): number {
  let next = from;
  while (next < reader.end) {
    const result = reader.readSync(next, { bytesMax: 100_000 });
    for (const { type, offset, payload } of result.records) {
      if (type === "output") assert.ok(numberedAt(offset, payload.length).equals(payload), `wrong bytes at ${offset}`);
    }
    next = result.next;
  }
  return next;
}

test("a reader in another process sees exactly what the writer appends, over many segments", async (context) => {
  const directory = temporaryDirectory(context);
  const child = start("flood", directory, "60000000");
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.stdout.resume();
  await using reader = await JournalReader.open(directory);
  let next = 0;
  let reads = 0;
  while (!reader.ended) {
    await new Promise(setImmediate);
    reader.refresh();
    next = checkFrom(reader, next);
    reads += 1;
    // It writes no more than the half before it was looked at.
    if (reads === 1) child.stdin.end("go on");
  }
  assert.deepEqual(await ended, [0, null]);
  assert.equal(next, reader.end);
  // More than one look: it was read while it grew.
  assert.ok(next > 60_000_000 && reads > 1, `${reads} reads`);
});

test("kill -9 of the writer at full speed loses nothing that was appended", async (context) => {
  const directory = temporaryDirectory(context);
  let checked = 0;
  for (let round = 0; round < 4; round += 1) {
    const child = start("flood", directory);
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.length > 60 + 40 * round) child.kill("SIGKILL");
    });
    await once(child, "close");
    const appended = Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
    await using reader = await JournalReader.open(directory);
    assert.ok(reader.end >= appended && appended > 0, `${reader.end} of ${appended}`);
    await using writer = await JournalWriter.open(directory);
    assert.equal(writer.end, reader.end);
    checked = checkFrom(reader, checked);
    assert.equal(checked, writer.end);
  }
});

/** With a small tmpfs where this user may mount one, else with a limit on the size of a file. */
const onSmallDisk = `
if unshare --mount --map-root-user mount -t tmpfs -o size=300k tmpfs "$1" 2>/dev/null; then
  exec unshare --mount --map-root-user sh -c 'mount -t tmpfs -o size=300k tmpfs "$1" && exec "$2" "$3" fill "$1"' sh "$@"
fi
trap '' XFSZ; ulimit -f 200; exec "$2" "$3" fill "$1"`;
const withFileLimit = `trap '' XFSZ; ulimit -f 200; exec "$2" "$3" fill "$1"`;

for (const [name, script] of [
  ["full disk", onSmallDisk],
  ["limit on the size of a file", withFileLimit],
] as const) {
  test(`a ${name} loses no record that was appended, and appending goes on when there is room`, async (context) => {
    const directory = temporaryDirectory(context);
    const args = ["-c", script, "sh", directory, process.execPath, program];
    const child = spawn("sh", args, { stdio: ["ignore", "pipe", "inherit"] });
    const output = await text(child.stdout);
    const report = JSON.parse(output) as Record<string, unknown>;
    assert.equal(report["code"], "JOURNAL_WRITE_FAILED");
    assert.match(String(report["message"]), /Cannot append to journal .* at offset "\d+": (ENOSPC|EFBIG)/);
    assert.equal(report["endOfReader"], report["endAtFailure"]);
    assert.equal(report["end"], Number(report["endAtFailure"]) + 100);
    assert.ok(Number(report["endAtFailure"]) > 50_000);
    assert.equal(report["intact"], true);
    assert.equal(report["repaired"], false);
  });
}

test("many readers of one process keep a bounded number of files open, and all of them read on", async (context) => {
  const directory = join(temporaryDirectory(context), "journal");
  await using writer = await JournalWriter.open(directory);
  writer.append("output", numberedAt(0, 1000), { timeUs: 1 });
  const before = openFiles();
  const readers = await Promise.all(Array.from({ length: 300 }, () => JournalReader.open(directory)));
  for (const reader of readers) assert.equal(checkFrom(reader, 0), 1000);
  assert.equal(openFiles(), before + 128);
  for (const reader of readers) assert.equal(checkFrom(reader, 500), 1000);
  assert.equal(openFiles(), before + 128);
  await Promise.all(readers.map((reader) => reader.close()));
  assert.equal(openFiles(), before);
});
