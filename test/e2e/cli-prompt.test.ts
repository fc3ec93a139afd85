/** `lectern prompt --wait`: what is shown meanwhile, and how it ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const shell = ["run", "-d", "--name", "w", "--", "bash", "--norc", "--noprofile"];

test("a wait at a terminal shows what the prompt does, and removes that line", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  const terminal = home.onTerminal(["prompt", "w", "--shell", "read x; echo got-$x", "--wait", "--through-questions"]);
  await terminal.until("working: asks: the command reads input");
  await home.ok("send", "w", "hello", "--enter");
  assert.deepEqual(await terminal.ended, { reason: "exited", code: 0, signal: null });
  assert.match(terminal.text, /\r\u001B\[K[^\n]*working[^\n]*\r\u001B\[K(?:[^\n]*\r\u001B\[K)?done \(key /);
});

test("a wait ends with code 10 if the command reads, and with a draft in the line code 4 or a wait", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  const { code, stdout, stderr } = await home.run(["prompt", "w", "--shell", "cat", "--wait", "--key", "one"]);
  assert.equal(code, 10, stderr);
  assert.match(stdout, /^asks \(key one\): the command reads input/);
  assert.match(stderr, /"w" asks "the command reads input"; see it with .*lectern send w --enter TEXT/);
  await home.ok("key", "w", "C-d");
  assert.match(await home.ok("prompt", "w", "--shell", "cat", "--wait", "--key", "one"), /^done/);
  await home.ok("send", "w", "rm -rf /tm");
  await home.ok("wait", "w", "--for", "output:rm -rf /tm", "--from", "0");
  const refused = await home.run(["prompt", "w", "--shell", "echo hello"]);
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /10 characters that nobody has entered/);
  assert.match(
    await home.ok("prompt", "w", "--shell", "echo it-$((40+2))", "--when-empty", "--key", "two"),
    /^accepted/,
  );
  await home.ok("key", "w", "C-u");
  assert.match(
    await home.ok("prompt", "w", "--shell", "echo it-$((40+2))", "--when-empty", "--key", "two", "--wait"),
    /^done/,
  );
  assert.doesNotMatch(await home.ok("logs", "w"), /rm -rf \/tmecho/);
});

test("what was asked before the answer was typed is not reported again", async () => {
  const home = await shared.empty();
  await home.ok(...shell);
  const own = { session: "w", key: "one", waitMs: 60_000 };
  const asked = await home.client.call("sessions.prompt", { shell: true, ...own, text: "read x; cat" });
  assert.equal(asked.asks?.question, "the command reads input");
  await home.ok("send", "w", "a line", "--enter");
  // It reads again, which is another question.
  assert.equal((await home.client.call("sessions.receipt", own)).asks?.question, "the command reads input");
  await home.ok("key", "w", "C-d");
  const { asks, state } = await home.client.call("sessions.receipt", own);
  assert.deepEqual({ asks, state }, { asks: null, state: "done" });
});
