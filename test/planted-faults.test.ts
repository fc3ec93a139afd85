/** What `scripts/planted-faults.ts` may plant, and which tests it asks first. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { drawnPlaces, placesOf } from "../scripts/planted-faults/places.ts";
import { TestOrder } from "../scripts/planted-faults/tests-of.ts";

const source = `import { one } from "./1 < 2.ts"; // a < b
export function first(items: readonly string[], from: 0 | 1): string | undefined {
  if (items.length < 2 || !items.some((item) => /a === b/.test(item))) return undefined;
  log(\`1 === \${items.length > 9}\`);
  one({ 3: true });
  return items[Math.max(from, 30_000)];
}
`;

const planted = (): string[] =>
  placesOf("first.ts", source).map(({ start, end, text }) => `${source.slice(start, end)} -> ${text}`);

test("places are in code, not in types, imports, strings, patterns, comments and keys", () => {
  assert.deepEqual(planted().toSorted(), [
    "! -> ",
    "2 -> 3",
    "9 -> 10",
    "< -> <=",
    "> -> >=",
    "items.length < 2 || !items.some((item) => /a === b/.test(item)) -> !(items.length < 2 || !items.some((item) => /a === b/.test(item)))",
    "items[Math.max(from, 30_000)] -> undefined",
    "max -> min",
    "one({ 3: true }); -> ;",
    "some -> every",
    "true -> false",
    "|| -> &&",
  ]);
});

test("a draw has all places, the same in each run, and does not depend on the lines above", () => {
  const texts = (given: string): string[] =>
    drawnPlaces(1, "first.ts", given).map(({ operator, text }) => operator + text);
  assert.equal(texts(source).length, planted().length);
  assert.deepEqual(texts(`// added\n${source}`), texts(source));
  assert.notDeepEqual(
    drawnPlaces(2, "first.ts", source).map(({ text }) => text),
    drawnPlaces(1, "first.ts", source).map(({ text }) => text),
  );
});

test("the test beside a file is asked first, and end-to-end tests only about what starts a process", () => {
  const order = new TestOrder(resolve(import.meta.dirname, ".."));
  const gate = order.testsOf("src/core/gate/audited-gate.ts");
  assert.equal(gate[0]?.file, "src/core/gate/audited-gate.test.ts");
  assert.ok(gate.every(({ stage }) => stage === "unit"));
  const stages = order.testsOf("src/journal/writer.ts").map(({ stage }) => stage);
  assert.equal(stages[0], "real");
  assert.equal(stages.at(-1), "e2e");
});
