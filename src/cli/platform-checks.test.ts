import assert from "node:assert/strict";
import { test } from "node:test";
import { loadLibc } from "../pty/libc.ts";
import { platform } from "../pty/platform.ts";
import { checkPlatform } from "./platform-checks.ts";

test("the self-tests pass here, and are named", async () => {
  const [about, tests, ...failed] = await checkPlatform();
  assert.equal(about?.name, "platform");
  assert.ok(about.message.startsWith(platform.name));
  const ways = platform.hasProc ? "processes by /proc" : "processes by ps";
  const peer = loadLibc().libc === undefined ? "" : "peer of a connection, ";
  const expected = `passed: socket path of ${platform.socketPathBytesMax} bytes, ${peer}${ways}, terminal`;
  assert.equal(tests?.message, expected);
  assert.deepEqual(failed, []);
});

test("a self-test that fails has a line with what to do, beside those that pass", async () => {
  const fail = (): never => {
    throw new Error("the pid is 1, not 2");
  };
  const checks = await checkPlatform([
    { name: "peer", next: "Do not rely on it", run: fail },
    { name: "terminal", next: "", run: () => undefined },
  ]);
  assert.deepEqual(checks.slice(1), [
    { name: "self-tests", status: "ok", message: "passed: terminal" },
    { name: "self-test", status: "warn", message: "peer: the pid is 1, not 2", next: "Do not rely on it" },
  ]);
});
