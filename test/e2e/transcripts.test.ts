/**
 * The record of an agent as a source of messages: a program named `claude` writes one as Claude Code does. The daemon is killed while it grows,
 * and the record is removed afterwards: the messages are always the same.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ChatMessage } from "../../src/core/chat/message.ts";
import type { InputOf } from "../../src/protocol/operations.ts";
import type { Session } from "../../src/protocol/session.ts";
import { until } from "../support/until.ts";
import { roundsOf } from "../support/variants.ts";
import { CliHome } from "./cli-home.ts";

const KILLS = Number(process.env["LECTERN_TEST_KILLS"] ?? roundsOf(2, 4));
const TURNS = Math.max(roundsOf(20, 40), 10 * KILLS);
const conversation = "11111111-2222-4333-8444-555555555555";

/** Writes what Claude Code writes: which conversation its process is in, and then a prompt and an answer every tenth of a second. */
const agent = `#!/bin/sh
set -- $(cat /proc/$$/stat)
shift 21
mkdir -p "$HOME/.claude/sessions" "$HOME/.claude/projects/here"
printf '{"sessionId":"%s","procStart":"%s","status":"busy"}' "$CONVERSATION" "$1" > "$HOME/.claude/sessions/$$.json"
record="$HOME/.claude/projects/here/$CONVERSATION.jsonl"
row() {
  printf '{"type":"%s","uuid":"%s","parentUuid":"%s","sessionId":"%s","timestamp":"%s","message":{"id":"%s","role":"%s","content":[{"type":"text","text":"%s"}]}}\\n' \\
    "$1" "$2" "$3" "$CONVERSATION" "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" "$2" "$1" "$4" >> "$record"
}
turn=0
last=start
while [ "$turn" -lt "$TURNS" ]; do
  row user "u$turn" "$last" "go on"
  row assistant "a$turn" "u$turn" "done, number $turn"
  last="a$turn"
  turn=$((turn + 1))
  sleep 0.1
done
echo written
exec sleep 1000
`;

const said = Array.from({ length: TURNS }, (_, turn) => ["go on", `done, number ${turn}`]).flat();

class RecordHome {
  readonly lectern = new CliHome();
  readonly home: string;

  constructor() {
    const bin = join(this.lectern.directory, "bin");
    this.home = join(this.lectern.directory, "user");
    for (const directory of [bin, this.home]) mkdirSync(directory);
    writeFileSync(join(bin, "claude"), agent);
    chmodSync(join(bin, "claude"), 0o755);
  }

  async start(name: string, id: string, more: Partial<InputOf<"sessions.create">> = {}): Promise<Session> {
    return await this.lectern.client.call("sessions.create", {
      command: [join(this.lectern.directory, "bin", "claude")],
      ...more,
      name,
      workingDirectory: this.home,
      environment: { ...this.lectern.environment, HOME: this.home, CONVERSATION: id, TURNS: String(TURNS) },
    });
  }

  async messages(session: string): Promise<ChatMessage[]> {
    const { client } = this.lectern;
    const { messages } = await client.call("sessions.messages", { session, roles: ["user", "assistant"] });
    return messages;
  }

  async texts(session: string): Promise<string[]> {
    return (await this.messages(session)).map(({ text }) => text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lectern[Symbol.asyncDispose]();
  }
}

test("the messages of a record are the same over killed daemons, a removed record and a new reading", async () => {
  await using home = new RecordHome();
  const { lectern } = home;
  await lectern.ok("run", "-d", "--", "true");
  const { id } = await home.start("work", conversation);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = (await home.messages(id)).length;
    await until(
      async () => (await home.messages(id)).length > before || before === said.length,
      "more messages are there",
    );
    await lectern.crashDaemon();
    await lectern.ok("run", "-d", "--", "true");
  }
  await until(async () => (await home.messages(id)).length >= said.length, "all messages are there");
  assert.deepEqual(await home.texts(id), said);
  const messages = await home.messages(id);
  assert.ok(messages.every(({ source }) => source === "record"));

  await lectern.client.call("sessions.kill", { session: id, graceMs: 0 });
  await until(
    async () => (await lectern.client.call("sessions.get", { session: id })).state === "exited",
    "it has ended",
  );
  rmSync(join(home.home, ".claude"), { recursive: true });
  await lectern.client.call("sessions.reindex", { session: id });
  assert.deepEqual(await home.messages(id), messages);
  // Nothing was appended twice.
  const logs = await lectern.ok("logs", id, "--json");
  const ids = [...logs.matchAll(/"source":"record","id":"([0-9a-f]+)"/g)].map((match) => match[1]);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length >= said.length, String(ids.length));
});

test("two agents in one directory: each session has the words of its own", async () => {
  await using home = new RecordHome();
  await home.lectern.ok("run", "-d", "--", "true");
  const other = conversation.replace("1", "9");
  const sessions = [await home.start("one", conversation), await home.start("two", other)];
  for (const { id } of sessions)
    await until(async () => (await home.messages(id)).length >= said.length, "all messages are there");
  for (const { id } of sessions) assert.deepEqual(await home.texts(id), said);
});

test("`transcripts: { follow: false }` leaves the record alone, and a reload takes it up", async () => {
  await using home = new RecordHome();
  const { lectern } = home;
  mkdirSync(lectern.paths.dataDirectory, { recursive: true, mode: 0o700 });
  const file = join(lectern.paths.dataDirectory, "lectern.yaml");
  writeFileSync(file, "transcripts: { follow: false }\n", { mode: 0o600 });
  await lectern.ok("run", "-d", "--", "true");
  const { id } = await home.start("work", conversation);
  await until(
    async () => (await lectern.client.call("sessions.get", { session: id })).conversation?.id === conversation,
    "the conversation is known",
  );
  await lectern.client.call("sessions.wait", {
    session: id,
    for: { type: "output", pattern: "written" },
    timeoutMs: 60_000,
  });
  assert.deepEqual(await home.texts(id), []);
  writeFileSync(file, "transcripts: { follow: true }\n");
  await lectern.ok("reload");
  await until(async () => (await home.messages(id)).length >= said.length, "all messages are there");
  assert.deepEqual(await home.texts(id), said);
});

test("a record in a sandbox is read where the agent sees it, unless the profile forbids it", async () => {
  await using home = new RecordHome();
  const { client } = home.lectern;
  await home.lectern.ok("run", "-d", "--", "true");
  const bin = join(home.lectern.directory, "bin");
  const walls = (settings: string) => ({ sandbox: { settings: `readOnly: ["${bin}"]\n${settings}` } });
  const open = await home.start("open", conversation, walls("profile: work"));
  const closed = await home.start("closed", conversation.replace("1", "9"), walls("transcripts: false"));
  await until(async () => (await home.messages(open.id)).length >= said.length, "all messages are there");
  assert.deepEqual(await home.texts(open.id), said);
  assert.ok((await client.call("sessions.get", { session: closed.id })).conversation !== null);
  assert.deepEqual(await home.texts(closed.id), []);
});
