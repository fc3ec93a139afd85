import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundLook } from "../events/foreground.ts";
import type { ForegroundVerdict } from "../records.ts";
import { ReadyWait, type ReadyWaitOptions } from "./ready-wait.ts";

const look = (verdict: ForegroundVerdict): ForegroundLook => ({
  verdict,
  pid: 1,
  group: 1,
  program: "x",
  echo: true,
  canonical: true,
  reasons: [],
});
const defaults: ReadyWaitOptions = {
  strategy: "auto",
  foreground: null,
  markers: ["$ "],
  timeoutMs: 20_000,
  settleMs: 200,
  quietMs: 80,
};
const wait = (options: Partial<ReadyWaitOptions> = {}, lastLine = ""): ReadyWait =>
  new ReadyWait({ ...defaults, ...options }, 0, lastLine);

test("ReadyWait takes the word of the shell over everything else", () => {
  const waiting = wait({ foreground: "asked", givesMarks: true });
  waiting.output("$ ", [{ type: "prompt" }], 5);
  assert.deepEqual(waiting.verdict(5), { reason: "mark", asks: "command" });
  waiting.look(look("password"), 6);
  assert.deepEqual(waiting.verdict(6), { reason: "mark", asks: "command" });
});

const untrustedSteps = {
  prompt: [{ type: "prompt" }],
  more: [{ type: "continuation" }],
  end: [{ type: "command-start" }, { type: "command-end", exitCode: 0 }],
  all: [{ type: "command-start" }, { type: "command-end", exitCode: 0 }, { type: "prompt" }],
} as const;

test("ReadyWait takes no mark that any program can print while the kernel reports a busy program", () => {
  for (const [name, steps] of Object.entries(untrustedSteps)) {
    for (const needsStart of [false, true]) {
      const told = wait({ foreground: "told", needsStart });
      told.standing(look("busy"));
      told.output("$ ", steps, 5);
      assert.equal(told.verdict(19_000), undefined, `told, ${name}`);
      const asked = wait({ foreground: "asked", needsStart });
      asked.output("$ ", steps, 5);
      assert.equal(asked.verdict(5), undefined, `asked, ${name}: the kernel is asked first`);
      asked.look(look("busy"), 6);
      assert.equal(asked.verdict(19_000), undefined, `asked, ${name}`);
    }
  }
});

test("ReadyWait takes a mark that any program can print if the kernel reports a prompt too, or does not know", () => {
  for (const verdict of ["raw", "prompt", "listening", "unknown", "not-available"] as const) {
    const asked = wait({ foreground: "asked" });
    asked.output("$ ", untrustedSteps.all, 5);
    asked.look(look(verdict), 6);
    assert.deepEqual(asked.verdict(6), { reason: "mark", asks: "command" }, verdict);
  }
  const stale = wait({ foreground: "told" });
  stale.standing(look("raw"));
  stale.output("$ ", untrustedSteps.all, 5);
  assert.equal(stale.verdict(104), undefined, "the kernel may be about to report what has changed");
  assert.deepEqual(stale.verdict(105), { reason: "mark", asks: "command" });
  assert.deepEqual(stale.dueMs, 105);
});

test("ReadyWait says that a shell asks for more", () => {
  const waiting = wait();
  waiting.output("> ", [{ type: "continuation" }], 5);
  assert.deepEqual(waiting.verdict(5), { reason: "mark", asks: "more" });
});

test("ReadyWait skips the prompt of a shell that was still starting when it was typed to", () => {
  const waiting = wait({ promptsToSkip: 1, markers: [], strategy: "mark" });
  waiting.output("$ ", [{ type: "prompt" }], 5);
  assert.equal(waiting.verdict(5), undefined);
  waiting.output("$ ", [{ type: "command-start" }, { type: "command-end", exitCode: 0 }, { type: "prompt" }], 9);
  assert.deepEqual(waiting.verdict(9), { reason: "mark", asks: "command" });
});

test("ReadyWait does not take a prompt that is drawn anew before the command starts for the end of the command", () => {
  const waiting = wait({ strategy: "mark", needsStart: true });
  waiting.output("$ ", [{ type: "prompt" }], 1);
  assert.equal(waiting.verdict(1), undefined);
  waiting.output("$ ", [{ type: "command-start" }, { type: "command-end", exitCode: 0 }, { type: "prompt" }], 3);
  assert.deepEqual(waiting.verdict(3), { reason: "mark", asks: "command" });
});

test("ReadyWait takes the prompt after an empty command when the kernel says so too, or after a while", () => {
  const seen = wait({ foreground: "asked", needsStart: true });
  seen.output("$ ", [{ type: "prompt" }], 1);
  seen.look(look("raw"), 2);
  assert.deepEqual(seen.verdict(2), { reason: "mark", asks: "command" });
  const alone = wait({ strategy: "mark", needsStart: true });
  alone.output("$ ", [{ type: "prompt" }], 1);
  assert.equal(alone.dueMs, 251);
  assert.deepEqual(alone.verdict(251), { reason: "mark", asks: "command" });
});

test("ReadyWait forgets a prompt when a command starts behind it", () => {
  const waiting = wait({ strategy: "mark" });
  waiting.output("$ ", [{ type: "prompt" }, { type: "command-start" }], 5);
  assert.equal(waiting.verdict(5), undefined);
});

test("ReadyWait takes the end of a command for ready where its prompt never comes", () => {
  const waiting = wait({ strategy: "mark" });
  waiting.output("", [{ type: "command-end", exitCode: 0 }], 10);
  assert.equal(waiting.verdict(259), undefined);
  assert.equal(waiting.dueMs, 260);
  assert.deepEqual(waiting.verdict(260), { reason: "mark", asks: null });
});

test("ReadyWait takes a marker only where the kernel does not say that the program computes", () => {
  const waiting = wait({ foreground: "asked" });
  waiting.output("price in $ ", [], 0);
  waiting.look(look("busy"), 1);
  assert.equal(waiting.verdict(5000), undefined);
  assert.ok(waiting.dueMs > 5000, "asks no clock that is over");
  waiting.look(look("unknown"), 5000);
  assert.deepEqual(waiting.verdict(5000), { reason: "marker", asks: "command" });
});

test("ReadyWait finds a marker that was there before it began", () => {
  assert.deepEqual(wait({}, "user$ ").verdict(200), { reason: "marker", asks: "command" });
});

test("ReadyWait waits for quiet where there is nothing better, counted from its beginning", () => {
  const waiting = wait({ markers: [] });
  assert.equal(waiting.verdict(79), undefined);
  waiting.output("x", [], 79);
  assert.equal(waiting.dueMs, 159);
  assert.deepEqual(waiting.verdict(159), { reason: "quiet", asks: null });
});

test("ReadyWait takes no look for the answer of a shell that has yet to say what became of its line", () => {
  const asked = wait({ foreground: "asked", markers: [], owesMark: true });
  asked.output("$ ^C", [], 10);
  asked.look(look("raw"), 11);
  assert.equal(asked.verdict(2009), undefined);
  assert.equal(asked.dueMs, 2010);
  assert.equal(asked.verdict(2010)?.reason, "foreground");
  const told = wait({ foreground: "told", markers: [], givesMarks: true, owesMark: true });
  told.standing(look("raw"));
  told.output("$ ^C", [], 10);
  assert.equal(told.verdict(2009), undefined);
  told.output("$ ", [{ type: "prompt" }], 2009);
  assert.deepEqual(told.verdict(2009), { reason: "mark", asks: "command" });
});

test("ReadyWait gives what was typed the time to reach the program, until something comes of it", () => {
  const typed = wait({ foreground: "asked", markers: [], isUnanswered: true });
  typed.look(look("raw"), 1);
  assert.equal(typed.verdict(249), undefined);
  assert.equal(typed.verdict(250)?.reason, "foreground");
  const echoed = wait({ foreground: "asked", markers: [], isUnanswered: true });
  echoed.output(">>> 1", [], 10);
  echoed.look(look("raw"), 11);
  assert.equal(echoed.verdict(11)?.reason, "foreground");
});

test("ReadyWait believes a look again once the shell has said something", () => {
  const waiting = wait({ foreground: "asked", markers: [], owesMark: true });
  waiting.output("", [{ type: "command-start" }], 10);
  waiting.look(look("prompt"), 11);
  assert.deepEqual(waiting.verdict(11), { reason: "foreground", asks: "line" });
});

test("ReadyWait does not wait for quiet where there is a marker to wait for", () => {
  const waiting = wait();
  waiting.output("working", [], 0);
  assert.equal(waiting.verdict(19_999), undefined);
  assert.deepEqual(waiting.verdict(20_000), { reason: "timeout", asks: null });
});

test("ReadyWait does not wait for quiet where a shell has said that it will tell", () => {
  const waiting = wait({ markers: [], needsStart: true });
  waiting.output("", [{ type: "command-start" }], 0);
  assert.equal(waiting.verdict(19_999), undefined);
});

test("ReadyWait uses one strategy alone where that is wanted", () => {
  const waiting = wait({ strategy: "quiet", foreground: "asked" });
  waiting.output("$ ", [{ type: "prompt" }], 0);
  waiting.look(look("raw"), 0);
  assert.equal(waiting.verdict(0), undefined);
  assert.equal(waiting.lookDueMs, Number.POSITIVE_INFINITY);
  assert.deepEqual(waiting.verdict(80), { reason: "quiet", asks: null });
});

test("ReadyWait tells a question for a password from the text where nobody knows better", () => {
  const waiting = wait({ strategy: "quiet" });
  waiting.output("Password: ", [], 0);
  assert.deepEqual(waiting.verdict(80), { reason: "quiet", asks: "password" });
});

test("ReadyWait ends with the program and at the limit", () => {
  for (const reason of ["exit", "limit"] as const) {
    const waiting = wait();
    waiting.end(reason);
    assert.deepEqual(waiting.verdict(0), { reason, asks: null });
  }
});
