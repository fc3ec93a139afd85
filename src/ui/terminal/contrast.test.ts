import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, mixRgb, readable, type Rgb } from "./contrast.ts";

test("the contrast is that of WCAG", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.equal(contrast([12, 34, 56], [12, 34, 56]), 1);
  assert.equal(contrast([119, 119, 119], [255, 255, 255]).toFixed(2), "4.48");
});

test("text becomes readable on every ground, and what is readable stays as it is", () => {
  const levels = [0, 64, 128, 192, 255];
  const colours = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue): Rgb => [red, green, blue])));
  for (const ground of colours) {
    for (const text of colours) {
      const shown = readable(text, ground, 4.5);
      assert.ok(contrast(shown, ground) >= 4.5, `${text.join(",")} on ${ground.join(",")}`);
      if (contrast(text, ground) >= 4.5) assert.deepEqual(shown, text);
    }
  }
});

test("a colour is mixed by parts", () => {
  assert.deepEqual(mixRgb([255, 255, 255], [0, 0, 0], 0.6), [153, 153, 153]);
});
