import assert from "node:assert/strict";
import { test } from "node:test";
import { WindowSizes } from "./session-entry.ts";

const wide = { columns: 200, rows: 50 };
const narrow = { columns: 45, rows: 30 };

test("a window counts when its viewer types, and the latest one decides", () => {
  const sizes = new WindowSizes();
  const [desk, phone] = [{}, {}];
  sizes.setWindow(desk, wide);
  sizes.setWindow(phone, narrow);
  assert.equal(sizes.latest, undefined);
  sizes.take(phone);
  assert.equal(sizes.latest, narrow);
  sizes.take(desk);
  assert.equal(sizes.latest, wide);
});

test("when the viewer that decides leaves, the one that typed before it decides, then nobody", () => {
  const sizes = new WindowSizes();
  const [desk, phone, idle] = [{}, {}, {}];
  sizes.setWindow(desk, wide);
  sizes.setWindow(phone, narrow);
  sizes.setWindow(idle, { columns: 1, rows: 1 });
  sizes.take(desk);
  sizes.take(phone);
  sizes.leave(idle);
  assert.equal(sizes.latest, narrow);
  sizes.leave(phone);
  assert.equal(sizes.latest, wide);
  sizes.leave(desk);
  assert.equal(sizes.latest, undefined);
});

test("a viewer without a window types and decides nothing", () => {
  const sizes = new WindowSizes();
  const [desk, program] = [{}, {}];
  sizes.setWindow(desk, wide);
  sizes.take(desk);
  sizes.take(program);
  assert.equal(sizes.latest, wide);
});

test("after a size was given to the session, no window counts before somebody types", () => {
  const sizes = new WindowSizes();
  const desk = {};
  sizes.setWindow(desk, wide);
  sizes.take(desk);
  sizes.clear();
  assert.equal(sizes.latest, undefined);
  sizes.take(desk);
  assert.equal(sizes.latest, wide);
});
