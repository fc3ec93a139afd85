import { existsSync } from "node:fs";
import { JournalReader } from "../../journal/reader.ts";
import { listFiles } from "../../journal/segments.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { decodeExit, encodeJson } from "../../protocol/payloads.ts";
import type { ExitStatus } from "../../protocol/records.ts";
import type { SessionEntry } from "./session-entry.ts";

/** What a host that died may have read but not appended: one read of a pty. */
const UNRECORDED_BYTES_MAX = 65_536;
/** An exit record is shorter than this. */
const EXIT_BYTES_MAX = 256;

/**
 * Closes the journal of a session whose host has ended. An exit that the host has written is kept; otherwise a gap records how much
 * may be missing, and the exit has the reason "lost". Throws `CONFLICT` if a process holds the journal: then nothing was written, and
 * the session is still running.
 */
export async function closeUnseen(entry: SessionEntry): Promise<void> {
  const writer = await JournalWriter.open(entry.directory);
  try {
    if (writer.ended) return await endAsWritten(entry);
    const exit: ExitStatus = { reason: "lost", code: null, signal: null };
    const now = Date.now();
    if (writer.repair !== undefined) {
      const torn = encodeJson({ reason: "torn", bytesMax: writer.repair.cutBytes });
      writer.append("gap", torn, { timeUs: now * 1000 });
    }
    writer.append("gap", encodeJson({ reason: "host-lost", bytesMax: UNRECORDED_BYTES_MAX }), { timeUs: now * 1000 });
    writer.append("exit", encodeJson(exit), { timeUs: now * 1000 });
    entry.end(exit, writer.end, new Date(now));
  } finally {
    await writer.close();
  }
}

/** Whether its daemon ended in the middle of its start: its row says that it starts, and its journal has no record. */
export async function isUnstarted({ directory, stored }: SessionEntry): Promise<boolean> {
  if (stored.state !== "starting" || isWriterLocked(directory)) return false;
  if (!existsSync(directory) || listFiles(directory).length === 0) return true;
  await using reader = await JournalReader.open(directory);
  return reader.end === 0;
}

/** Takes the end of a closed journal from its exit record. */
export async function endAsWritten(entry: SessionEntry): Promise<void> {
  await using reader = await JournalReader.open(entry.directory);
  for (let next = Math.max(reader.start, reader.end - EXIT_BYTES_MAX); next < reader.end;) {
    const { records, next: after } = await reader.read(next);
    const last = records.at(-1);
    if (last?.type === "exit") return entry.end(decodeExit(last.payload), after, new Date(last.timeUs / 1000));
    next = after;
  }
}
