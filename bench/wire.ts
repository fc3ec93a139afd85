/**
 * End to end cost of `WireReader`, bytes in and turn out, against the floor of each dialect: eventsource-parser, one
 * JSON.parse for each event and a plain loop that gathers text and arguments and parses these at the end.
 *
 *     node --expose-gc bench/wire.ts              speed without a full collection and right after one; live memory
 *     node --expose-gc bench/wire.ts speed 11     speed only, in so many rounds
 *     node --expose-gc bench/wire.ts WireReader   live and resident memory of one kind, in a fresh process
 */
import { createParser } from "eventsource-parser";
import { SseReader } from "../src/core/sse/sse-reader.ts";
import type { Dialect } from "../src/core/wire/turn.ts";
import { WireReader } from "../src/core/wire/wire-reader.ts";
import { collect, sampledBy, samplings } from "./measure.ts";
import { tellFigure } from "./support/figure.ts";
import { chunksOf } from "./support/statistics.ts";
import { vendorStreams } from "./vendor-streams.ts";

interface Gathered {
  text: string;
  calls: Map<number, { name: string; text: string }>;
}

/* oxlint-disable typescript/no-explicit-any -- the floor trusts its input, which is the point of it */
type Plain = (event: any, gathered: Gathered) => void;

function add(gathered: Gathered, index: number, call: { name?: string; text?: string }): void {
  const known = gathered.calls.get(index) ?? { name: "", text: "" };
  if (call.name) known.name = call.name;
  known.text += call.text ?? "";
  gathered.calls.set(index, known);
}

const plainChat: Plain = (event, gathered) => {
  const delta = event.choices[0]?.delta;
  if (delta?.content) gathered.text += delta.content;
  for (const call of delta?.tool_calls ?? []) {
    add(gathered, call.index, { name: call.function.name, text: call.function.arguments });
  }
};

const plainResponses: Plain = (event, gathered) => {
  if (event.type === "response.output_text.delta") gathered.text += event.delta;
  else if (event.type === "response.output_item.added" && event.item.type === "function_call") {
    add(gathered, event.output_index, { name: event.item.name });
  } else if (event.type === "response.function_call_arguments.delta") {
    add(gathered, event.output_index, { text: event.delta });
  }
};

const plainAnthropic: Plain = (event, gathered) => {
  if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
    add(gathered, event.index, { name: event.content_block.name });
  } else if (event.type === "content_block_delta") {
    if (event.delta.type === "text_delta") gathered.text += event.delta.text;
    else add(gathered, event.index, { text: event.delta.partial_json });
  }
};

const plainGemini: Plain = (event, gathered) => {
  for (const part of event.candidates[0].content.parts) {
    if (part.text) gathered.text += part.text;
    else if (part.functionCall) {
      add(gathered, gathered.calls.size, {
        name: part.functionCall.name,
        text: JSON.stringify(part.functionCall.args),
      });
    }
  }
};

const plain: Record<Dialect, Plain> = {
  "openai-chat": plainChat,
  "openai-responses": plainResponses,
  anthropic: plainAnthropic,
  gemini: plainGemini,
};

function floorAssembler(read: Plain): { feed: (chunk: Uint8Array) => void; end: () => unknown } {
  const gathered: Gathered = { text: "", calls: new Map() };
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent(event) {
      if (event.data !== "[DONE]") read(JSON.parse(event.data), gathered);
    },
  });
  return {
    feed: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    end: () => [gathered.text, [...gathered.calls.values()].map((call) => JSON.parse(call.text || "{}") as unknown)],
  };
}

function floor(dialect: Dialect, chunks: readonly Uint8Array[]): unknown {
  const assembler = floorAssembler(plain[dialect]);
  for (const chunk of chunks) assembler.feed(chunk);
  return assembler.end();
}

let deltas = 0;

function ours(dialect: Dialect, chunks: readonly Uint8Array[]): unknown {
  const reader = new WireReader(dialect);
  for (const chunk of chunks) for (const delta of reader.feed(chunk)) if (delta.type !== "usage") deltas += 1;
  for (const delta of reader.end()) if (delta.type !== "usage") deltas += 1;
  return reader.turn;
}

console.log("end to end cost relative to the floor (lower is better), 3 calls of 16 KB, 2,000 tokens");
const isSpeedOnly = process.argv[2] === "speed";
const onlyKind = isSpeedOnly ? undefined : process.argv[2];
const rounds = Number(process.argv[3] ?? 11);
let worst = 0;
for (const [name, text] of vendorStreams({ textTokens: 2000, argumentsChars: 16_000 })) {
  if (name.includes(",") || onlyKind !== undefined) continue;
  const dialect = name as Dialect;
  for (const sampling of samplings) {
    const ratios = [256, 1500, 65_536].map((size) => {
      const chunks = chunksOf(new TextEncoder().encode(text), size);
      const { first, second } = sampledBy(sampling).compare(
        rounds,
        () => ours(dialect, chunks),
        () => floor(dialect, chunks),
      );
      if (sampling.name === "steady") worst = Math.max(worst, first / second);
      return `${size} B ${(first / second).toFixed(2)}`;
    });
    console.log(`${name}\t${sampling.name}\t${ratios.join("\t")}`);
  }
}

if (onlyKind === undefined)
  tellFigure({
    name: "stream to calls, the slowest dialect",
    value: worst,
    unit: "x the floor",
    better: "less",
    goal: 1.05,
  });

interface Memory {
  /** Heap and array buffers. */
  readonly live: number;
  readonly resident: number;
}

function used(): Memory {
  collect?.();
  collect?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { live: heapUsed + external, resident: rss };
}

/** Bytes for each of `count` open things, each fed one event and half of another. */
function bytesEach(count: number, open: () => unknown): Memory {
  const kept: unknown[] = Array.from({ length: count }, () => null);
  const before = used();
  for (let index = 0; index < count; index += 1) kept[index] = open();
  const after = used();
  if (kept.length !== count) throw new Error("kept for nothing");
  return { live: (after.live - before.live) / count, resident: (after.resident - before.resident) / count };
}

const firstEvent =
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}\n\n';
const idle = new TextEncoder().encode(firstEvent + firstEvent.slice(0, 66));

const kinds: readonly (readonly [name: string, target: number | null, open: () => unknown])[] = [
  [
    "SseReader",
    760,
    () => {
      const reader = new SseReader();
      reader.feed(idle);
      return reader;
    },
  ],
  [
    "eventsource-parser + TextDecoder",
    null,
    () => {
      const decoder = new TextDecoder();
      const parser = createParser({ onEvent: (event) => event });
      parser.feed(decoder.decode(idle, { stream: true }));
      return [decoder, parser];
    },
  ],
  [
    "WireReader",
    1550,
    () => {
      const reader = new WireReader("openai-chat");
      reader.feed(idle);
      return reader;
    },
  ],
  [
    "floor assembler",
    null,
    () => {
      const assembler = floorAssembler(plainChat);
      assembler.feed(idle);
      return assembler;
    },
  ],
];

if (collect === undefined) console.log("memory: run with --expose-gc");
else if (!isSpeedOnly) {
  for (const count of [10_000, 100_000]) {
    for (const [name, target, open] of kinds) {
      if (onlyKind !== undefined && name !== onlyKind) continue;
      bytesEach(1000, open);
      const { live, resident } = bytesEach(count, open);
      const residentText = onlyKind === undefined ? "" : `, ${resident.toFixed(0)} B resident`;
      const wanted = target === null ? "" : `\t(target ${target})`;
      console.log(`${count} idle\t${name}\t${live.toFixed(0)} B each${residentText}${wanted}`);
    }
  }
  const cycle = (): null => {
    const reader = new WireReader("openai-chat");
    reader.feed(idle);
    reader.end();
    return null;
  };
  bytesEach(10_000, cycle);
  console.log(
    `left by each of 10,000 open and close cycles\t${bytesEach(10_000, cycle).live.toFixed(1)} B\t(target 0)`,
  );
}
console.log(`(${deltas} deltas)`);
