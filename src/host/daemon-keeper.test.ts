import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { DaemonKeeper, readRestartReport, type DaemonRestart } from "./daemon-keeper.ts";

interface Kept {
  readonly keeper: DaemonKeeper<string>;
  readonly restart: DaemonRestart;
  readonly directory: string;
  /** Resolves with the number of the next start. */
  readonly nextStart: () => Promise<number>;
  readonly lines: readonly string[];
  /** Resolves with a line of the log that gives up. */
  readonly givenUp: Promise<string>;
  needed: boolean;
}

/** A keeper whose starts fail with this reason; without one they succeed, and nobody connects. */
function kept(context: TestContext, { failure, delaysMs }: { failure?: string; delaysMs?: readonly number[] }): Kept {
  const directory = mkdtempSync(join(tmpdir(), "lct-keeper-"));
  const waiters: ((start: number) => void)[] = [];
  const lines: string[] = [];
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<string>();
  let starts = 0;
  const restart = {
    command: ["false"],
    environment: {},
    logFile: join(directory, "daemon.log"),
    endedFile: join(directory, "ended"),
    reportFile: join(directory, "restarts.json"),
  } as const;
  const keeper = new DaemonKeeper<string>({
    isNeeded: () => found.needed,
    isDraining: () => false,
    log: (line) => {
      lines.push(line);
      if (line.endsWith("it is not started again")) giveUp(line);
    },
    start: async () => {
      starts++;
      waiters.shift()?.(starts);
      if (failure !== undefined) throw new Error(failure);
    },
    ...(delaysMs !== undefined && { delaysMs }),
  });
  context.after(() => {
    keeper.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const nextStart = (): Promise<number> => new Promise((resolve) => waiters.push(resolve));
  const found: Kept = { keeper, restart, directory, nextStart, lines, givenUp, needed: true };
  return found;
}

/** Every timer that was set before has fired: they are in the order of their times, and each waits 0 ms. */
const allTimers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

test("DaemonKeeper starts the daemon again if its connection is lost, and not if the daemon said that it ends", async (context) => {
  const { keeper, nextStart, restart } = kept(context, {});
  keeper.supervise("first", restart);
  const started = nextStart();
  keeper.disconnected("first");
  assert.equal(await started, 1);
  keeper.supervise("second", restart);
  keeper.supervise("second", null);
  keeper.disconnected("second");
  keeper.disconnected("a client that gave no way to start it");
  await allTimers();
  const again = nextStart();
  keeper.supervise("third", restart);
  keeper.disconnected("third");
  assert.equal(await again, 2);
});

test("DaemonKeeper starts none if no session needs it, another daemon is connected, or a person stopped it", async (context) => {
  const run = kept(context, {});
  const { keeper, restart } = run;
  let starts = 0;
  void run.nextStart().then(() => starts++);
  run.needed = false;
  keeper.supervise("a", restart);
  keeper.disconnected("a");
  run.needed = true;
  keeper.supervise("b", restart);
  keeper.supervise("c", restart);
  keeper.disconnected("b");
  await allTimers();
  writeFileSync(restart.endedFile, "");
  keeper.disconnected("c");
  await allTimers();
  rmSync(restart.endedFile);
  keeper.supervise("d", restart);
  rmSync(run.directory, { recursive: true });
  keeper.disconnected("d");
  await allTimers();
  assert.equal(starts, 0);
});

test("DaemonKeeper gives up after a limited number of failed starts, and reports the reason", async (context) => {
  const run = kept(context, { failure: "no space", delaysMs: [0, 0, 1, 1] });
  run.keeper.supervise("first", run.restart);
  run.keeper.disconnected("first");
  assert.equal(await run.givenUp, "No daemon after 4 starts: no space; it is not started again");
  const { timeMs: _, ...report } = readRestartReport(run.restart.reportFile) ?? { timeMs: 0 };
  assert.deepEqual(report, { reason: "no space", starts: 4, triesAgain: false });
  assert.equal(run.lines.length, 3);
  // A person starts one, and the count begins again.
  const started = run.nextStart();
  run.keeper.supervise("by hand", run.restart);
  run.keeper.disconnected("by hand");
  assert.equal(await started, 5);
});
