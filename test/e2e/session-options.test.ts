/** Every option of the schema, from the request to a session that is resumed by another daemon. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as z from "zod";
import { recordedOptionsSchema, sessionOptionsSchema } from "../../src/protocol/session-options.ts";
import { GitRepository } from "../support/git-repository.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";

/** Values of the options for which the schema alone gives none that the daemon accepts. */
const samples: Readonly<Record<string, unknown>> = {
  command: ["sh", "-c", "exit 0"],
  name: "named",
  labels: { project: "shop" },
  workingDirectory: "/",
  environment: { PATH: process.env["PATH"] ?? "", TOKEN: "hidden-in-the-environment" },
  wire: { policy: "version: 1\ndefault: allow\n", approvalMs: 5000, askOnce: false, mustGate: "if-known", home: "/h" },
  sandbox: { settings: "profile: look\n", optional: true },
  worktree: { name: "fix", group: "all" },
  prompt: "hidden in the prompt",
  eventSchemas: { DONE: { type: "object" } },
  eventTag: { name: "WORK_EVENT", bytesMax: 4096, msMax: 1000 },
  onBlocked: ["true", "x"],
  agent: "like:claude",
};

/** A value that is not the default one: a new option needs a sample only if this has none for its type. */
function sampleOf(name: string, schema: z.ZodType): unknown {
  if (Object.hasOwn(samples, name)) return samples[name];
  const { type, default: usual, enum: words, minimum = 0 } = z.toJSONSchema(schema, { io: "input" });
  if (type === "boolean") return usual !== true;
  if (type === "integer") return Math.max(minimum, 1) + 7;
  const word = words?.find((each) => each !== usual);
  assert.ok(word !== undefined, `The option "${name}" needs a sample in this test`);
  return word;
}

const shape: Readonly<Record<string, z.ZodType>> = sessionOptionsSchema.shape;
const isRecorded = (name: string): boolean => Object.hasOwn(recordedOptionsSchema.shape, name);

/** In a session of its own, because some exclude each other. */
async function startWith(
  daemon: TemporaryDaemon,
  name: string,
  directory: string,
): Promise<readonly [string, unknown]> {
  const value = sampleOf(name, shape[name] ?? assert.fail());
  const { command, ...input } = sessionOptionsSchema.parse({
    command: samples["command"],
    workingDirectory: directory,
    [name]: value,
  });
  const { id } = await daemon.run(command, input);
  await daemon.exitOf(id);
  return [id, Reflect.get(input, name) ?? command];
}

test("each option is stored, shown after a restart and without the registry, and resumed as it was given", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const started = new Map<string, readonly [string, unknown]>();
  for (const name of Object.keys(shape)) started.set(name, await startWith(daemon, name, repository.path));
  const shown = async (id: string, name: string): Promise<unknown> =>
    Reflect.get((await daemon.call("sessions.get", { session: id })).options, name);
  const assertShown = async (when: string): Promise<void> => {
    for (const [name, [id, value]] of started)
      if (isRecorded(name)) assert.deepEqual(await shown(id, name), value, `${name} ${when}`);
  };
  await assertShown("at once");
  await daemon.restart();
  await assertShown("after a restart");
  await daemon.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${daemon.paths.databaseFile}${suffix}`, { force: true });
  await daemon.open();
  await assertShown("without the registry");
  for (const [name, [id, value]] of started) {
    const text = readFileSync(join(daemon.paths.sessionsDirectory, id, "session.json"), "utf8");
    if (!isRecorded(name)) assert.doesNotMatch(text, /hidden/, name);
    const resumed = await daemon.call("sessions.resume", { session: id, restart: true });
    await daemon.exitOf(resumed.id);
    // A worktree is made once: the session goes on in it.
    const expected = name === "worktree" ? undefined : value;
    if (isRecorded(name)) assert.deepEqual(await shown(resumed.id, name), expected, `${name} resumed`);
    if (name === "worktree") assert.equal(resumed.worktree?.branch, "fix");
  }
  // Also not of the session with the gateway, whose program asked no model.
  assert.deepEqual(daemon.errors, []);
});

test("a session with options of a newer version is shown, and its resumption is refused by their names", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id } = await daemon.run(["sh", "-c", "exit 0"], { name: "newer" });
  await daemon.exitOf(id);
  await daemon.close();
  const database = new DatabaseSync(daemon.paths.databaseFile);
  database.exec(`UPDATE session_options SET options = json_set(options, '$.levitate', 7, '$.mode', 'sideways')`);
  database.close();
  await daemon.open();
  const found = await daemon.call("sessions.get", { session: "newer" });
  assert.match(found.damaged ?? "", /^its options "mode", "levitate" /);
  assert.equal(found.options.mode, "interactive");
  await assert.rejects(daemon.call("sessions.resume", { session: "newer", restart: true }), {
    code: "CONFLICT",
    message: /^Cannot resume "newer": its options "mode", "levitate" /,
  });
  await daemon.call("sessions.update", { session: "newer", labels: { seen: "yes" } });
  const written = JSON.parse(readFileSync(join(daemon.paths.sessionsDirectory, id, "session.json"), "utf8"));
  assert.deepEqual([written.options.levitate, written.options.mode], [7, "sideways"]);
});

test("a session whose options are lost is not started again without its walls", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id } = await daemon.run(["sh", "-c", "exit 0"], { name: "walled", retainBytesMax: 2_000_000 });
  await daemon.exitOf(id);
  const file = join(daemon.paths.sessionsDirectory, id, "session.json");
  const { options: _, ...written } = JSON.parse(readFileSync(file, "utf8"));
  for (const damage of [() => writeFileSync(file, JSON.stringify(written)), () => rmSync(file)]) {
    await daemon.close();
    rmSync(daemon.paths.databaseFile);
    damage();
    await daemon.open();
    assert.match((await daemon.call("sessions.get", { session: id })).damaged ?? "", /lost/);
    await assert.rejects(daemon.call("sessions.resume", { session: id, restart: true }), {
      code: "CONFLICT",
      message: /what it was started with is lost/,
    });
  }
});

test("a registry whose cells are damaged starts a daemon, which reads those sessions from their directories", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id } = await daemon.run(["sh", "-c", "exit 0"], { name: "kept", labels: { a: "b" }, trustText: true });
  await daemon.exitOf(id);
  for (const damage of [
    "session_options SET options = '{'",
    "sessions SET command = 'sh -c'",
    "sessions SET labels = '{'",
  ]) {
    await daemon.close();
    const database = new DatabaseSync(daemon.paths.databaseFile);
    database.exec(`UPDATE ${damage}`);
    database.close();
    await daemon.open();
    const { name, options, trustsText } = await daemon.call("sessions.get", { session: id });
    assert.deepEqual([name, options.trustText, trustsText], ["kept", true, true], damage);
  }
  const file = join(daemon.paths.sessionsDirectory, id, "session.json");
  const written = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...written, mood: "good" }));
  await daemon.call("sessions.update", { session: id, labels: { c: "d" } });
  assert.equal(JSON.parse(readFileSync(file, "utf8")).mood, "good");
});
