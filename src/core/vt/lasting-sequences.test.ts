import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedControlSequence, allowedEscape, allowedOperatingSystemCommand } from "../text/viewer-policy.ts";
import { commandChange, lastingControlSequences, lastingEscapes } from "./lasting-sequences.ts";

test("what changes the input of a terminal does not reach one that only looks", () => {
  for (const { affects, example, name } of lastingControlSequences) {
    const isPrefixed = /^[<=>?]/.test(name);
    const body = isPrefixed ? `${name[0]}${example}${name.slice(1)}` : `${example}${name}`;
    assert.equal(allowedControlSequence(body, "live"), `\u001b[${body}`, name);
    assert.equal(allowedControlSequence(body, "replay") !== "", affects === "drawing", name);
  }
  for (const { affects, example } of lastingEscapes) {
    assert.equal(allowedEscape(example, "live"), `\u001b${example}`, example);
    assert.equal(allowedEscape(example, "replay") !== "", affects === "drawing", example);
  }
});

test("each command that reaches a terminal is known to last, or to leave nothing", () => {
  const lasting: number[] = [];
  const once: number[] = [];
  for (let command = 0; command < 10_000; command += 1) {
    const body = command === 8 ? "8;;https://example.org" : command === 9 ? "9;4;1;5" : `${command};`;
    if (allowedOperatingSystemCommand(command === 133 ? "133;A" : body, "\u0007", "live") === "") continue;
    (commandChange(body) === undefined ? once : lasting).push(command);
  }
  // Titles, and the marks of shells.
  assert.deepEqual(once, [0, 1, 2, 133]);
  assert.deepEqual(lasting, [4, 8, 9, 10, 11, 12, 13, 14, 17, 19, 104, 110, 111, 112, 113, 114, 117, 119]);
});

test("a part of the palette that is put back says nothing of the rest", () => {
  assert.equal(commandChange("104;1"), undefined);
  assert.deepEqual(commandChange("104"), { key: "colour 4", undo: null });
  assert.deepEqual(commandChange("8;id=1;"), { key: "link", undo: null });
});
