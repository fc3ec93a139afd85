/**
 * Plays histories one by one, and counts what differs after which windows.
 *
 *     node test/chat-histories/main.ts [--trace] [--end] SEED [COUNT]
 *
 * `--end`: compares with the truth only at the end, as the test does.
 */
import { play, Violation } from "./check.ts";
import { historyOf } from "./history.ts";

const [from = 1, count = 1] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("-"))
  .map(Number);
const isEach = !process.argv.includes("--end");
const trace = process.argv.includes("--trace") ? (line: string): void => console.log(line) : undefined;
const kinds = new Map<string, number>();
for (let seed = from; seed < from + count; seed += 1) {
  const { shots } = historyOf(seed);
  const found = findingOf(seed);
  if (found === null) continue;
  const at = Number(/^window (\d+)/.exec(found)?.[1] ?? shots.length);
  const screen = shots[0]?.frame.isAlternate === true ? "alternate" : "normal";
  const near = shots.slice(Math.max(0, at - 1), at + 1).map(({ name }) => name);
  const kind = `${screen}, ${near.join(", ")}: ${/silently|lost words|moved|another role|twice/.exec(found)?.[0]}`;
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  console.log(`seed ${seed}: ${kind}, ${found.slice(0, 200)}`);
}
for (const [kind, times] of [...kinds].toSorted((one, other) => other[1] - one[1])) console.log(`${times} ${kind}`);

function findingOf(seed: number): string | null {
  try {
    return play(historyOf(seed), { isEach, ...(trace && { trace }) }).fault;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}
