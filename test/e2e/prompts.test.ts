/** Prompts to real programs: typed once, and followed. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Receipt } from "../../src/core/acting/receipt.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { roundsOf, someOf } from "../support/variants.ts";

const shared = new SharedDaemon();

const states = ({ steps }: Receipt): string[] => steps.map(({ state }) => state);

/** What was typed, as the journal has it. */
async function typed(daemon: TemporaryDaemon, session: string): Promise<number> {
  const records = await daemon.recordsOf(session);
  return records.filter((record) => record.type === "input").length;
}

test("a prompt to a shell is done when its command is, and the same key is the same prompt", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const prompt = { session: id, text: "sleep 0.3; echo hello-$((6*7))", key: "one", waitMs: 90_000, shell: true };
  const receipt = await daemon.call("sessions.prompt", prompt);
  assert.deepEqual(states(receipt), ["accepted", "typed", "echoed", "submitted", "working", "done"]);
  await daemon.untilOutput(id, "hello-42", 0);
  const inputs = await typed(daemon, id);
  assert.deepEqual(await daemon.call("sessions.prompt", prompt), receipt);
  assert.equal(await typed(daemon, id), inputs);
  await assert.rejects(daemon.call("sessions.prompt", { ...prompt, text: "other" }), { code: "CONFLICT" });
});

test("several lines are pasted as one prompt", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const text = "for i in 1 2; do\n  echo line-$i\ndone";
  const receipt = await daemon.call("sessions.prompt", { shell: true, session: id, text, waitMs: 90_000 });
  assert.equal(receipt.state, "done", receipt.reason ?? "");
  assert.match((await daemon.outputOf(id)).toString(), /line-1\r\nline-2\r\n/);
});

test("a prompt waits until the program is at its prompt, and the next one waits for it", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["python3", "-q"]);
  const [first, second] = await Promise.all([
    daemon.call("sessions.prompt", {
      shell: true,
      session: id,
      text: "import time; time.sleep(0.5); print(1)",
      waitMs: 90_000,
    }),
    daemon.call("sessions.prompt", { shell: true, session: id, text: "print(2)", waitMs: 90_000 }),
  ]);
  assert.deepEqual([first.state, second.state], ["done", "done"], `${first.reason} ${second.reason}`);
  assert.match((await daemon.outputOf(id)).toString(), /\r\n1\r\n[^]*\r\n2\r\n/);
});

test("a prompt to a session that asks a person is refused, and nothing is typed", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "-c", "read -rp 'Overwrite? [y/N] ' x; cat"]);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["blocked"] }, timeoutMs: 90_000 });
  await assert.rejects(daemon.call("sessions.prompt", { shell: true, session: id, text: "hello" }), (error: Error) => {
    assert.match(error.message, /it asks "Overwrite\?.*lectern approve/);
    return true;
  });
  assert.equal(await typed(daemon, id), 0);
});

test("a text that does not appear is not entered, and the receipt says so", async () => {
  await using daemon = await TemporaryDaemon.start(undefined, { times: { promptEchoMs: 200 } });
  const { id } = await daemon.run(["bash", "--norc", "-c", "stty -echo -icanon; echo '> '; exec cat > /dev/null"]);
  await daemon.untilOutput(id, "> ");
  const prompt = { session: id, text: "nobody sees this", force: true, waitMs: 90_000 };
  const receipt = await daemon.call("sessions.prompt", prompt);
  assert.deepEqual(states(receipt), ["accepted", "typed", "failed"]);
  assert.match(receipt.reason ?? "", /did not appear in 0.2 s/);
  const records = await daemon.recordsOf(id);
  assert.equal(records.filter((record) => record.type === "mark").length > 0, true);
  assert.equal(await typed(daemon, id), 1);
});

test("a program that draws all the time gets its prompt too, pasted as one", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "taken.txt");
  const program = join(import.meta.dirname, "../support/redrawing-program.ts");
  const { id } = await daemon.run([process.execPath, program, file]);
  const text = "one\nand two";
  const receipt = await daemon.call("sessions.prompt", { shell: true, session: id, text, waitMs: 90_000 });
  assert.deepEqual(
    states(receipt),
    ["accepted", "typed", "echoed", "submitted", "working", "done"],
    receipt.reason ?? "",
  );
  assert.equal(readFileSync(file, "utf8"), `${JSON.stringify(text)}\n`);
});

test("a daemon that stops between the steps is followed by one that goes on, and nothing is typed twice", async () => {
  const restarts = roundsOf(2, 6);
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  for (let round = 0; round < restarts; round += 1) {
    const key = `k${round}`;
    await daemon.call("sessions.prompt", { shell: true, session: id, text: `echo run-${round}-$((40+2))`, key });
    // Somewhere between two steps: each round a little later.
    await new Promise((resolve) => setTimeout(resolve, round * 60));
    await daemon.restart();
    const receipt = await daemon.call("sessions.receipt", { session: id, key, waitMs: 90_000 });
    assert.equal(receipt.state, "done", `${round}: ${receipt.reason}`);
  }
  const output = (await daemon.outputOf(id)).toString();
  for (let round = 0; round < restarts; round += 1) assert.equal(output.split(`run-${round}-42`).length, 2, `${round}`);
});

test("a prompt that waits is taken back: it is never typed, and the next one is", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const send = (text: string, key: string, waitMs = 0): Promise<Receipt> =>
    daemon.call("sessions.prompt", { shell: true, session: id, text, key, waitMs });
  await send("bash -c 'echo begun-$((40+2)); exec tail -f /dev/null'", "long");
  await send("echo never-$((40+2))", "second");
  await send("echo after-$((40+2))", "third");
  const cancelled = await daemon.call("sessions.cancel", { session: id, key: "second" });
  assert.deepEqual(states(cancelled), ["accepted", "cancelled"]);
  assert.deepEqual(await daemon.call("sessions.cancel", { session: id, key: "second" }), cancelled);
  assert.deepEqual(await send("echo never-$((40+2))", "second", 90_000), { ...cancelled, asks: null });
  // The first one has the terminal now: before, Ctrl-C would end nothing.
  await daemon.untilOutput(id, "begun-42", 0);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["working"] }, timeoutMs: 90_000 });
  await daemon.call("sessions.keys", { session: id, keys: ["C-c"] });
  const third = await daemon.call("sessions.receipt", { session: id, key: "third", waitMs: 90_000 });
  assert.equal(third.state, "done", third.reason ?? "");
  const output = (await daemon.outputOf(id)).toString();
  assert.match(output, /after-42/);
  assert.doesNotMatch(output, /never/);
  await assert.rejects(daemon.call("sessions.cancel", { session: id, key: "third" }), { code: "CONFLICT" });
  await assert.rejects(daemon.call("sessions.cancel", { session: id, key: "nobody" }), { code: "NOT_FOUND" });
});

test("a prompt is cancelled or typed, whenever it is cancelled, and never both", async () => {
  const rounds = roundsOf(4, 10);
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const cancelled = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const key = `k${round}`;
    await daemon.call("sessions.prompt", { shell: true, session: id, text: `echo round-${round}-$((40+2))`, key });
    // Each round a little later in its steps.
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    await daemon.call("sessions.cancel", { session: id, key }).catch(() => undefined);
    const { state, reason } = await daemon.call("sessions.receipt", { session: id, key, waitMs: 90_000 });
    if (state === "cancelled") cancelled.add(round);
    else assert.equal(state, "done", `${round}: ${reason}`);
  }
  const output = (await daemon.outputOf(id)).toString();
  for (let round = 0; round < rounds; round += 1) {
    assert.equal(output.split(`round-${round}-42`).length, cancelled.has(round) ? 1 : 2, `${round}`);
  }
});

test("a wait for a prompt ends with the question that the session asks, and the prompt goes on with the answer", async () => {
  const daemon = await shared.empty();
  const { id, name } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const text = "read -p 'Delete everything? [y/N] ' x; echo got-$x-$((40+2))";
  const prompt = { session: id, text, key: "asking", waitMs: 90_000, shell: true };
  const asked = await daemon.call("sessions.prompt", prompt);
  assert.match(asked.state, /submitted|working/);
  assert.equal(asked.asks?.question, "Delete everything? [y/N]");
  const { approval } = asked.asks;
  assert.equal(asked.asks.howToAnswer, `answer with "lectern approve ${name} ${approval} OPTION"`);
  assert.deepEqual(
    asked.asks.options.map((option) => option.id),
    ["y", "n"],
  );
  const wait = { session: id, key: "asking", waitMs: 90_000 };
  assert.deepEqual((await daemon.call("sessions.receipt", wait)).asks, asked.asks);
  const { approvals } = await daemon.call("approvals.list", { session: id });
  const digest = approvals[0]?.digest ?? "";
  await daemon.call("approvals.answer", { session: id, approval: approval!, option: "n", digest });
  let done = await daemon.call("sessions.receipt", wait);
  // The answer was typed; the question may stand for another moment.
  while (done.asks !== null) done = await daemon.call("sessions.receipt", wait);
  assert.deepEqual([done.state, done.asks], ["done", null]);
  await daemon.untilOutput(id, "got-n-42", 0);
});

test("a command that reads is not done, its input can be prompted, and then it is", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const commands = {
    "read x; echo got-$x-$((40+2))": "got-hello-42",
    "read -n5 -p 'keys: ' x; echo got-$x-$((40+3))": "got-hello-43",
    "head -n1": "hello",
  };
  for (const [text, shown] of Object.entries(commands)) {
    const wait = { session: id, key: `k${shown}`, waitMs: 90_000 };
    const reading = await daemon.call("sessions.prompt", { shell: true, ...wait, text });
    assert.deepEqual([reading.state, reading.asks?.question], ["working", "the command reads input"], text);
    const { next } = await daemon.call("sessions.input", { session: id, text: "hello\r" });
    await daemon.untilOutput(id, shown, next);
    let receipt = await daemon.call("sessions.receipt", wait);
    while (receipt.asks !== null) receipt = await daemon.call("sessions.receipt", wait);
    assert.equal(receipt.state, "done", text);
  }
});

test("a wait through questions goes on until the prompt is done", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc", "--noprofile"]);
  const text = "read -p 'Delete everything? [y/N] ' x; echo got-$x-$((40+2))";
  const waiting = daemon.call("sessions.prompt", {
    shell: true,
    session: id,
    text,
    waitMs: 90_000,
    throughQuestions: true,
  });
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["blocked"] }, timeoutMs: 90_000 });
  const [asked] = (await daemon.call("approvals.list", { session: id })).approvals;
  const answer = { session: id, approval: asked?.id ?? "", option: "n", digest: asked?.digest ?? "" };
  await daemon.call("approvals.answer", answer);
  assert.deepEqual([(await waiting).state, (await waiting).asks], ["done", null]);
});

test("nothing is typed into a program that is idle: it does not read", async () => {
  const daemon = await shared.empty();
  // Output brings a probe, and a stopped program is idle then; a silent one after 30 s.
  const { id } = await daemon.run(["sh", "-c", "(sleep 1; echo stopped) & kill -STOP $$; exec cat"]);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["idle"] }, timeoutMs: 90_000 });
  const prompt = { session: id, text: "rm -rf build", key: "idle", waitMs: 500 };
  const held = await daemon.call("sessions.prompt", prompt);
  assert.deepEqual([held.state, held.reason], ["accepted", "waits until it is at its prompt: idle now"]);
  assert.equal(await typed(daemon, id), 0);
});

const bashPrompt = "exec bash --norc --noprofile";
/** Each asks five times, the first time when the file `go` is there. */
const askers = {
  bash: {
    command: [
      "bash",
      "-c",
      `until [ -e "$0" ]; do sleep 0.1; done; for i in 1 2 3 4 5; do sleep 0.4; read -p "Overwrite $i? [y/n] " a; echo "$i got <$a>"; done; ${bashPrompt}`,
    ],
    answer: "n",
  },
  python3: {
    command: [
      "python3",
      "-c",
      `import os, sys, time\nwhile not os.path.exists(sys.argv[1]):\n  time.sleep(0.1)\nfor i in range(1, 6):\n  time.sleep(0.4)\n  a = input(f'Overwrite {i}? (yes/no) ')\n  print(f'{i} got <{a}>')\nos.system('${bashPrompt}')`,
    ],
    answer: "no",
  },
};
for (const [name, { command, answer }] of someOf(askers, "bash"))
  test(`a prompt that waits is not typed as the answer to a question of ${name}`, async () => {
    const daemon = await shared.empty();
    const go = join(daemon.paths.dataDirectory, "go");
    const { id } = await daemon.run([...command, go]);
    await daemon.call("sessions.prompt", { shell: true, session: id, text: "echo typed-$((40+2))", key: "queued" });
    writeFileSync(go, "");
    for (const round of [1, 2, 3, 4, 5]) {
      const until = { type: "status" as const, states: ["blocked" as const] };
      await daemon.call("sessions.wait", { session: id, for: until, timeoutMs: 90_000 });
      const { approvals } = await daemon.call("approvals.list", { session: id });
      const [asked] = approvals;
      assert.match(asked?.question ?? "", new RegExp(`Overwrite ${round}`));
      const chosen = { session: id, approval: asked?.id ?? "", option: answer, digest: asked?.digest ?? "" };
      await daemon.call("approvals.answer", chosen);
      await daemon.untilOutput(id, `${round} got <${answer}>`, 0);
    }
    const receipt = await daemon.call("sessions.receipt", { session: id, key: "queued", waitMs: 90_000 });
    assert.equal(receipt.state, "done", receipt.reason ?? "");
    await daemon.untilOutput(id, "typed-42", 0);
  });
