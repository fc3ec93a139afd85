/** The largest recording of a REPL, cut at each byte of its first 20 kB. */
import { test } from "node:test";
import { assertReadyAtEachCut } from "../readiness-cuts.ts";

test("readiness is the same after each single cut of the recording of node", () => {
  assertReadyAtEachCut("repl-node-80x24.cast");
});
