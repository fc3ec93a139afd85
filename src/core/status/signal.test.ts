import assert from "node:assert/strict";
import { test } from "node:test";
import { weigh, type Signal } from "./signal.ts";

const signal = (
  kind: Signal["kind"],
  says: Signal["says"],
  allows: Signal["allows"] = [says],
  isFirm = true,
): Signal => ({ kind, says, allows, isFirm, text: `${kind} ${says}`, rule: null, offset: 0, timeUs: 0 });
const told = (...signals: readonly Signal[]): string => {
  const { state, evidence } = weigh(signals);
  return `${state}: ${evidence.map(({ signal: kind, says, isDecisive }) => `${kind}=${says}${isDecisive ? "!" : ""}`).join(" ")}`;
};

test("the most trusted decides, what contradicts it is kept", () => {
  assert.equal(told(signal("screen", "waiting"), signal("title", "working")), "working: title=working! screen=waiting");
});

test("a weaker signal chooses among what a stronger one allows", () => {
  const title = signal("title", "waiting", ["waiting", "blocked"], false);
  assert.equal(told(title, signal("screen", "blocked")), "blocked: title=waiting screen=blocked!");
  assert.equal(told(title, signal("screen", "waiting")), "waiting: title=waiting! screen=waiting!");
});

test("what leaves two states open and is not firm decides nothing", () => {
  assert.equal(told(signal("title", "waiting", ["waiting", "blocked"], false)), "unknown: title=waiting");
  assert.equal(told(), "unknown: ");
});

test("a state that nobody says is never the answer", () => {
  const title = signal("title", "waiting", ["waiting", "blocked"], false);
  assert.equal(
    told(title, signal("screen", "working", ["working", "blocked"])),
    "unknown: title=waiting screen=working",
  );
});

test("long texts are cut in the evidence", () => {
  const long = { ...signal("screen", "waiting"), text: "x".repeat(1000) };
  assert.equal(weigh([long]).evidence[0]?.text.length, 200);
});
