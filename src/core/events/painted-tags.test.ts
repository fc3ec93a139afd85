import assert from "node:assert/strict";
import { test } from "node:test";
import { PaintedTags } from "./painted-tags.ts";

const encoder = new TextEncoder();

/** Output in which `A` and `B` are tags of one byte; returns those that are new. In pieces of `size` bytes, saved and restored between them. */
function news(output: string, size = Number.POSITIVE_INFINITY): string {
  const bytes = encoder.encode(output);
  let painted = new PaintedTags();
  let found = "";
  for (let offset = 0; offset < bytes.length; offset += size) {
    const chunk = bytes.subarray(offset, offset + size);
    const tags = [...output.slice(offset, offset + size).matchAll(/[AB]/g)].filter(
      ({ index }) => !/\[\d*$/.test(output.slice(0, offset + index)),
    );
    const sightings = tags.map(({ 0: key, index }) => ({ key, offset: offset + index, end: offset + index + 1 }));
    const repaints = painted.areRepaints(sightings, chunk, offset);
    found += sightings.flatMap(({ key }, index) => (repaints[index] === true ? [] : [key])).join("");
    painted = new PaintedTags(JSON.parse(JSON.stringify(painted.save())));
  }
  return found;
}

test("a tag that is printed twice is two, one that is painted again is one, at any size of chunks", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["A\r\nA\r\n", "AA"],
    ["A\u001b[31m\u001b[K\r\nA", "AA"],
    ["A\u001b[2;1HA\u001b[HA", "A"],
    ["A\u001b[1A\rA", "A"],
    ["A\u001bMA", "A"],
    ["A\u001b[2JA", "A"],
    ["A\u001b[JA", "AA"],
    ["A\u001b[?1049hA", "A"],
    ["A\u001b[HB\r\nB\u001b[HA B", "ABB"],
    ["\u001b[HA\r\nA", "AA"],
    ["A\u001b[HA\r\nA", "AA"],
  ];
  for (const [output, expected] of cases)
    for (const size of [1, 2, 3, 100]) assert.equal(news(output, size), expected, JSON.stringify([output, size]));
});

test("clear makes the next one new", () => {
  const painted = new PaintedTags();
  const see = (offset: number): boolean[] =>
    painted.areRepaints([{ key: "A", offset, end: offset + 1 }], encoder.encode("A\u001b[H"), offset);
  assert.deepEqual(see(0), [false]);
  assert.deepEqual(see(4), [true]);
  painted.clear();
  assert.deepEqual(see(8), [false]);
});
