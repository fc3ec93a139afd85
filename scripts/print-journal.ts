/** Prints each record of a journal as a line: `node scripts/print-journal.ts DIRECTORY [OFFSET]`. It may be written meanwhile. */
import { escapeForDisplay } from "../src/core/text/escape.ts";
import { JournalReader } from "../src/journal/reader.ts";

const PAYLOAD_CHARACTERS_MAX = 200;

const [directory, from = "0"] = process.argv.slice(2);
if (directory === undefined || !/^\d+$/.test(from)) {
  console.error("Usage: node scripts/print-journal.ts DIRECTORY [OFFSET]");
  process.exit(2);
}
const reader = await JournalReader.open(directory);
for (let offset = Math.max(Number(from), reader.start); offset < reader.end;) {
  const { next, records } = await reader.read(offset);
  for (const record of records) {
    const text = Buffer.from(record.payload).toString("utf8");
    const shown = escapeForDisplay(text.slice(0, PAYLOAD_CHARACTERS_MAX));
    const time = new Date(record.timeUs / 1000).toISOString();
    console.log(record.offset, time, record.type, shown + (text.length > PAYLOAD_CHARACTERS_MAX ? "…" : ""));
  }
  if (next <= offset) break;
  offset = next;
}
