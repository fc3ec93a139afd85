import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { ReadyWaitOptions } from "../core/readiness/ready-wait.ts";
import { newWait, TerminalWaits } from "./terminal-waits.ts";

const options: ReadyWaitOptions = {
  strategy: "auto",
  foreground: "asked",
  markers: ["(gdb) "],
  timeoutMs: 60_000,
  settleMs: 20,
  quietMs: 20,
};

const look = (verdict: ForegroundLook["verdict"]): ForegroundLook => ({
  verdict,
  pid: 1,
  group: 1,
  program: "gdb",
  echo: false,
  canonical: false,
  reasons: [],
});

/** Nothing runs meanwhile, as on a machine that is given no time. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("TerminalWaits believes no marker of a program that computes, also where the look is late", async () => {
  let verdict: ForegroundLook["verdict"] = "busy";
  let looks = 0;
  const waits = new TerminalWaits(() => {
    looks++;
    if (looks === 3) verdict = "prompt";
    return look(verdict);
  });
  const outcome = waits.until(newWait(options, ""), undefined);
  waits.output({ lastLine: "(gdb) " }, []);
  standStill(100);
  assert.equal((await outcome).reason, "foreground");
  assert.equal(looks, 3);
});

test("TerminalWaits asks the kernel before the time is over, also where both are late", async () => {
  const waits = new TerminalWaits(() => look("prompt"));
  const outcome = waits.until(newWait({ ...options, timeoutMs: 30 }, ""), undefined);
  waits.output({ lastLine: "name: " }, []);
  standStill(100);
  assert.equal((await outcome).reason, "foreground");
});
