import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { compileAgent } from "./compile.ts";
import { screenRuleOf, titleRuleOf } from "./fitting-rule.ts";
import { nativePattern } from "./pattern.ts";

const agent = compileAgent(
  {
    name: "zorp",
    titles: {
      name: { pattern: "^zorp", identifies: true },
      busy: { pattern: "busy$", state: "working" },
    },
    screen: {
      any: { in: "end", rows: 1, pattern: "z", state: "working" },
      own: { in: "end", rows: 1, pattern: "zorp", state: "waiting", identifies: true },
    },
  },
  { compile: nativePattern },
);

test("of the rules for titles the first with a state counts, else the first that fits", () => {
  assert.equal(titleRuleOf(agent, "zorp busy")?.name, "busy");
  assert.equal(titleRuleOf(agent, "zorp")?.name, "name");
  assert.equal(titleRuleOf(agent, "zorp busy", { identifies: true })?.name, "name");
  assert.equal(titleRuleOf(agent, ""), null);
});

test("of the rules for the screen the first that fits counts, or the first that identifies the agent", () => {
  const { lines } = frameOf("hello\nzorp ");
  const found = screenRuleOf(agent, { lines, box: null });
  assert.deepEqual([found?.rule.name, found?.text], ["any", "z"]);
  assert.equal(screenRuleOf(agent, { lines, box: null }, { identifies: true })?.rule.name, "own");
  assert.equal(screenRuleOf(agent, { lines: [], box: null }), null);
});
