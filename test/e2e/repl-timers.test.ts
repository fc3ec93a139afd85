/**
 * What a REPL does without being asked: a timer that a command waits for is no question, late output leaves the REPL at its prompt, and a
 * question without a word is reported soon. In a session, and in a terminal of the same process.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunResult } from "../../src/terminal/run-command.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { Home } from "../terminal-support.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

type Result = Pick<RunResult | OutputOf<"sessions.exec">, "ran" | "asks" | "ended" | "output">;

/** Runs commands in one program, and waits until it has printed something. */
interface Runner extends AsyncDisposable {
  run(command: string): Promise<Result>;
  shown(text: string): Promise<void>;
  /** Types, and waits for a prompt. */
  answer(text: string): Promise<void>;
}

const node = [process.execPath, "-i"] as const;
const python = ["/usr/bin/python3", "-q"] as const;

async function session(command: readonly [string, ...string[]], name: string): Promise<Runner> {
  await home.ok("run", "-d", "--name", name, "--", ...command);
  return {
    run: (text) => home.client.call("sessions.exec", { session: name, command: text }),
    shown: async (text) => {
      await home.client.call("sessions.wait", { session: name, for: { type: "output", pattern: text }, from: 0 });
    },
    answer: async (text) => {
      await home.client.call("sessions.input", { session: name, text });
      await home.client.call("sessions.wait", { session: name, for: { type: "output", pattern: ">>> $" } });
    },
    [Symbol.asyncDispose]: async () => void (await home.ok("kill", name)),
  };
}

async function terminal(command: readonly [string, ...string[]]): Promise<Runner> {
  const own = new Home();
  const opened = await own.open(command);
  return {
    run: (text) => opened.run(text),
    shown: async (text) => {
      while (!opened.getHistory().includes(text)) await opened.readUntilReady({ strategy: "quiet", quietMs: 10 });
    },
    answer: async (text) => {
      await opened.write(text);
      await opened.readUntilReady();
    },
    [Symbol.asyncDispose]: async () => {
      await opened.close();
      own[Symbol.dispose]();
    },
  };
}

const places = { "a session": session, "a terminal": terminal } as const;

for (const [place, open] of Object.entries(places)) {
  test(`in ${place} a command that awaits a timer is waited for, and one that reads is not`, async () => {
    await using repl = await open(node, "awaiting");
    await assertRuns(repl, "await new Promise((done) => setTimeout(() => done(42), 1500))", "42\n");
    await assertRuns(repl, "6 * 7", "42\n");
    // It has a timer as well.
    const asks = "setTimeout(() => {}, 600_000).unref(); process.stdout.write('sure? '); await new Promise(() => {})";
    const { asks: asked, ended } = await repl.run(asks);
    assert.deepEqual([asked, ended], ["keys", false]);
  });

  test(`in ${place} late output leaves node and python at their prompt`, async () => {
    await using javascript = await open(node, "late-node");
    for (const ms of [0, 1, 300]) {
      const late = `late-${ms}`;
      const { ended } = await javascript.run(
        `void setTimeout(() => console.log("${late.slice(0, 4)}" + "-${ms}"), ${ms})`,
      );
      assert.equal(ended, true, late);
      await javascript.shown(late);
      await assertRuns(javascript, "6 * 7", "42\n");
    }
    await using snake = await open(python, "late-python");
    await assertRuns(snake, "import threading", "");
    await assertRuns(snake, 'threading.Timer(0.3, lambda: print("la" + "te")).start()', "");
    await snake.shown("late");
    await assertRuns(snake, "6 * 7", "42\n");
  });

  test(`in ${place} a question without a word is one, also behind output like a prompt and after silence`, async () => {
    await using repl = await open(python, "asking");
    await assertRuns(repl, "import time", "");
    for (const command of ["x = input()", "time.sleep(0.7); x = input()", 'print(">>> x"); x = input()']) {
      const { asks, ended } = await repl.run(command);
      assert.deepEqual([asks, ended], ["keys", false], command);
      const next = await repl.run("never");
      assert.deepEqual([next.ran, next.asks], [false, "keys"], command);
      await repl.answer("\n");
      await assertRuns(repl, "6 * 7", "42\n");
    }
  });
}

async function assertRuns(repl: Runner, command: string, output: string): Promise<void> {
  const result = await repl.run(command);
  const { ran, ended, output: actual } = result;
  assert.deepEqual({ ran, ended, actual }, { ran: true, ended: true, actual: output }, command);
}
