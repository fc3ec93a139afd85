/**
 * `TagScanner` against `Buffer.indexOf` of the tag's beginning in the same bytes, without any tag in them, in chunks of 64 KiB.
 * Then input made to be slow: time per megabyte at two sizes, which a linear scanner keeps constant.
 *
 *   node bench/tags.ts
 */
import { readFileSync } from "node:fs";
import { TagScanner } from "../src/core/events/tag-scanner.ts";
import { recordedOutput } from "../test/recordings.ts";
import { compare, report } from "./support/peers.ts";
import { chunksOf } from "./support/statistics.ts";

const CHUNK_BYTES = 65_536;
const INPUT_BYTES = 4_194_304;

function repeatToBytes(text: string, bytes = INPUT_BYTES): Buffer {
  return Buffer.from(text.repeat(Math.ceil(bytes / text.length)));
}

function scan(chunks: readonly Uint8Array[]): number {
  const scanner = new TagScanner();
  let items = 0;
  let offset = 0;
  for (const chunk of chunks) {
    items += scanner.feed(chunk, { offset, timeMs: 0 }).length;
    offset += chunk.length;
  }
  return items + scanner.end().length;
}

const colours = "-rw-r--r-- 1 user \u001B[32;1mfile.ts\u001B[0m  \u001B[01;34msrc\u001B[0m\r\n";
const inputs: Readonly<Record<string, Buffer>> = {
  "plain text": repeatToBytes("the quick brown fox jumps over the lazy dog, again and again and again\r\n"),
  "escape-heavy text": repeatToBytes(colours),
  "source code": repeatToBytes(
    readFileSync(new URL("../src/core/events/tag-scanner.ts", import.meta.url), "utf8").replaceAll(
      "FORGE_EVENT",
      "OTHER",
    ),
  ),
  HTML: repeatToBytes('<li class="a"><a href="/x">text of a link</a> and <b>more</b></li>\n'),
  "screen of Claude Code": repeatToBytes(
    Buffer.from(recordedOutput("claude-events-80x24.cast")).toString("latin1").replaceAll("FORGE", "OTHER"),
  ),
};

for (const [title, input] of Object.entries(inputs)) {
  const chunks = chunksOf(input, CHUNK_BYTES);
  const copies = chunks.map((chunk) => new Uint8Array(chunk));
  const search = (): number => chunks.reduce((found, chunk) => found + chunk.indexOf("<FORGE_EVENT"), 0);
  report(
    title,
    compare(
      [
        { name: "TagScanner", run: () => scan(chunks) },
        { name: "Buffer.indexOf", run: search },
        { name: "TagScanner on Uint8Array", run: () => scan(copies) },
      ],
      input.length,
    ),
  );
}

const adversaries: Readonly<Record<string, string>> = {
  "<FORGE_EVEN": "<FORGE_EVEN",
  "unclosed start tags": '<FORGE_EVENT name="A">{"x":1,',
  "half end tags in a body": "</FORGE_EVEN",
  "endless heads": '<FORGE_EVENT name="',
  "escape sequences in a name": "<F\u001B[1mO\u001B[m",
};

for (const [title, unit] of Object.entries(adversaries)) {
  const perMegabyte = [1_048_576, 11_534_336].map((bytes) => {
    const head = title.includes("body") ? '<FORGE_EVENT name="A">' : "";
    const chunks = chunksOf(Buffer.concat([Buffer.from(head), repeatToBytes(unit, bytes)]), CHUNK_BYTES);
    const before = process.memoryUsage().arrayBuffers;
    const start = performance.now();
    scan(chunks);
    const milliseconds = performance.now() - start;
    const heldBytes = process.memoryUsage().arrayBuffers - before;
    return `${((milliseconds * 1_048_576) / bytes).toFixed(1)} ms/MiB (${(bytes / 1_048_576).toFixed(0)} MiB, ${(heldBytes / 1_048_576).toFixed(1)} MiB of buffers)`;
  });
  console.log(`${title}: ${perMegabyte.join(", ")}`);
}
