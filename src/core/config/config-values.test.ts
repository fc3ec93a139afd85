import assert from "node:assert/strict";
import { test } from "node:test";
import { choice, duration, flag, texts } from "./config-key.ts";
import { keysOf } from "./config-section.ts";
import { dataAt, sectionValue, sourcedValue, valueOfEntry } from "./config-values.ts";

const summary = "A key.";
const door = {
  summary: "A door.",
  keys: {
    open: flag({ summary, default: false }),
    colour: choice(["red", "blue"], { summary, default: "red", project: "sets", environment: "DOOR_COLOUR" }),
    lock: choice(["thin", "thick"], { summary, default: undefined, project: "adds" }),
    wait: duration({ summary, default: "5m" }),
  },
};

test("a section has its defaults, and what the files have", () => {
  assert.deepEqual(valueOfEntry("door", door, { user: {} }), {
    open: false,
    colour: "red",
    lock: undefined,
    wait: 300_000,
  });
  assert.deepEqual(valueOfEntry("door", door, { user: { door: { open: true, wait: "1s" } } }), {
    open: true,
    colour: "red",
    lock: undefined,
    wait: 1000,
  });
  assert.deepEqual(valueOfEntry("bells", texts({ summary }), { user: { bells: ["low"] } }), ["low"]);
  assert.equal(sectionValue("listen", { user: {} }).port, 7433);
});

test("the environment wins over the project, the project over the user, unless it may only add", () => {
  const from = (name: string, layers: Parameters<typeof sourcedValue>[1]): string => {
    const key = keysOf("door", door).find(({ path }) => path[1] === name);
    assert.ok(key !== undefined);
    const { value, from: source } = sourcedValue(key, layers);
    return `${String(value)} ${source}`;
  };
  const project = { door: { open: true, colour: "blue", lock: "thin" } };
  assert.equal(from("colour", { user: { door: { colour: "red" } }, project }), "blue project");
  assert.equal(from("colour", { user: {}, project, environment: { DOOR_COLOUR: "red" } }), "red environment");
  assert.equal(from("colour", { user: {}, project, environment: { DOOR_COLOUR: "green" } }), "blue project");
  assert.equal(from("lock", { user: { door: { lock: "thick" } }, project }), "thick user");
  assert.equal(from("lock", { user: {}, project }), "thin project");
  assert.equal(from("open", { user: {}, project }), "false default");
});

test("names of the prototype are no data", () => {
  assert.equal(dataAt({}, ["constructor", "name"]), undefined);
  assert.equal(dataAt({ door: {} }, ["door", "constructor"]), undefined);
});
