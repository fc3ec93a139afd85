import assert from "node:assert/strict";
import { test } from "node:test";
import { echoAfter, MASKED } from "./echo.ts";
import { InputReader } from "./input-reader.ts";

const echo = (keys: string, isSecret = false): string =>
  echoAfter("", new InputReader().feed(new TextEncoder().encode(keys)), isSecret);

test("what a terminal echoes of keys: lines, corrections, control keys and sequences", () => {
  assert.equal(echo("yed\u007Fs\r"), "yes\n");
  assert.equal(echo("no\nyex\u0015n\r"), "no\nn\n");
  assert.equal(echo("\u0001\u001B[A"), "^A^[[A");
  assert.equal(echo("\u007F\u007Fx"), "x");
});

test("a masked text is masked in its echo", () => {
  assert.equal(echo("**\r", true), `${MASKED}${MASKED}\n`);
});
