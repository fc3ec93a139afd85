import assert from "node:assert/strict";
import { test } from "node:test";
import { choice, duration, flag, configKey, size, text, texts, wholeNumber } from "./config-key.ts";

const summary = "A key.";

test("a key has its default where there is no data", () => {
  assert.equal(flag({ summary, default: true }).read(undefined), true);
  assert.equal(text({ summary, default: undefined }).read(undefined), undefined);
  assert.deepEqual(texts({ summary }).read(undefined), []);
  assert.equal(wholeNumber({ summary, default: 3, minimum: 1, maximum: 9 }).read(4), 4);
  assert.equal(choice(["on", "off"], { summary, default: "off" }).read(undefined), "off");
});

test("times are read in milliseconds and sizes in bytes, also those of defaults", () => {
  const wait = duration({ summary, default: "10m" });
  assert.deepEqual([wait.read(undefined), wait.read("20s"), wait.read(2)], [600_000, 20_000, 2000]);
  assert.deepEqual(wait.problems("20 sec"), [
    { path: [], message: 'is "20 sec", wanted a time such as `20s`, `5m` or `2h`' },
  ]);
  assert.equal(size({ summary, default: undefined }).read(undefined), undefined);
  assert.equal(size({ summary, default: "1G" }).read("64K"), 65_536);
  assert.equal(size({ summary, default: "1G" }).problems("1X").length, 1);
});

test("a key of any form is read by its own function", () => {
  const words = configKey({
    summary,
    type: "words",
    schema: { type: "string" },
    default: "a b",
    read: (data) => String(data).split(" "),
  });
  assert.deepEqual([words.read(undefined), words.read("c")], [["a", "b"], ["c"]]);
  assert.deepEqual(words.problems("c"), []);
});
