/** A daemon that ends, or begins, while something does not answer. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternClient } from "../../src/client/client.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import type { LecternError } from "../../src/core/errors.ts";
import type { Handlers } from "../../src/daemon/service.ts";
import { ViewStore } from "../../src/daemon/store/view-store.ts";
import type { InputOf } from "../../src/protocol/operations.ts";
import { createLogger } from "../../src/server/log.ts";
import { startServer } from "../../src/server/server.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

/** Towards hosts, of which one is stopped here. */
const impatient = { hostHelloMs: 1500, hostAnswerMs: 2500 };

test("a host that is stopped is asked until it answers: its programs are neither lost nor ended", async () => {
  await using daemon = await TemporaryDaemon.start(undefined, { times: impatient });
  const { id } = await daemon.run(["cat"]);
  const [host] = await daemon.hosts();
  assert.ok(host);
  process.kill(host.pid, "SIGSTOP");
  try {
    await daemon.restart();
    assert.equal(daemon.running.lost, 0);
    const { sessions } = await daemon.call("sessions.list", {});
    assert.deepEqual(
      sessions.map(({ state, exit }) => [state, exit]),
      [["running", null]],
    );
    await assert.rejects(daemon.call("sessions.input", { session: id, text: "x" }), { code: "HOST_UNREACHABLE" });
  } finally {
    process.kill(host.pid, "SIGCONT");
  }
  await until(async () => (await daemon.hosts()).length === 1, "the host is found");
  await daemon.call("sessions.input", { session: id, text: "here again\n" });
  await daemon.untilOutput(id, "here again", 0);
});

test("a daemon ends while its host is stopped and somebody waits, and ends once however often it is asked", async () => {
  await using daemon = await TemporaryDaemon.start(undefined, { times: impatient });
  const { id } = await daemon.run(["cat"]);
  const [host] = await daemon.hosts();
  assert.ok(host);
  process.kill(host.pid, "SIGSTOP");
  try {
    const typed = daemon.call("sessions.input", { session: id, text: "x" });
    const refused = assert.rejects(typed, { code: "HOST_UNREACHABLE" });
    const { running } = daemon;
    await Promise.all([running.close(), running.close(), refused]);
    await assert.rejects(running.service.handlers["sessions.follow"]({ session: id, from: 0 }, anybody), {
      code: "NOT_AVAILABLE",
    });
  } finally {
    process.kill(host.pid, "SIGCONT");
  }
});

test("who waits at a daemon that ends is told that it ends, and not that the time is over", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["sleep", "600"]);
  const { service } = daemon.running;
  let begun = 0;
  const wait: Handlers["sessions.wait"] = (input, context) => {
    begun += 1;
    return service.handlers["sessions.wait"](input, context);
  };
  const prompt: Handlers["sessions.prompt"] = (input, context) => {
    begun += 1;
    return service.handlers["sessions.prompt"](input, context);
  };
  const exec: (typeof service.handlers)["sessions.exec"] = (input, context) => {
    begun += 1;
    return service.handlers["sessions.exec"](input, context);
  };
  const handlers = { ...service.handlers, "sessions.wait": wait, "sessions.prompt": prompt, "sessions.exec": exec };
  const path = join(daemon.paths.runtimeDirectory, "server.sock");
  await using server = await startServer({
    service: { ...service, handlers },
    listeners: [{ kind: "unix", path }],
    logger: createLogger({ write: () => undefined }, "silent"),
  });
  const client = new LecternClient(unixTransport(path));
  const conditions: readonly InputOf<"sessions.wait">["for"][] = [
    { type: "exit" },
    { type: "ready" },
    { type: "output", pattern: "never" },
    { type: "quiet", quietMs: 60_000 },
    { type: "status", states: ["blocked"] },
    { type: "event", name: "NEVER" },
  ];
  const calls = [
    ...conditions.map((condition) => client.call("sessions.wait", { session, for: condition, timeoutMs: 60_000 })),
    client.call("sessions.prompt", { session, text: "x", key: "k", waitMs: 60_000 }),
    // It waits for a prompt, and nothing is typed.
    client.call("sessions.exec", { session, command: "x", timeoutMs: 60_000 }),
  ];
  const codes = calls.map((call) =>
    call.then(
      (answer) => answer,
      (error: LecternError) => error.code,
    ),
  );
  await until(() => Promise.resolve(begun === calls.length), "all that wait");
  await server.close();
  assert.deepEqual(
    await Promise.all(codes),
    calls.map(() => "DRAINING"),
  );
});

test("a view that was put away answers its program, shows its screen and is found by the next daemon", async (t) => {
  await using daemon = await TemporaryDaemon.start(undefined, { times: { idleViewMs: 50 } });
  const restored = t.mock.method(ViewStore.prototype, "checkpoint");
  const script = `stty -echo -icanon min 1 time 0; printf 'one two'; while IFS= read -r -N 1 key; do printf '\\033[6n'; IFS= read -r -d R answer; echo "<\${answer#?}>"; done`;
  const { id } = await daemon.run(["bash", "--norc", "-c", script]);
  await daemon.untilOutput(id, "one two");
  assert.equal((await daemon.call("sessions.screen", { session: id })).text, "one two");
  let row = 0;
  await until(async () => {
    row += 1;
    await daemon.call("sessions.input", { session: id, text: "k" });
    assert.equal((await daemon.untilOutput(id, "<.*>")).match, row === 1 ? "<[1;8>" : `<[${row};1>`);
    await sleep(150);
    // Once when it was opened.
    return restored.mock.callCount() >= 4;
  }, "it was put away three times");
  const { text } = await daemon.call("sessions.screen", { session: id });
  assert.equal(text.split("\n").length, row);
  await daemon.restart();
  assert.equal((await daemon.call("sessions.screen", { session: id })).text, text);
  assert.deepEqual(daemon.errors, []);
});

const anybody = { caller: { scope: "admin", session: null }, signal: new AbortController().signal } as const;
