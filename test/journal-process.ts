/** A process that writes a journal, for the tests that kill it, read behind it, or fill its disk. */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { JournalReader } from "../src/journal/reader.ts";
import { JournalWriter } from "../src/journal/writer.ts";
import { numberedAt } from "./support/numbered-bytes.ts";

const [mode, directory = "", amount = "0"] = process.argv.slice(2);

/** Appends as fast as it can and says now and then what was appended; without an amount until it is killed, with one it waits at the half for its input. */
async function flood(): Promise<void> {
  const writer = await JournalWriter.open(directory, { segmentBytesMax: 2 * 1024 * 1024 });
  const bytesMax = Number(amount) || Number.MAX_SAFE_INTEGER;
  let isHalf = false;
  for (let count = 0; writer.end < bytesMax; count += 1) {
    if (!isHalf && writer.end > bytesMax / 2) {
      isHalf = true;
      readSync(0, Buffer.alloc(1));
    }
    writer.append("output", numberedAt(writer.end, 1 + ((count * 7919) % 9000)), { timeUs: count });
    if (count % 64 === 0) writeSync(1, `${writer.end}\n`);
    if (count % 256 === 0) await new Promise(setImmediate);
  }
  writer.append("exit", Buffer.from("{}"), { timeUs: Number(amount) });
  await writer.close();
}

/** Appends until the disk is full, frees some, appends again, and reports what it saw and what can be read. */
async function fill(): Promise<void> {
  const ballast = join(directory, "ballast");
  const descriptor = openSync(ballast, "w");
  writeSync(descriptor, Buffer.alloc(64 * 1024, 1));
  closeSync(descriptor);
  const writer = await JournalWriter.open(join(directory, "journal"));
  let failure: { code?: string; message?: string } = {};
  while (failure.code === undefined) {
    try {
      writer.append("output", numberedAt(writer.end, 5000), { timeUs: 1 });
    } catch (error) {
      failure = error as Error;
    }
  }
  const endAtFailure = writer.end;
  const reader = await JournalReader.open(join(directory, "journal"));
  const endOfReader = reader.end;
  rmSync(ballast);
  writer.append("output", numberedAt(writer.end, 100), { timeUs: 1 });
  const { code, message } = failure;
  let intact = true;
  for (let next = 0; next < writer.end;) {
    const result = await (await JournalReader.open(join(directory, "journal"))).read(next);
    for (const { offset, payload } of result.records) intact &&= numberedAt(offset, payload.length).equals(payload);
    next = result.next;
  }
  await writer.close();
  const again = await JournalWriter.open(join(directory, "journal"));
  const repaired = again.repair !== undefined;
  console.log(JSON.stringify({ code, message, endAtFailure, endOfReader, end: again.end, intact, repaired }));
}

await (mode === "fill" ? fill() : flood());
