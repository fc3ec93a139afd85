/**
 * Speed of `SseReader` against eventsource-parser 4 behind a TextDecoder, bytes in and events out, in one process, in
 * interleaved rounds; the ratio is of the thread's CPU time in the round in the middle, above 1 where ours is faster.
 *
 *     node --expose-gc bench/sse.ts [rounds=11]   without a full collection, and each sample right after one
 */
import { createParser } from "eventsource-parser";
import { SseReader } from "../src/core/sse/sse-reader.ts";
import { compare, cost, sampledBy, samplings } from "./measure.ts";
import { tellFigure } from "./support/figure.ts";
import { chunksOf } from "./support/statistics.ts";
import { vendorStreams } from "./vendor-streams.ts";

const rounds = Number(process.argv[2] ?? 11);
const encoder = new TextEncoder();

function ours(chunks: readonly Uint8Array[]): number {
  const reader = new SseReader({ eventBytesMax: 64 * 1024 * 1024 });
  let characters = 0;
  for (const chunk of chunks) for (const event of reader.feed(chunk)) characters += event.data.length;
  return characters;
}

function peer(chunks: readonly Uint8Array[]): number {
  const decoder = new TextDecoder();
  let characters = 0;
  const parser = createParser({
    onEvent(event) {
      characters += event.data.length;
    },
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return characters;
}

console.log("speed relative to eventsource-parser 4 + TextDecoder (higher is better)");
const goals = new Map([
  [16, 3],
  [256, 2],
  [1500, 1.5],
  [65_536, 1.2],
]);
for (const [chunkBytes, goal] of goals) {
  let worst = Number.POSITIVE_INFINITY;
  for (const [name, text] of vendorStreams({ textTokens: 4000, argumentsChars: 60_000 })) {
    const chunks = chunksOf(encoder.encode(text), chunkBytes);
    const ratios = samplings.map((sampling) => {
      const { first, second } = sampledBy(sampling).compare(
        rounds,
        () => ours(chunks),
        () => peer(chunks),
      );
      if (sampling.name === "steady") worst = Math.min(worst, second / first);
      return `${sampling.name} ${(second / first).toFixed(2)}`;
    });
    console.log(`${chunkBytes} B\t${name}\t${ratios.join("\t")}`);
  }
  const name = `SSE in pieces of ${chunkBytes} B, the slowest stream`;
  tellFigure({ name, value: worst, unit: "x eventsource-parser", better: "more", goal });
}

function line(mebibytes: number): Uint8Array[] {
  return chunksOf(encoder.encode(`data: ${"x".repeat(mebibytes * 1024 * 1024)}\n\n`), 1460);
}

function burst(events: number): Uint8Array[] {
  return [encoder.encode('data: {"choices":[{"index":0,"delta":{"content":" word"}}]}\n\n'.repeat(events))];
}

const bigLine = line(16);
const bigLineCost = compare(
  7,
  () => ours(bigLine),
  () => peer(bigLine),
);
console.log(
  `one 16 MiB line, cost relative to the peer\t${(bigLineCost.first / bigLineCost.second).toFixed(2)}\t(target 1.5)`,
);

function exponent(name: string, sizes: readonly [number, number], make: (size: number) => Uint8Array[]): void {
  const [small, large] = [make(sizes[0]), make(sizes[1])];
  const growth = cost(7, () => ours(large)) / cost(21, () => ours(small));
  console.log(`exponent, ${name}\t${(Math.log(growth) / Math.log(sizes[1] / sizes[0])).toFixed(2)}\t(target 1.15)`);
}

exponent("line of 1 to 16 MiB", [1, 16], line);
exponent("burst of 10,000 to 100,000 events", [10_000, 100_000], burst);
