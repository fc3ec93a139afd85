/**
 * Cost of `JsonReader` against jsonriver, JSON in deltas of 20 characters, the live value read after each delta.
 *
 *     node --expose-gc bench/json.ts [rounds=15]   without a full collection, and each sample right after one
 */
import { parse } from "jsonriver";
import { heal } from "../src/core/json/heal.ts";
import { JsonReader } from "../src/core/json/json-reader.ts";
import { compare, cost, sampledBy, samplings } from "./measure.ts";
import { tellFigure } from "./support/figure.ts";

function writeFile(chars: number): string {
  let content = "";
  for (let index = 0; content.length < chars; index += 1) content += `const value${index} = read("file-${index}");\n`;
  return JSON.stringify({ path: "src/main.ts", content: content.slice(0, chars) });
}

function edits(chars: number): string {
  const all = [];
  for (let length = 0; length < chars; length += 90) {
    all.push({ old_string: `let a${length} = 1;`, new_string: `const a${length} = "2";\n`, line: length, all: false });
  }
  return JSON.stringify({ path: "src/main.ts", edits: all });
}

function deltasOf(text: string): string[] {
  const deltas = [];
  for (let start = 0; start < text.length; start += 20) deltas.push(text.slice(start, start + 20));
  return deltas;
}

const roundsMax = Number(process.argv[2] ?? 15);

const shapes = [
  ["write_file", writeFile],
  ["edits", edits],
] as const;

let seen = 0;

async function ours(deltas: readonly string[]): Promise<void> {
  const reader = new JsonReader();
  for (const delta of deltas) {
    reader.feed(delta);
    if (reader.value !== undefined) seen += 1;
  }
  if (!reader.end().ok) throw new Error("the text is not JSON");
  return Promise.resolve();
}

async function* streamOf(deltas: readonly string[]): AsyncGenerator<string> {
  yield* deltas;
}

async function jsonriver(deltas: readonly string[]): Promise<void> {
  for await (const value of parse(streamOf(deltas))) if (value !== undefined) seen += 1;
}

console.log("cost relative to jsonriver 1.1 (lower is better)");
for (const [name, make] of shapes) {
  for (const [size, rounds] of [
    [100_000, 15],
    [1_000_000, 7],
  ] as const) {
    const deltas = deltasOf(make(size));
    for (const sampling of samplings) {
      const { first, second } = await sampledBy(sampling).compareAsync(
        Math.min(rounds, roundsMax),
        () => ours(deltas),
        () => jsonriver(deltas),
      );
      console.log(`${name}\t${size / 1000} KB\t${sampling.name}\t${(first / second).toFixed(3)}`);
      if (sampling.name !== "steady") continue;
      const figure = `JSON of ${name}, ${size / 1000} KB`;
      tellFigure({ name: figure, value: first / second, unit: "x jsonriver", better: "less", goal: 0.15 });
    }
  }
  const [small, large] = [deltasOf(make(25_000)), deltasOf(make(1_000_000))];
  const growth = cost(9, () => void ours(large)) / cost(21, () => void ours(small));
  console.log(`${name}\texponent 25 KB to 1 MB\t${(Math.log(growth) / Math.log(40)).toFixed(2)}\t(target 1.10)`);
}

/** Milliseconds of each `feed`, and of `end` last. */
function steps(text: string, deltaChars: number): number[] {
  const reader = new JsonReader();
  const times: number[] = [];
  for (let start = 0; start < text.length; start += deltaChars) {
    const delta = text.slice(start, start + deltaChars);
    const before = performance.now();
    reader.feed(delta);
    times.push(performance.now() - before);
  }
  const before = performance.now();
  reader.end();
  return [...times, performance.now() - before];
}

/** The longest step: the best of some runs of each, so that other programs on the machine are not measured. */
function longestStep(text: string, deltaChars: number): number {
  let best = steps(text, deltaChars);
  for (let round = 0; round < 6; round += 1) {
    const again = steps(text, deltaChars);
    best = best.map((time, index) => Math.min(time, again[index]!));
  }
  return best.reduce((longest, time) => Math.max(longest, time), 0);
}

for (const [name, make] of shapes) {
  const text = make(4_000_000);
  for (const deltaChars of [20, 65_536, text.length]) {
    const longest = longestStep(text, deltaChars).toFixed(2);
    console.log(`4 MB ${name} in pieces of ${deltaChars}\tlongest step ${longest} ms\t(target 5)`);
  }
}

const brackets = "[".repeat(200_000);
console.log(`200,000 open brackets refused in ${cost(21, () => heal(brackets)).toFixed(3)} ms (target 20)`);

const whole = writeFile(16_000);
const { first, second } = compare(
  15,
  () => heal(whole),
  () => JSON.parse(whole) as unknown,
);
console.log(`heal of a whole text of 16 KB, cost relative to JSON.parse\t${(first / second).toFixed(2)}`);
console.log(`(${seen} looks)`);
