import assert from "node:assert/strict";
import { test } from "node:test";
import { colourText, darkColours, mix } from "./palette.ts";

test("colours are named ones, a cube, greys and true ones", () => {
  const texts = [1, 16, 21, 110, 196, 231, 232, 255, 0x1010203].map((colour) => colourText(colour, darkColours));
  const cube = ["#000000", "#0000ff", "#87afd7", "#ff0000", "#ffffff"];
  assert.deepEqual(texts, ["#ee7b70", ...cube, "#080808", "#eeeeee", "#010203"]);
});

test("a mixture stands between its two colours", () => {
  assert.equal(mix("#ffffff", "#000000", 0.5), "#808080");
  assert.equal(mix("#102030", "#ffffff", 1), "#102030");
});
