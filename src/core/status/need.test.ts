import assert from "node:assert/strict";
import { test } from "node:test";
import { needOf } from "./need.ts";
import { STATUS_STATES } from "./status.ts";

test("needOf: a question needs an answer, an agent at rest a prompt, and a shell at rest nothing", () => {
  const needs = (agent: string | null): string => STATUS_STATES.map((state) => needOf({ state, agent })).join(" ");
  assert.equal(needs("claude"), "nothing nothing prompt answer nothing nothing nothing");
  assert.equal(needs(null), "nothing nothing nothing answer nothing nothing nothing");
});
