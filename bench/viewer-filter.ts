/**
 * `ViewerFilter` against decoding, `strip-ansi` and encoding again: the nearest thing to a filter that peers have, though it removes all.
 * From bytes to bytes, in chunks of 16 KiB.
 *
 *   node bench/viewer-filter.ts
 */
import stripAnsi from "strip-ansi";
import { ViewerFilter } from "../src/core/text/viewer-filter.ts";
import { recordedOutput } from "../test/recordings.ts";
import { compare, report } from "./support/peers.ts";
import { chunksOf } from "./support/statistics.ts";

const CHUNK_BYTES = 16_384;

const inputs: Readonly<Record<string, Buffer>> = {
  "plain text": Buffer.from("the quick brown fox jumps over the lazy dog, again and again\r\n".repeat(16_384)),
  "plain text beyond ASCII": Buffer.from("zażółć gęślą jaźń — ✓ 日本語 jumps over the lazy dog\r\n".repeat(16_384)),
  "escape-heavy": Buffer.from("\u001B[32;1mfile.ts\u001B[0m  \u001B[01;34msrc\u001B[0m\u001B[K\r\n".repeat(16_384)),
  "screen of Claude Code": Buffer.from(recordedOutput("claude-events-80x24.cast")),
};

for (const [title, input] of Object.entries(inputs)) {
  const chunks = chunksOf(input, CHUNK_BYTES);
  const ours = (): number => {
    const filter = new ViewerFilter({ mode: "live" });
    return chunks.reduce((length, chunk) => length + filter.feed(chunk).length, 0);
  };
  const peer = (): number => {
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    return chunks.reduce(
      (length, chunk) => length + encoder.encode(stripAnsi(decoder.decode(chunk, { stream: true }))).length,
      0,
    );
  };
  const contenders = [
    { name: "ViewerFilter", run: ours },
    { name: "strip-ansi", run: peer },
  ];
  report(title, compare(contenders, input.length));
}
