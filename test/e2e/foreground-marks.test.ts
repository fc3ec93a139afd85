/** Marks of the foreground in the journal. Linux, with FFI. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/core/records.ts";
import { ForegroundMarks } from "../../src/host/foreground-marks.ts";
import { ForegroundProbe } from "../../src/pty/foreground-probe.ts";
import type { Pty } from "../../src/pty/pty.ts";
import { PtyRun } from "../pty-run.ts";
import { until } from "../support/until.ts";

const LOOKS_MAX = 100_000;

test("a change that could not be written at once is read anew: what came meanwhile was read by another program", async () => {
  const run = new PtyRun("read -rs _; read -r _");
  const [refused, written]: [string[], string[]] = [[], []];
  let isFull = true;
  const marks = new ForegroundMarks(run.pty, {
    isWrapped: false,
    write: (event: SessionEvent) => {
      if (event.type === "foreground") (isFull ? refused : written).push(event.verdict);
      return !isFull;
    },
  });
  await until(() => refused.at(-1) === "password");
  run.write("\n");
  // Without a turn of the event loop, in which the marks would take a reading of their own.
  const probe = new ForegroundProbe(run.pty);
  for (let looks = 0; looks < LOOKS_MAX && probe.look().verdict !== "prompt"; looks += 1);
  isFull = false;
  marks.retry();
  assert.deepEqual(written, ["prompt"]);
  assert.equal(marks.probe(), true);
  marks.close();
  run.write("\n");
  await run.ended;
});

test("where nothing can be probed no report is outdated, and where the last one could not be written it is", async () => {
  const run = new PtyRun("read -r _");
  const marks = new ForegroundMarks({ pid: run.pty.pid, terminalPath: undefined } as Pty, {
    isWrapped: false,
    write: () => assert.fail("there is nothing to report"),
  });
  assert.equal(marks.probe(), true);
  marks.close();
  let isFull = false;
  const full = new ForegroundMarks(run.pty, { isWrapped: false, write: () => !isFull });
  await until(() => full.isReadBy(run.pty.pid));
  assert.equal(full.probe(), true);
  isFull = true;
  run.write("\n");
  await run.ended;
  assert.equal(full.probe(), false);
  full.close();
});
