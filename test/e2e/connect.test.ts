/** The door of the library: it finds the daemon of this user, or starts it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternClient, openSession, openTerminal } from "../../src/index.ts";
import { CliHome } from "./cli-home.ts";

test("connect starts a daemon if none runs, and a second one finds it", async () => {
  await using home = new CliHome();
  const place = { home: home.paths.dataDirectory };
  await assert.rejects(LecternClient.connect({ ...place, start: false }), {
    code: "DAEMON_UNREACHABLE",
    message: /no daemon runs for .*start: false/,
  });
  const client = await LecternClient.connect(place);
  assert.deepEqual((await client.sessions.list()).sessions, []);
  const again = await LecternClient.connect({ ...place, start: false });
  assert.equal((await again.daemon.info()).pid, (await client.daemon.info()).pid);
});

test("a misspelled option is refused with the nearest known name, by every function that takes options", async () => {
  await using terminal = await openTerminal("bash");
  await using session = await openSession("cat");
  const wrong: object = { timeot: 1 };
  const calls: Readonly<Record<string, () => unknown>> = {
    connect: () => LecternClient.connect(wrong),
    openTerminal: () => openTerminal("bash", wrong),
    openSession: () => openSession("bash", wrong),
    run: () => terminal.run("true", wrong),
    readUntilReady: () => terminal.readUntilReady(wrong),
    sendAndReadUntilReady: () => terminal.sendAndReadUntilReady("true", wrong),
    "session.run": () => session.run("true", wrong),
    prompt: () => session.prompt("hi", wrong),
    messages: () => session.messages(wrong),
  };
  for (const [name, call] of Object.entries(calls))
    await assert.rejects(async () => await call(), { code: "INVALID_INPUT", message: /timeot/ }, name);
  await assert.rejects(session.prompt("hi", { wait: true } as object), { message: /did you mean "waitMs"/ });
});

test("cwd and env are the working directory and the environment, by the names of node:child_process", async () => {
  await using home = new CliHome();
  const client = await LecternClient.connect({ home: home.paths.dataDirectory });
  const options = { cwd: "/usr", env: { ...home.environment, WORD: "given" } };
  await using terminal = await openTerminal("bash", options);
  await using own = await openSession("bash", options);
  await using kept = await openSession("bash", { client, ...options });
  for (const place of [terminal, own, kept])
    assert.equal((await place.run('echo "$PWD $WORD"')).output, "/usr given\n");
});
