/** Records of agents in `test/fixtures/transcripts`, and what the readers make of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordEntry } from "../../src/core/transcripts/record-entry.ts";
import { transcriptReader, type TranscriptFormat } from "../../src/core/transcripts/transcript-reader.ts";

const directory = join(import.meta.dirname, "../fixtures/transcripts");

export const transcriptBytes = (name: string): Uint8Array => readFileSync(join(directory, name));

export const entriesOf = (format: TranscriptFormat, ...files: readonly (string | Uint8Array)[]): RecordEntry[] => {
  const reader = transcriptReader(format);
  return files.flatMap((file) => reader.read(typeof file === "string" ? transcriptBytes(file) : file));
};

/** The entries of rows that are written as objects. */
export const entriesOfRows = (format: TranscriptFormat, ...rows: readonly unknown[]): RecordEntry[] =>
  entriesOf(format, new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join("")));

/** One line for each entry: its role, tool and text, or what else it is. */
export const lineOf = (entry: RecordEntry): string => {
  switch (entry.kind) {
    case "message": {
      const marks = [entry.role, entry.tool, entry.agent && `by ${entry.agent}`, entry.incomplete];
      return `${marks.filter(Boolean).join(" ")}: ${entry.text.slice(0, 60)}`;
    }
    case "conversation":
      return `conversation ${entry.id}${entry.from === undefined ? "" : ` from ${entry.from}`}`;
    case "taken-back":
      return `${entry.why}: ${entry.ids.join(" ")}`;
    case "failed":
      return `failed: ${entry.text}`;
    case "unknown":
      return `unknown: ${entry.name}`;
  }
};
