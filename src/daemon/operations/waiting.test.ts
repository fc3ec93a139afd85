import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "./waiting.ts";

test("a pattern finds the first match, or nothing", async () => {
  assert.equal(await compile("^b.$")("ab\nbc\nbd"), "bc");
  assert.equal(await compile("x")("ab"), undefined);
  assert.throws(() => compile("("), { code: "INVALID_INPUT" });
});

test("a pattern that takes too long is refused, and holds up nobody meanwhile", async () => {
  const digits = Array.from({ length: 4000 }, (_, line) => `${line}`).join("\n");
  const refused = assert.rejects(async () => await compile("(\\d+\\n*)+x$")(digits), {
    code: "INVALID_INPUT",
    message: /takes too long/,
  });
  const settled = new AbortController();
  void refused.finally(() => settled.abort()).catch(() => undefined);
  let turns = 0;
  for (; !settled.signal.aborted; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await refused;
  assert.ok(turns > 1000, `only ${turns} turns of the event loop beside it`);
});
