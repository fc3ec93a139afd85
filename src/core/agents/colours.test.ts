import assert from "node:assert/strict";
import { test } from "node:test";
import { isAccent, isColourless, isGrey, isOrange, isRed } from "./colours.ts";

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

test("red is not orange", () => {
  for (const colour of [1, 9, 160, 168, trueColour(0xe0_6c_75)])
    assert.deepEqual([isRed(colour), isOrange(colour)], [true, false], `${colour}`);
  for (const colour of [214, 215, trueColour(0xf5_a7_42)])
    assert.deepEqual([isRed(colour), isOrange(colour)], [false, true], `${colour}`);
  for (const colour of [-1, 3, 7, 252, trueColour(0xee_ee_ee)])
    assert.deepEqual([isRed(colour), isOrange(colour)], [false, false], `${colour}`);
});

test("an accent is blue, cyan or purple, and no colour of a state", () => {
  for (const colour of [4, 6, 12, 13, 33, trueColour(0x44_93_f8), trueColour(0x3b_78_ff), trueColour(0xb4_8e_f0)])
    assert.equal(isAccent(colour), true, `${colour}`);
  for (const colour of [
    -1,
    1,
    2,
    3,
    7,
    8,
    15,
    240,
    trueColour(0xe0_6c_75),
    trueColour(0xf9_f1_a5),
    trueColour(0x3f_b9_50),
  ])
    assert.equal(isAccent(colour), false, `${colour}`);
});
