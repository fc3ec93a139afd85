import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "./decide.ts";
import { maskedRow, recordedArguments, recordedParts } from "./recorded-call.ts";

// Put together here, so that no scanner takes this file for a leak.
const secret = ["sk-ant-", "api03-AAAABBBBCCCCDDDD"].join("");

test("recordedArguments has all of a text, and the beginning of a longer one with its length", () => {
  assert.equal(recordedArguments(`{"command":"run ${secret}\\u0000"}`), '{"command":"run •••\\u0000"}');
  assert.equal(recordedArguments("x".repeat(8000)), "x".repeat(8000));
  const note = "\n[shortened: the arguments have 8001 characters]";
  assert.equal(recordedArguments("x".repeat(8001)), "x".repeat(8000) + note);
  assert.equal(
    recordedArguments(`${"x".repeat(7999)}😀`).slice(7998),
    "x\ufffd\n[shortened: the arguments have 8001 characters]",
  );
  assert.equal(recordedArguments("a\u202eb"), "a\\u{202e}b");
});

test("recordedArguments shows no part of a secret, wherever it is cut", () => {
  // Each place around the cut, and some of the longer texts.
  for (let at = 7900; at <= 12_100; at += at < 8100 ? 1 : 19) {
    const shown = recordedArguments(
      `${"password: hunter22hunter22 ".repeat(at % 3 === 0 ? 300 : 0)}${"x ".repeat(at / 2)}${secret}`,
    );
    assert.doesNotMatch(shown, /sk-|hunter/, String(at));
  }
});

test("recordedParts has the first parts within its limits, and the number of the others", () => {
  const part = (evidence: string): Verdict => ({
    effect: "allow",
    source: "default",
    rule: null,
    evidence,
    message: "",
  });
  assert.deepEqual(recordedParts({ verdicts: [part("ls")] }), {});
  const { parts, partsLeftOut } = recordedParts({ verdicts: Array.from({ length: 100 }, () => part("ls")) });
  assert.deepEqual([parts?.length, partsLeftOut], [64, 36]);
  const long = recordedParts({ verdicts: Array.from({ length: 30 }, () => part("y".repeat(300))) });
  assert.deepEqual([long.parts?.length, long.parts?.[0]?.text.length, long.partsLeftOut], [20, 200, 10]);
});

test("maskedRow masks the texts of a decision, and changes nothing twice", () => {
  const row = {
    type: "decision",
    session: "s",
    call: "c",
    timeMs: 1,
    requester: "me",
    tool: "bash",
    source: "x",
    provenance: "wire",
    argumentsHash: "",
    effect: "allow",
    decidedBy: "d",
    line: null,
    policyHash: null,
    evidence: `use ${secret}`,
    arguments: `{"command":"use ${secret}"}`,
    parts: [{ text: secret, effect: "allow", decidedBy: "d", line: null }],
  } as const;
  const masked = maskedRow(row);
  assert.doesNotMatch(JSON.stringify(masked), /sk-/);
  assert.deepEqual(maskedRow(masked), masked);
  const start = { type: "start", session: "s", call: "c", timeMs: 1, executor: "agent" } as const;
  assert.equal(maskedRow(start), start);
});
