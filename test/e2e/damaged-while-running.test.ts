/** Each file of the data directory in turn is damaged while the daemon and a session use it; then the daemon is killed, and the next one starts. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { someOf } from "../support/variants.ts";
import { CliHome } from "./cli-home.ts";
import { damages } from "./damages.ts";

/** What must be said of a file, by the kind of damage; a kind that is not named may pass in silence, because nothing is lost. */
type Words = Readonly<Record<string, RegExp>>;

const each = (kinds: string, word: RegExp): Words => Object.fromEntries(kinds.split(" ").map((kind) => [kind, word]));

/** Files beside the journals, by their paths in the data directory. */
const dataFiles: Readonly<Record<string, Words>> = {
  token: each("emptied torn random unreadable", /The token file .* was damaged/),
  "lectern.db": {
    ...each("emptied removed", /sessions were not in the registry/),
    ...each("random unreadable", /The registry .* was damaged/),
  },
  "lectern.db-wal": {},
  "lectern.lock": {},
  "views.db": each("random unreadable", /views\.db\\" was damaged/),
  "views.db-wal": {},
  // Not there, unless SQLite maps one: then the kernel ends the daemon.
  "views.db-shm": {},
  "audit/head": each("unreadable", /Cannot open the audit log/),
  "audit/rows.jsonl": {},
  "audit/index.db": {},
  "audit/index.db-wal": {},
  "gateway.json": {},
  "daemon.json": each("unreadable", /daemon\.json/),
  "host.log": {},
  "daemon.log": each("unreadable", /The log .*daemon\.log.* was a directory/),
};

const SEGMENT = "0000000000000000.seg";
const INDEX = "0000000000000000.idx";

/** Files of a session, each damaged in a session of its own. */
const sessionFiles: Readonly<Record<string, Words>> = {
  "session.json": each("emptied random removed unreadable", /"session\.json" is damaged.*lectern rm/),
  // What is behind the damage is read, and the gap says the rest.
  [SEGMENT]: each("removed unreadable", /its journal cannot be read as a whole.*lectern rm/),
  [INDEX]: {},
  "host.json": {},
  "writer.lock": {},
  "shell-nonce": each("emptied torn random unreadable", /its shell-nonce is damaged/),
  "wire.json": each("emptied torn random unreadable", /"wire\.json" is damaged/),
  "gate.json": {},
};

const WAIT_MS_MAX = 60_000;

async function typeAndSee({ client }: CliHome, session: string, word: string): Promise<void> {
  await client.call("sessions.input", { session, text: `echo ${word}\n` });
  const wanted = { type: "output", pattern: word } as const;
  const { reason } = await client.call("sessions.wait", { session, for: wanted, timeoutMs: WAIT_MS_MAX });
  assert.equal(reason, "output");
}

/** The daemon answers, what runs is typed into and read from its start, another program starts. */
async function assertWorks(home: CliHome, session: string, word: string): Promise<void> {
  const { client } = home;
  await client.call("daemon.info", {});
  const { sessions } = await client.call("sessions.list", {});
  assert.equal(sessions.find(({ id }) => id === session)?.state, "running");
  await typeAndSee(home, session, word);
  const { text } = await client.call("sessions.logs", { session });
  assert.match(text, new RegExp(`echo before[^]*echo ${word}`));
}

async function assertStarts({ client }: CliHome): Promise<void> {
  const { id } = await client.call("sessions.create", { command: ["echo", "another one"] });
  await client.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: WAIT_MS_MAX });
  assert.match((await client.call("sessions.logs", { session: id })).text, /another one/);
  await client.call("sessions.remove", { session: id });
}

for (const [kind, damage] of someOf(damages, "random")) {
  test(`a running daemon and the next one go on where each file in turn is ${kind}`, async (t) => {
    await using home = new CliHome();
    const { client, paths } = home;
    await home.ok("run", "-d", "--name", "witness", "--", "cat");
    const ids = new Map<string, string>();
    for (const file of ["witness", ...Object.keys(sessionFiles)]) {
      const command: [string, ...string[]] = file === "shell-nonce" ? ["bash", "--norc"] : ["cat"];
      if (file !== "witness") await client.call("sessions.create", { command, name: `with-${file}` });
      const name = file === "witness" ? file : `with-${file}`;
      ids.set(file, (await client.call("sessions.get", { session: name })).id);
      await typeAndSee(home, name, "before");
    }
    const idOf = (file: string): string => ids.get(file) ?? "";
    const { pid } = await client.call("daemon.info", {});

    const damageFile = (path: string): void => {
      if (!existsSync(path)) writeFileSync(path, '{"some": "contents"}', { mode: 0o600 });
      damage(path);
    };
    for (const file of Object.keys(dataFiles)) {
      await t.test(file, async () => {
        damageFile(join(paths.dataDirectory, file));
        await assertWorks(home, idOf("witness"), `after ${file}`);
        await client.call("sessions.update", { session: "witness", labels: { file } });
        await assertStarts(home);
      });
    }
    for (const file of Object.keys(sessionFiles)) {
      await t.test(`${file} of a session`, async () => {
        damageFile(join(paths.sessionsDirectory, idOf(file), file));
        await client.call("sessions.input", { session: idOf(file), text: "echo goes on\n" });
        await assertWorks(home, idOf(file === SEGMENT ? "witness" : file), `after ${file}`);
      });
    }
    assert.equal((await client.call("daemon.info", {})).pid, pid, "it is still the same daemon");

    await home.crashDaemon();
    await home.ok("ls");
    await t.test("the next daemon", async () => {
      await assertWorks(home, idOf("witness"), "in the next daemon");
      const { text } = await client.call("sessions.logs", { session: idOf("witness") });
      for (const file of Object.keys(dataFiles)) assert.ok(text.includes(`after ${file}`));
      await assertStarts(home);
    });
    for (const [file, { [kind]: word }] of Object.entries(sessionFiles)) {
      await t.test(`${file} in the next daemon`, async () => {
        const session = idOf(file);
        if (file !== SEGMENT) return await assertWorks(home, session, "in the next daemon");
        const read = client.call("sessions.logs", { session });
        if (word !== undefined)
          return await assert.rejects(read, /JOURNAL_CORRUPT|its journal cannot be read|Cannot (read|open)/);
        const { damagedBytes, text } = await read;
        assert.ok(damagedBytes > 0);
        assert.match(text, /echo goes on/);
        await typeAndSee(home, session, "in the next daemon");
      });
    }
    const { problems } = await client.call("daemon.info", {});
    const { sessions } = await client.call("sessions.list", {});
    const { stdout } = await home.run(["doctor"]);
    const log = readFileSync(paths.logFile, "utf8");
    const said = [...problems, stdout, log].join("\n");
    for (const [file, { [kind]: word }] of Object.entries(dataFiles)) if (word) assert.match(said, word, file);
    for (const [file, { [kind]: word }] of Object.entries(sessionFiles)) {
      const listed = sessions.find(({ id }) => id === idOf(file));
      if (word === undefined) assert.equal(listed?.damaged, null, file);
      else assert.match(listed?.damaged ?? "", word, file);
    }
  });
}
