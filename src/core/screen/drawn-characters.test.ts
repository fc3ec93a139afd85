import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnCharacter } from "./drawn-characters.ts";

const box = { x: 0, y: 0, width: 10, height: 20 };

/** Rectangles of a filled path as `left,top,right,bottom`. */
function rectangles(character: string): number[][] {
  const path = drawnCharacter(character, box)?.path ?? "";
  return [...path.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g)].map(([, ...numbers]) => {
    const [left = 0, top = 0, width = 0, height = 0] = numbers.map(Number);
    return [left, top, left + width, top + height];
  });
}

/** Which edges of the cell a character reaches, at its middle: up, right, down, left. */
function reaches(character: string): string {
  const all = rectangles(character);
  const edges = [
    ["u", ([left = 0, top, right = 0]: number[]) => top === 0 && left < 9 && right > 2],
    ["r", ([, , right]: number[]) => right === 10],
    ["d", ([, , , bottom]: number[]) => bottom === 20],
    ["l", ([left]: number[]) => left === 0],
  ] as const;
  return edges
    .filter(([, is]) => all.some((each) => is(each)))
    .map(([name]) => name)
    .join("");
}

test("lines reach the edges that their names say", () => {
  const expected = {
    "─": "rl",
    "│": "ud",
    "┌": "rd",
    "┐": "dl",
    "└": "ur",
    "⎿": "ur",
    "┘": "ul",
    "├": "urd",
    "┤": "udl",
  };
  for (const [character, edges] of Object.entries(expected)) assert.equal(reaches(character), edges, character);
  for (const character of "┼╋╬╪╫") assert.equal(reaches(character), "urdl", character);
  for (const [index, character] of [..."╔╗╚╝"].entries())
    assert.equal(reaches(character), ["rd", "dl", "ur", "ul"][index], character);
  for (const [index, character] of [..."╴╵╶╷"].entries()) assert.equal(reaches(character), "lurd"[index], character);
});

test("the two lines of a double corner go round it, one outside the other", () => {
  assert.deepEqual(rectangles("╔"), [
    [7, 12, 10, 13],
    [3, 8, 10, 9],
    [3, 8, 4, 20],
    [7, 12, 8, 20],
  ]);
});

test("blocks fill their part of the cell", () => {
  assert.deepEqual(rectangles("█"), [[0, 0, 10, 20]]);
  assert.deepEqual(rectangles("▀"), [[0, 0, 10, 10]]);
  assert.deepEqual(rectangles("▂"), [[0, 15, 10, 20]]);
  assert.deepEqual(rectangles("▌"), [[0, 0, 5, 20]]);
  assert.deepEqual(rectangles("▚"), [
    [0, 0, 5, 10],
    [5, 10, 10, 20],
  ]);
  assert.equal(drawnCharacter("▒", box)?.opacity, 0.5);
});

test("all lines, blocks and dots are drawn inside of their cell, and nothing else is", () => {
  for (let code = 0x2500; code <= 0x259f; code += 1) {
    const character = String.fromCharCode(code);
    assert.ok(drawnCharacter(character, box)?.path, character);
    for (const [left = -1, top = -1, right = 99, bottom = 99] of rectangles(character))
      assert.ok(left >= 0 && top >= 0 && right <= 10.001 && bottom <= 20.001, character);
  }
  assert.equal(drawnCharacter("⣿", box)?.path.match(/M/g)?.length, 8);
  assert.equal(drawnCharacter("⠀", box)?.path, "");
  for (const character of "⏴⏵⏶⏷⏸⏹⏺") assert.ok(drawnCharacter(character, box)?.path, character);
  for (const character of ["a", "", "●", "👍", "┌\u0301"]) assert.equal(drawnCharacter(character, box), undefined);
});
