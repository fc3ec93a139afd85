import assert from "node:assert/strict";
import { test } from "node:test";
import { nextState, opened, type ParserState } from "./parser-state.ts";

/** The states behind each character. */
function states(text: string): string {
  let state: ParserState = "ground";
  return [...new TextEncoder().encode(text)].map((byte) => (state = nextState(state, byte))).join(" ");
}

test("nextState follows an escape, a control sequence and a string to their ends", () => {
  assert.equal(states("a\u001B(0"), "ground escape escape-intermediate ground");
  assert.equal(states("\u001B[?1m"), "escape csi csi csi ground");
  assert.equal(states("\u001B]0\u0007"), "escape osc osc ground");
  assert.equal(states("\u001BPq\u0007\u001B\\"), "escape dcs dcs dcs dcs-escape ground");
  assert.equal(states("\u009Dx\u009C"), "ground-lead osc osc osc-lead ground");
});

test("nextState leaves every sequence at CAN, SUB, ESC and C1 controls", () => {
  assert.equal(states("\u001B[\u0018"), "escape csi ground");
  assert.equal(states("\u001B_\u001A"), "escape string ground");
  assert.equal(states("\u001B]\u001B["), "escape osc osc-escape csi");
  assert.equal(states("\u001B[\u009B"), "escape csi ground-lead csi");
});

test("nextState stays in a sequence behind a control that is executed, and leaves it at a letter beyond ASCII", () => {
  assert.equal(states("\u001B\n[\n\u007Fm"), "escape escape csi csi csi ground");
  assert.equal(states("\u001B[é"), "escape csi ground ground");
  assert.equal(states("\u001B]é\u00A0"), "escape osc osc osc osc-lead osc");
});

test("opened knows what a letter behind ESC opens", () => {
  assert.deepEqual(
    [..."[]PX^_D"].map((letter) => opened(letter.charCodeAt(0))),
    ["csi", "osc", "dcs", "string", "string", "string", "ground"],
  );
});
