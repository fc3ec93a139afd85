import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AuditStore } from "../../src/daemon/audit/audit-store.ts";
import { JournalWriter } from "../../src/journal/writer.ts";
import { encodeJson } from "../../src/protocol/payloads.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { someOf } from "../support/variants.ts";
import { CliHome } from "./cli-home.ts";
import { damages } from "./damages.ts";

/** Files of the data directory beside the journals. */
const files = [
  "token",
  "lectern.db",
  "lectern.lock",
  "views.db",
  "audit/head",
  "audit/rows.jsonl",
  "audit/index.db",
  "gateway.json",
  "host.log",
];

/** Leaves a log with one row, as a daemon with a gate does. */
async function beginAuditLog(directory: string): Promise<void> {
  await using log = await AuditStore.open(directory);
  await log.append([{ type: "start", session: "s1", call: "1", timeMs: 1, executor: "executor" }]);
}

for (const [kind, damage] of someOf(damages, "random", "unreadable")) {
  test(`a daemon starts and keeps every session where all files beside the journals are ${kind}`, async () => {
    await using daemon = await TemporaryDaemon.start();
    const data = daemon.paths.dataDirectory;
    const done = await daemon.run(["echo", `kept words <FORGE_EVENT name="NOTE">{"text":"kept"}</FORGE_EVENT>`], {
      name: "done",
    });
    const nameless = await daemon.run(["sh", "-c", "echo nameless words; exit 3"], { name: "nameless" });
    const live = await daemon.run(["cat"], { name: "live" });
    await Promise.all([daemon.exitOf(done.id), daemon.exitOf(nameless.id)]);
    await daemon.close();
    await beginAuditLog(daemon.paths.auditDirectory);
    for (const name of ["gateway.json", "host.log"]) writeFileSync(join(data, name), "{}", { mode: 0o600 });
    for (const name of files) damage(join(data, name));
    damage(join(daemon.paths.sessionsDirectory, nameless.id, "session.json"));

    await daemon.open();
    const { sessions } = await daemon.call("sessions.list", {});
    const byId = new Map(sessions.map((session) => [session.id, session]));
    assert.equal(byId.size, 3);
    assert.deepEqual([byId.get(done.id)?.name, byId.get(done.id)?.exit?.code], ["done", 0]);
    assert.deepEqual([byId.get(live.id)?.name, byId.get(live.id)?.state], ["live", "running"]);
    const damaged = byId.get(nameless.id);
    assert.deepEqual([damaged?.name, damaged?.exit?.code, damaged?.command[0]], [nameless.id, 3, "sh"]);
    assert.match(damaged?.damaged ?? "", /session\.json.*lectern rm/);

    // Every record is there, and the program goes on.
    assert.match((await daemon.outputOf(done.id)).toString(), /kept words/);
    assert.match((await daemon.outputOf(nameless.id)).toString(), /nameless words/);
    await daemon.call("sessions.input", { session: "live", text: "still here\n" });
    await daemon.untilOutput("live", "still here");
    await daemon.call("sessions.kill", { session: "live", graceMs: 100 });

    // What was derived is made again; what was damaged is said.
    await daemon.call("tokens.create", { scope: "read", label: "new" });
    await until(
      async () => (await daemon.call("sessions.search", { words: "kept" })).hits.length > 0,
      "it is found again",
    );
    assert.match(readFileSync(daemon.paths.tokenFile, "utf8"), /^[\w-]{43}\n$/);
    const said = daemon.problems.join("\n");
    assert.match(said, /3 sessions were not in the registry/);
    if (kind !== "removed") assert.match(said, /The token file .* was damaged/);
    if (kind !== "removed" && kind !== "emptied") {
      assert.match(said, /The registry .* was damaged/);
      assert.match(said, /views\.db" was damaged/);
    }
    // Only a log that nobody can open is done without.
    const audit = daemon.call("audit.list", {});
    if (kind === "unreadable") await assert.rejects(audit, { code: "JOURNAL_WRITE_FAILED" });
    else await audit;

    await daemon.call("sessions.remove", { session: nameless.id });
    assert.ok(!existsSync(join(daemon.paths.sessionsDirectory, nameless.id)));
    await daemon.restart();
    const left = (await daemon.call("sessions.list", {})).sessions;
    assert.deepEqual(new Set(left.map(({ name }) => name)), new Set(["done", "live"]));
    assert.ok(left.every(({ damaged: word }) => word === null));
  });
}

test("views whose damage only shows while they are read are made again", async () => {
  await using daemon = await TemporaryDaemon.start();
  const session = await daemon.run(["echo", `kept words <FORGE_EVENT name="NOTE">{"text":"kept"}</FORGE_EVENT>`], {
    name: "done",
  });
  await daemon.exitOf(session.id);
  await until(async () => (await daemon.call("sessions.search", { words: "kept" })).hits.length > 0, "it is found");
  await daemon.close();
  const path = daemon.paths.viewsFile;
  const bytes = readFileSync(path);
  // The first page with the schema stays.
  randomBytes(bytes.length - 4096).copy(bytes, 4096);
  writeFileSync(path, bytes);
  await daemon.open();
  await until(async () => {
    const found = await daemon.call("sessions.search", { words: "kept" }).catch(() => ({ hits: [] }));
    return found.hits.length > 0;
  }, "it is found again");
  assert.match(daemon.problems.join("\n"), /views\.db" was damaged/);
});

test("a session whose directory is gone, and one whose gateway settings are damaged, are listed with the remedy", async () => {
  await using daemon = await TemporaryDaemon.start();
  const gone = await daemon.run(["true"], { name: "gone" });
  const live = await daemon.run(["cat"], { name: "live" });
  await daemon.exitOf(gone.id);
  await daemon.close();
  rmSync(join(daemon.paths.sessionsDirectory, gone.id), { recursive: true });
  writeFileSync(join(daemon.paths.sessionsDirectory, live.id, "wire.json"), "");
  await daemon.open();
  assert.match(
    (await daemon.call("sessions.get", { session: "gone" })).damaged ?? "",
    /directory is missing.*lectern rm/,
  );
  assert.match((await daemon.call("sessions.get", { session: "live" })).damaged ?? "", /wire\.json.*refused/);
  await daemon.call("sessions.remove", { session: "gone" });
  await daemon.call("sessions.remove", { session: "live", force: true });
  assert.deepEqual((await daemon.call("sessions.list", {})).sessions, []);
});

/** An ended session whose first records were trimmed, as retention leaves it. */
async function writeTrimmed(home: CliHome, id: string): Promise<number> {
  const directory = join(home.paths.sessionsDirectory, id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const writer = await JournalWriter.open(directory, { segmentBytesMax: 1000, retainBytesMax: 3000, fsync: "never" });
  for (let line = 1000; line < 2000; line++) {
    writer.append("output", Buffer.from(`line ${line}\r\n`), { timeUs: 1_700_000_000_000_000 + line });
  }
  writer.append("exit", encodeJson({ reason: "exited", code: 0, signal: null }), { timeUs: 1_700_000_000_002_000 });
  await writer.close();
  const meta = {
    id,
    name: "long",
    state: "exited",
    command: ["seq"],
    createdAt: "2026-01-01T00:00:00.000Z",
    end: writer.end,
  };
  const exit = { reason: "exited", code: 0, signal: null };
  writeFileSync(join(directory, "session.json"), JSON.stringify({ ...meta, exit, endedAt: meta.createdAt }));
  return writer.end;
}

test("logs and export say on standard error what was trimmed, end with 0, and carry it where the format can", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o700 });
  await writeTrimmed(home, "0123456789");
  const { start } = JSON.parse(await home.ok("info", "long", "--json")) as { start: number };
  assert.ok(start > 0);
  const note = new RegExp(`^\\[lectern: .* missing, offsets 0 to ${start}: .* begins at 2023-11-14T`);
  const words = [
    ["logs", "long"],
    ["logs", "long", "--raw"],
    ["logs", "long", "--tail", "100000"],
    ["export", "long"],
    ["export", "long", "-f", "text"],
    ["export", "long", "-f", "raw"],
  ];
  for (const command of words) {
    const { code, stderr, stdout } = await home.run(command);
    assert.equal(code, 0);
    assert.match(stderr, note, command.join(" "));
    assert.match(stdout, /line 1999/);
  }
  const [gap = ""] = (await home.ok("logs", "long", "--json")).split("\n");
  assert.deepEqual((JSON.parse(gap) as { gap: unknown }).gap, { reason: "trimmed", from: 0, to: start });
  const [, marker = ""] = (await home.ok("export", "long")).split("\n");
  assert.match(marker, /"m", "gap \{.*trimmed/);
  // What was not asked for is not missing.
  for (const command of [
    ["logs", "long", "--tail", "1"],
    ["logs", "long", "--from", String(start)],
  ]) {
    const { stderr } = await home.run(command);
    assert.equal(stderr, "", command.join(" "));
  }
  const { text, trimmedBytes } = await home.client.call("sessions.logs", { session: "long" });
  assert.deepEqual([trimmedBytes, text.endsWith("line 1999\n")], [start, true]);
});

test("info shows where a journal begins after a trim, before anybody reads it", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o700 });
  const id = "0123456789";
  await writeTrimmed(home, id);
  const startOf = async (): Promise<number> =>
    (JSON.parse(await home.ok("info", "long", "--json")) as { start: number }).start;
  const before = await startOf();
  // As retention does it while the daemon has the journal open.
  const directory = join(home.paths.sessionsDirectory, id);
  const [oldest, next] = readdirSync(directory)
    .filter((name) => name.endsWith("seg"))
    .toSorted();
  assert.equal(Number.parseInt(oldest ?? "", 16), before);
  rmSync(join(directory, oldest ?? ""));
  assert.equal(await startOf(), Number.parseInt(next ?? "", 16));
});

test("doctor reports an audit log that is not as it was written", async () => {
  await using home = new CliHome();
  await home.run(["run", "--", "true"]);
  assert.match((await home.run(["doctor"])).stdout, /^ok +audit log +intact, 0 rows$/m);
  await home.run(["down"]);
  await beginAuditLog(home.paths.auditDirectory);
  writeFileSync(join(home.paths.auditDirectory, "rows.jsonl"), "no row\n");
  await home.run(["ls"]);
  const doctor = await home.run(["doctor"]);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^fail +audit log .*\n.*lectern audit verify/m);
});
