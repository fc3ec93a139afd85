/** The readers of the records that agents keep of their own conversations: pure, without files and without a clock. */
import { crc32 } from "../bytes/crc32.ts";
import { forgetOldest } from "../forget-oldest.ts";
import { ClaudeRows } from "./claude.ts";
import { ClineRows } from "./cline.ts";
import { CodexRows } from "./codex.ts";
import { CopilotRows } from "./copilot.ts";
import { GeminiRows } from "./gemini.ts";
import { OpencodeRows } from "./opencode.ts";
import { PiRows } from "./pi.ts";
import { QwenRows } from "./qwen.ts";
import type { RecordEntry } from "./record-entry.ts";
import { RecordRows } from "./record-rows.ts";
import type { RowReader } from "./row-reader.ts";

/**
 * Reads a record in pieces of any size.
 *
 * One reader reads all files of a session, in the order in which they were written: a rewound Codex conversation continues in another file,
 * and Copilot replaces its file by a shorter one, which is read from its beginning. Only a reader that has read what was before reports what
 * was taken back.
 */
export interface TranscriptReader {
  /**
   * The entries that became whole with these bytes. A message is reported again only when it has changed. Damaged rows are skipped and
   * reported as `unknown`. Never throws.
   */
  readonly read: (bytes: Uint8Array) => RecordEntry[];
}

const FORMATS = {
  claude: ClaudeRows,
  codex: CodexRows,
  pi: PiRows,
  opencode: OpencodeRows,
  qwen: QwenRows,
  copilot: CopilotRows,
  gemini: GeminiRows,
  cline: ClineRows,
} as const satisfies Readonly<Record<string, new () => RowReader>>;

/** Of so many messages it is known whether they have changed. */
const MESSAGES_MAX = 200_000;

/** The agents whose records are read. */
export type TranscriptFormat = keyof typeof FORMATS;

/**
 * - `opencode`: the daemon gives each changed row of its database as a JSON line `{table, row}`
 * - `cline`: the daemon gives the whole document as one JSON line
 * - the others: the bytes of the agent's file
 */
export function transcriptReader(format: TranscriptFormat): TranscriptReader {
  const rows = new RecordRows();
  const reader = new FORMATS[format]();
  const isNew = latestOnly();
  return {
    read: (bytes) =>
      rows
        .read(bytes)
        .flatMap((row): readonly RecordEntry[] =>
          typeof row === "string" ? [{ kind: "unknown", name: row }] : reader.read(row),
        )
        .filter(isNew),
  };
}

/** Reports a message again only when it has changed: agents write whole messages again, and some the whole conversation. */
export function latestOnly(): (entry: RecordEntry) => boolean {
  const known = new Map<string, string>();
  const encoder = new TextEncoder();
  return (entry) => {
    if (entry.kind === "taken-back") for (const id of entry.ids) known.delete(id);
    if (entry.kind !== "message") return true;
    // Copilot names a call when it is asked for, and when it begins.
    const bytes = encoder.encode(JSON.stringify({ ...entry, timeMs: 0 }));
    const content = `${bytes.length} ${crc32(bytes)}`;
    if (known.get(entry.id) === content) return false;
    forgetOldest(known.set(entry.id, content), MESSAGES_MAX);
    return true;
  };
}
