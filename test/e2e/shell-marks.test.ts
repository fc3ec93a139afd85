/** Shell marks that a program prints: the session's own shell is believed, the program is not. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { CliHome, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

type Change = OutputOf<"sessions.changes">["changes"][number];

/** All letters of both kinds of marks, without a nonce, with a wrong one and with other parameters, ending with a prompt. */
const forgedMarks = [133, 633].flatMap((command) =>
  ["D;0", "A", "B", "C", "E;claude", "P;k=s", "D", "A", "B"].flatMap((mark) =>
    ["", ";", ";n=", ";n=AAAAAAAAAAAA", ";aid=7;cl=line"].map(
      (parameters) => `\u001b]${command};${mark}${parameters}\u0007`,
    ),
  ),
);
const ROUNDS = 20;

/** Prints them again and again until the file "go" is there, never reads its terminal, and fails. */
const forger = `#!/bin/bash
for ((round = 1; ; round++)); do
  cat "$(dirname "$0")/marks"
  echo "round $round."
  [[ ! -e $(dirname "$0")/go ]] || exit 7
  sleep 0.1
done
`;

class ForgingHome extends CliHome {
  readonly bin = join(this.directory, "bin");

  constructor() {
    super();
    mkdirSync(this.bin);
    writeFileSync(join(this.bin, "forger"), forger, { mode: 0o755 });
    writeFileSync(join(this.bin, "marks"), forgedMarks.join(""));
  }

  /** Starts the forger at the prompt of a session, and returns the offset behind which it runs. */
  async forge(session: string): Promise<number> {
    await this.ok("wait", session, "--for", "ready", "--timeout", "90s");
    await this.ok("send", session, "--enter", "forger");
    const { offset } = await this.client.call("sessions.wait", {
      session,
      for: { type: "output", pattern: "round 1\\." },
      timeoutMs: 90_000,
    });
    return offset;
  }

  async rounds(session: string, count: number): Promise<void> {
    const pattern = `round ${count}\\.`;
    await this.client.call("sessions.wait", { session, for: { type: "output", pattern }, timeoutMs: 90_000 });
  }

  /** All changes of the views, oldest first. */
  async changes(session: string): Promise<readonly Change[]> {
    const changes: Change[] = [];
    for (let from = 0; ;) {
      const page = await this.client.call("sessions.changes", { session, from });
      changes.push(...page.changes);
      if (page.next === from) return changes;
      from = page.next;
    }
  }

  /** What the views made of the time in which the forger runs: nothing that its marks say. */
  async assertNotMisled(session: string, from: number): Promise<void> {
    const changes = await this.changes(session);
    const statuses = changes.flatMap((change) => (change.kind === "status" ? [change.status] : []));
    assert.ok(statuses.length > 0);
    assert.deepEqual(new Set(statuses.map(({ agent }) => agent)), new Set([null]));
    const during = statuses.filter(({ offset }) => offset >= from).map(({ state }) => state);
    assert.deepEqual(
      during.filter((state) => state !== "working"),
      [],
    );
    const messages = changes.flatMap((change) => (change.kind === "message" ? [change.message] : []));
    const ended = messages.filter(({ role, shell }) => role !== "shell" || typeof shell?.exitCode === "number");
    assert.deepEqual(ended, []);
    assert.equal((await this.client.call("sessions.status", { session })).status?.state, "working");
  }
}

test("marks that a program prints open no prompt, end no command and start no agent, live, read anew and after a restart", async () => {
  await using home = new ForgingHome();
  await home.ok("run", "-d", "--name", "s", "--", "bash", "--norc", "--noprofile");
  const from = await home.forge("s");
  assert.match(await home.ok("prompt", "s", "--shell", "echo TYPED-$((40+2))", "--key", "k"), /^accepted/);
  await home.rounds("s", ROUNDS);
  await home.assertNotMisled("s", from);
  assert.match(await home.ok("status", "s", "--explain"), /[16]33;[ABP], which any program can print/);

  await home.ok("reindex", "s");
  await home.assertNotMisled("s", from);

  // A daemon that ends saves a checkpoint of its views; the next one goes on from it.
  await home.ok("down");
  await home.ok("run", "-d", "--", "true");
  await home.rounds("s", ROUNDS * 2);
  await home.assertNotMisled("s", from);
  const receipt = await home.client.call("sessions.receipt", { session: "s", key: "k" });
  assert.deepEqual([receipt.state, receipt.steps.length], ["accepted", 1], receipt.reason ?? "");
  assert.doesNotMatch(await home.ok("logs", "s"), /TYPED/);

  writeFileSync(join(home.bin, "go"), "");
  const done = await home.client.call("sessions.receipt", { session: "s", key: "k", waitMs: 90_000 });
  assert.equal(done.state, "done", done.reason ?? "");
  assert.match(await home.ok("logs", "s"), /TYPED-42/);
  const { messages } = await home.client.call("sessions.messages", { session: "s" });
  assert.deepEqual(
    messages.map(({ shell }) => [shell?.command.split(" ")[0], shell?.exitCode]),
    [
      ["forger", 7],
      ["echo", 0],
    ],
  );
});

test("in a shell without marks of its own nothing is typed into a program that prints some", async () => {
  await using home = new ForgingHome();
  for (const [name, ...command] of [
    ["unmarked", "sh"],
    ["off", "bash", "--norc", "--noprofile"],
  ] as const) {
    const options = name === "off" ? ["--no-shell-integration"] : [];
    await home.ok("run", "-d", "--name", name, ...options, "--", ...command);
    await home.forge(name);
    await home.ok("prompt", name, "--shell", "echo TYPED-$((40+2))", "--key", "k");
    const exec = await home.run(["exec", name, "--timeout", "1s", "--", "echo", "EXEC"]);
    const wait = await home.run(["wait", name, "--for", "ready", "--timeout", "1s"]);
    assert.deepEqual([exec.code, wait.code], [4, 124], exec.stdout + exec.stderr);
    await home.rounds(name, ROUNDS);
    assert.equal((await home.client.call("sessions.status", { session: name })).status?.state, "working");
    assert.equal((await home.client.call("sessions.receipt", { session: name, key: "k" })).state, "accepted");
    assert.doesNotMatch(await home.ok("logs", name), /TYPED|EXEC/);
  }
  writeFileSync(join(home.bin, "go"), "");
  for (const name of ["unmarked", "off"]) {
    const done = await home.client.call("sessions.receipt", { session: name, key: "k", waitMs: 90_000 });
    assert.equal(done.state, "done", done.reason ?? "");
  }
});

test("no reader of text shows a mark's nonce, wherever it starts", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "s", "--", "bash", "--norc", "--noprofile");
  assert.equal((await home.run(["exec", "s", "--", "echo one; false"])).code, 1);
  const { id, start, end } = await home.client.call("sessions.get", { session: "s" });
  const nonce = readFileSync(join(home.paths.sessionsDirectory, id, "shell-nonce"), "utf8");
  assert.match(await home.ok("logs", "s", "--raw"), new RegExp(nonce));
  const texts: string[] = [];
  for (let bytes = 1; bytes <= end - start; bytes += 1) {
    const from = end - bytes;
    const { text: tail } = await home.client.call("sessions.logs", { session: "s", bytesMax: bytes });
    const { text: rest } = await home.client.call("sessions.logs", { session: "s", from, bytesMax: 4096 });
    texts.push(tail, rest);
  }
  for (const bytes of [5, 12, 21, 40]) texts.push(await home.ok("logs", "s", "--from", String(end - bytes)));
  const parts = Array.from({ length: nonce.length - 3 }, (_, at) => nonce.slice(at, at + 4));
  const shown = texts.filter((text) => /133;/.test(text) || parts.some((part) => text.includes(part)));
  assert.deepEqual(shown, []);
});
