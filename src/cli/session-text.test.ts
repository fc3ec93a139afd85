import assert from "node:assert/strict";
import { test } from "node:test";
import { exitText, paintState, stateText } from "./session-text.ts";
import { makeStyle } from "./style.ts";

const exited = { reason: "exited", code: 3, signal: null } as const;
const signaled = { reason: "signaled", code: null, signal: "SIGKILL" } as const;
const lost = { reason: "lost", code: null, signal: null } as const;

test("the state of a session says how it ended", () => {
  assert.equal(stateText({ state: "running", exit: null }), "running");
  assert.equal(stateText({ state: "running", exit: null, unreachable: "its pty host is stopped" }), "unreachable");
  assert.equal(stateText({ state: "exited", exit: exited }), "exited 3");
  assert.equal(stateText({ state: "exited", exit: signaled }), "SIGKILL");
  assert.equal(stateText({ state: "lost", exit: lost }), "lost");
  assert.equal(stateText({ state: "lost", exit: lost, isImported: true }), "recording");
  assert.equal(exitText(signaled), "was ended by SIGKILL");
});

test("what runs is green, a bad end is red and a good end is quiet", () => {
  const style = makeStyle(true, {});
  assert.equal(paintState({ state: "running", exit: null }, style), style.green("running"));
  assert.equal(paintState({ state: "exited", exit: exited }, style), style.red("exited 3"));
  assert.equal(paintState({ state: "exited", exit: { ...exited, code: 0 } }, style), style.dim("exited 0"));
});
