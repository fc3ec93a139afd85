import assert from "node:assert/strict";
import { test } from "node:test";
import { isColourless, isGrey, isRed } from "./colours.ts";

const trueColour = (rgb: number): number => 0x1000000 + rgb;

test("greys are greys as names, in the cube, in the greys and as true colours", () => {
  for (const grey of [7, 8, 102, 245, trueColour(0x80_88_90)]) assert.equal(isGrey(grey), true, `${grey}`);
  for (const other of [-1, 1, 15, 196, 231, trueColour(0x40_80_c0)]) assert.equal(isGrey(other), false, `${other}`);
});

test("numbers of rows are colourless, and white is not", () => {
  for (const colour of [8, 59, 240, trueColour(0x3d_41_49)]) assert.equal(isColourless(colour), true, `${colour}`);
  for (const colour of [-1, 2, 15, 220, 231, trueColour(0xff_d7_00)])
    assert.equal(isColourless(colour), false, `${colour}`);
});

test("reds are errors, and orange is not", () => {
  for (const colour of [1, 9, 160, 203 - 7, trueColour(0xe0_40_50)]) assert.equal(isRed(colour), true, `${colour}`);
  for (const colour of [-1, 3, 214, trueColour(0xf5_a7_42)]) assert.equal(isRed(colour), false, `${colour}`);
});
