/** Helpers for the tests of the journal. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { JournalRecord } from "../../src/protocol/records.ts";

/** A new directory that is removed when the test ends. */
export function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lectern-journal-"));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A journal as a list of short strings: offset, type and text of each record. */
export const brief = (records: readonly JournalRecord[]): string[] =>
  records.map(({ offset, type, payload }) => `${offset} ${type} ${Buffer.from(payload).toString("latin1")}`);

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes of an endless stream in which each 4-byte word is its own index, so every position is unique. */
export function numberedAt(offset: number, length: number): Buffer {
  const first = Math.floor(offset / 4);
  const words = Uint32Array.from({ length: Math.ceil(length / 4) + 1 }, (_, index) => first + index);
  return Buffer.from(words.buffer).subarray(offset - first * 4, offset - first * 4 + length);
}

export const numbered = (length: number): Buffer => numberedAt(0, length);
