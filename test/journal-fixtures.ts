/** Small helpers of the journal's tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { JournalRecord } from "../src/protocol/records.ts";

/** A new directory that goes when the test ends. */
export function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lectern-journal-"));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A journal as a list of short strings: offset, type and text of each record. */
export const brief = (records: readonly JournalRecord[]): string[] =>
  records.map(({ offset, type, payload }) => `${offset} ${type} ${Buffer.from(payload).toString("latin1")}`);

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes that no two places share: numbered lines. */
export function numberedLines(bytes: number): Buffer {
  const lines: string[] = [];
  for (let line = 0, size = 0; size < bytes; line += 1, size += 16) lines.push(`${String(line).padStart(15, "0")}\n`);
  return Buffer.from(lines.join("")).subarray(0, bytes);
}
