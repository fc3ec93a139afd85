/** Acts with bad input: each is refused with a reason, nothing is submitted, and nothing is lost without a word. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isFinal } from "../../src/core/acting/receipt.ts";
import type { LecternError } from "../../src/core/errors.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { someOf } from "../support/variants.ts";

const shared = new SharedDaemon();
const WAIT_MS_MAX = 90_000;

const shells = {
  bash: ["bash", "--norc", "--noprofile"],
  zsh: ["zsh", "-d"],
  fish: ["fish", "--private"],
} as const;

type Ran = OutputOf<"sessions.exec">;

const exec = async (daemon: TemporaryDaemon, session: string, command: string): Promise<Ran> =>
  await daemon.call("sessions.exec", { session, command, timeoutMs: WAIT_MS_MAX });

/** It was not run: it is reported as incomplete, or as the error that the shell makes of it. */
const isRefused = ({ ended, asks, exitCode }: Ran): boolean =>
  ended ? exitCode !== null && exitCode !== 0 : asks === "more";

for (const [name, words] of someOf(shells, "bash")) {
  test(`${name} runs no part of a command with NUL or with an unfinished quote`, async () => {
    const daemon = await shared.empty();
    const file = join(daemon.paths.dataDirectory, `${name}.txt`);
    const { id } = await daemon.run([...words]);
    await daemon.call("sessions.wait", { session: id, for: { type: "ready" }, timeoutMs: WAIT_MS_MAX });
    const nul = exec(daemon, id, `echo ran > '${file}'; echo a\u0000b`);
    await assert.rejects(nul, { code: "CONFLICT", message: /contains a NUL.*; nothing was typed$/ });
    assert.equal((await exec(daemon, id, "echo one")).output, "one\n");
    for (const quote of ["'", '"']) {
      const ran = await exec(daemon, id, `echo ran > '${file}'; echo ${quote}abc`);
      assert.ok(isRefused(ran), JSON.stringify(ran));
      const { output, exitCode } = await exec(daemon, id, `echo it${quote}s${quote}`);
      assert.deepEqual([output, exitCode], ["its\n", 0]);
    }
    assert.ok(!existsSync(file));
  });
}

test("a shell without marks reports an unfinished quote, and takes nothing behind it", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "dash.txt");
  const { id } = await daemon.run(["dash"]);
  const open = await exec(daemon, id, `echo ran > '${file}'; echo 'abc`);
  assert.deepEqual([open.ended, open.asks], [false, "more"]);
  const next = await exec(daemon, id, `echo next > '${file}'`);
  assert.deepEqual([next.ran, next.asks], [false, "more"]);
  await daemon.call("sessions.keys", { session: id, keys: ["C-c"] });
  await daemon.call("sessions.wait", { session: id, for: { type: "ready" }, timeoutMs: WAIT_MS_MAX });
  assert.equal((await exec(daemon, id, "echo next")).output, "next\n");
  assert.ok(!existsSync(file));
});

/** Asks as inquirer, enquirer and clack do: it takes each key, hides the cursor, and writes down what it got. */
const question = `
import os, sys, termios, tty
tty.setraw(0)
os.write(1, b"\\x1b[?25l? Delete the cluster? (y/N) ")
while key := os.read(0, 1):
    open(sys.argv[1], "ab").write(key)
`;

test("a program that takes each key gets none of a command or a prompt", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "keys.txt");
  const { id: session } = await daemon.run(["python3", "-c", question, file]);
  const { id: shell } = await daemon.run([...shells.bash]);
  const asked = daemon.call("sessions.exec", {
    session: shell,
    command: `python3 -c '${question}' '${file}'`,
    timeoutMs: WAIT_MS_MAX,
  });
  assert.equal((await asked).ended, false);
  for (const each of [session, shell]) {
    await daemon.untilOutput(each, "(y/N)");
    for (const inside of [false, true]) {
      const input = { session: each, command: "yes, you may", timeoutMs: 1500, inside };
      const { ran, ended } = await daemon.call("sessions.exec", input);
      assert.deepEqual([ran, ended], [false, false], `${each} ${inside}`);
    }
    const prompted = daemon.call("sessions.prompt", { session: each, text: "yes, you may", waitMs: WAIT_MS_MAX });
    const refused = await prompted.then(
      ({ state, reason }) => state === "failed" && reason !== null && /nothing was typed/.test(reason),
      ({ code, message }: LecternError) => code === "CONFLICT" && /Cannot prompt/.test(message),
    );
    assert.ok(refused, JSON.stringify(await prompted.catch(String)));
  }
  assert.ok(!existsSync(file));
});

/** How a session ends while a prompt comes. */
const ends: readonly ((daemon: TemporaryDaemon, session: string) => Promise<object>)[] = [
  (daemon, session) => daemon.call("sessions.kill", { session, graceMs: 0 }),
  (daemon, session) => daemon.call("sessions.input", { session, text: "exit\r" }),
  (daemon, session) => daemon.call("sessions.exec", { session, command: "exit 3", timeoutMs: WAIT_MS_MAX }),
  (daemon, session) => daemon.call("sessions.input", { session, text: "kill -9 $$\r" }),
];

test("of a session that ends while a prompt comes, the prompt is refused or its receipt says what became of it", async () => {
  const daemon = await shared.empty();
  const runs = ends.flatMap((end, how) =>
    [0, 1].flatMap((isFirst) => [0, 1, 5].map((steps) => ({ end, how, isFirst, steps }))),
  );
  for (const { end, how, isFirst, steps } of runs) {
    const what = `end ${how}, ${isFirst === 1 ? "first" : "last"}, after ${steps}`;
    const { id: session } = await daemon.run([...shells.bash]);
    await daemon.call("sessions.wait", { session, for: { type: "ready" }, timeoutMs: WAIT_MS_MAX });
    const file = join(daemon.paths.dataDirectory, `${session}.txt`);
    const key = `p${session}`;
    const prompt = async (): Promise<string | null> =>
      await daemon.call("sessions.prompt", { session, text: `echo once >> '${file}'`, key, waitMs: WAIT_MS_MAX }).then(
        () => null,
        (error: LecternError) => error.code,
      );
    const ended = async (): Promise<null> =>
      await end(daemon, session).then(
        () => null,
        () => null,
      );
    const first = isFirst === 1 ? prompt() : ended();
    for (let step = 0; step < steps; step++) await new Promise(setImmediate);
    const second = isFirst === 1 ? ended() : prompt();
    const codes = await Promise.all([first, second]);
    const code = codes[1 - isFirst] ?? null;
    // The prompt may have come first, and then a command is refused.
    await daemon.call("sessions.kill", { session, graceMs: 0 }).catch(() => undefined);
    await until(async () => (await daemon.call("sessions.get", { session })).state !== "running", what);
    if (code !== null) {
      assert.match(code, /^(?:CONFLICT|SESSION_ENDED|NOT_AVAILABLE)$/, what);
      assert.ok(!existsSync(file), what);
      continue;
    }
    const receipt = await daemon.call("sessions.receipt", { session, key, waitMs: WAIT_MS_MAX });
    assert.ok(isFinal(receipt), `${what}: ${receipt.state}`);
    assert.ok(receipt.state === "done" || (receipt.reason ?? "") !== "", `${what}: ${receipt.state}`);
    if (existsSync(file)) {
      assert.equal(readFileSync(file, "utf8"), "once\n", what);
      assert.doesNotMatch(receipt.reason ?? "", /nothing was typed|Enter was not pressed/, what);
    }
  }
});
