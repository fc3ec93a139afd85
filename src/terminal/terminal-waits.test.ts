import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { ReadyWaitOptions } from "../core/readiness/ready-wait.ts";
import { TerminalWaits } from "./terminal-waits.ts";

const options: ReadyWaitOptions = {
  strategy: "auto",
  foreground: "polled",
  markers: ["(gdb) "],
  timeoutMs: 60_000,
  settleMs: 20,
  quietMs: 20,
};

const probe = (verdict: ForegroundLook["verdict"]): ForegroundLook => ({
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

test("TerminalWaits takes no marker of a program that computes, also if the probe is late", async () => {
  let verdict: ForegroundLook["verdict"] = "busy";
  let probes = 0;
  const waits = new TerminalWaits({
    probe: () => {
      probes++;
      if (probes === 3) verdict = "prompt";
      return probe(verdict);
    },
  });
  const outcome = waits.until(options);
  waits.output({ openLine: "(gdb) ", awaitsReply: false }, []);
  standStill(100);
  assert.equal((await outcome).reason, "foreground");
  assert.equal(probes, 3);
});

test("TerminalWaits asks the kernel before the time is over, also if both are late", async () => {
  const waits = new TerminalWaits({ probe: () => probe("prompt") });
  const outcome = waits.until({ ...options, timeoutMs: 30 });
  waits.output({ openLine: "name: ", awaitsReply: false }, []);
  standStill(100);
  assert.equal((await outcome).reason, "foreground");
});
