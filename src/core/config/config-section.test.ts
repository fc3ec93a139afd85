import assert from "node:assert/strict";
import { test } from "node:test";
import { flag, texts } from "./config-key.ts";
import { isSection, keysOf } from "./config-section.ts";

test("the keys of a section are named from the top, and a section that is one value is its own key", () => {
  const map = { summary: "A map.", keys: { on: flag({ default: false, summary: "On." }) } };
  assert.deepEqual(
    keysOf("map", map).map(({ path }) => path),
    [["map", "on"]],
  );
  const list = texts({ summary: "A list." });
  assert.deepEqual(
    keysOf("list", list).map(({ path }) => path),
    [["list"]],
  );
  assert.deepEqual([isSection(map), isSection(list)], [true, false]);
});
