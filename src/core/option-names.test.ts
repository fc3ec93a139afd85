import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOptions, meantName, type OptionNames } from "./option-names.ts";

interface Options {
  readonly timeoutMs?: number;
  readonly workingDirectory?: string;
}

const known: OptionNames<Options> = { timeoutMs: true, workingDirectory: true };

test("a known option passes, also without a value", () => {
  checkOptions("run", { timeoutMs: undefined }, known);
  checkOptions("run", {}, known);
});

test("an unknown option is refused with the nearest known one", () => {
  for (const [given, message] of [
    [{ timeout: 5 }, 'Cannot take the option "timeout" of run: did you mean "timeoutMs"?'],
    [{ cwd: "/" }, 'Cannot take the option "cwd" of run: did you mean "workingDirectory"?'],
    [{ color: 1 }, 'Cannot take the option "color" of run: wanted one of timeoutMs, workingDirectory'],
    [{ constructor: 1 }, /"constructor" of run/],
  ] as const)
    assert.throws(() => checkOptions("run", given, known), { code: "INVALID_INPUT", message });
});

test("a synonym is proposed only where its name is known", () => {
  assert.equal(meantName("env", ["environment", "rows"]), 'did you mean "environment"?');
  assert.equal(meantName("height", ["token"]), "wanted one of token");
});
