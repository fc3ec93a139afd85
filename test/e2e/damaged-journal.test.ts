/** Journals with flipped bytes and missing segments, and all that reads them. */
import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { JournalWriter } from "../../src/journal/writer.ts";
import { encodeJson } from "../../src/protocol/payloads.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const id = "0123456789";
const LINES = 3000;
/** `line 10000\r\n` with its header. */
const FRAME_BYTES = 44;
const LINE_BYTES = 12;
const TAG = `<FORGE_EVENT name="NOTE">{"text":"behindit"}</FORGE_EVENT>\r\n`;

/** An ended session of lines, one record each, in segments of 1,000 lines. Returns its directory. */
async function writeLines(home: CliHome): Promise<string> {
  const directory = join(home.paths.sessionsDirectory, id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  mkdirSync(home.paths.dataDirectory, { recursive: true, mode: 0o700 });
  const writer = await JournalWriter.open(directory, { segmentBytesMax: 1000 * FRAME_BYTES, fsync: "never" });
  for (let line = 0; line < LINES; line++) {
    writer.append("output", Buffer.from(`line ${10_000 + line}\r\n`), { timeUs: 1_700_000_000_000_000 + line });
  }
  writer.append("output", Buffer.from(TAG), { timeUs: 1_700_000_000_050_000 });
  const exit = { reason: "exited", code: 0, signal: null } as const;
  writer.append("exit", encodeJson(exit), { timeUs: 1_700_000_000_100_000 });
  await writer.close();
  const createdAt = "2026-01-01T00:00:00.000Z";
  const meta = {
    id,
    name: "long",
    state: "exited",
    command: ["seq"],
    createdAt,
    end: writer.end,
    exit,
    endedAt: createdAt,
  };
  writeFileSync(join(directory, "session.json"), JSON.stringify(meta));
  return directory;
}

const segmentsIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".seg"))
    .toSorted()
    .map((name) => join(directory, name));

/** In place: a host may append to the file meanwhile. */
function flip(path: string, at: number): void {
  const descriptor = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  writeSync(descriptor, Uint8Array.of(byte[0]! ^ 0x10), 0, 1, at);
  closeSync(descriptor);
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => /^line \d{5}$/.test(line));

test("logs, export, attach, search and reindex go on behind damage and report it; check finds it without a daemon", async () => {
  await using home = new CliHome();
  const directory = await writeLines(home);
  const intact = await home.run(["check"]);
  assert.deepEqual([intact.code, intact.stderr], [0, ""]);
  assert.match(intact.stdout, /^intact +long \(0123456789\): 3002 records in \d segments/);

  const segments = segmentsIn(directory);
  assert.ok(segments.length >= 3);
  const [first = "", second = ""] = segments;
  // In a payload, in a length field, and a whole segment.
  flip(first, 500 * FRAME_BYTES + 35);
  flip(first, 700 * FRAME_BYTES + 5);
  rmSync(second);
  const range = (line: number, lines = 1) => ({ from: line * LINE_BYTES, to: (line + lines) * LINE_BYTES });
  const damaged = [range(500), range(700), range(1000, 1000)];
  const missing = new Set([10_500, 10_700, ...Array.from({ length: 1000 }, (_, line) => 11_000 + line)]);
  const expected = Array.from({ length: LINES }, (_, line) => 10_000 + line)
    .filter((line) => !missing.has(line))
    .map((line) => `line ${line}`);

  const checked = await home.run(["check", "long", "--json"]);
  assert.equal(checked.code, 1);
  const report = JSON.parse(checked.stdout) as {
    damaged: { from: number; to: number; bytes: number; file: string | null }[];
  };
  assert.deepEqual(
    report.damaged,
    damaged.map(({ from, to }, index) => ({ from, to, bytes: to - from, file: index < 2 ? first : null })),
  );
  const text = await home.run(["check", "long"]);
  assert.equal(text.code, 1);
  assert.match(text.stdout, /^damaged +long .*\n +12 B missing, offsets 6000 to 6012: .*\.seg\n/);
  assert.match(text.stdout, /offsets 12000 to 24000: a segment file is missing\n +-> .*lectern export/);
  assert.equal(
    await home.client.call("daemon.info", {}).catch(({ code }: { code: string }) => code),
    "DAEMON_UNREACHABLE",
  );
  assert.equal((await home.run(["check", "nobody"])).code, 3);

  for (const command of [
    ["logs", "long"],
    ["logs", "long", "--raw"],
    ["export", "long", "-f", "raw"],
    ["export", "long", "-f", "text"],
    ["logs", "long", "-f"],
  ]) {
    const { code, stderr, stdout } = await home.run(command);
    assert.equal(code, 0, command.join(" "));
    assert.deepEqual(linesOf(stdout), expected, command.join(" "));
    for (const { from, to } of damaged) {
      const words = new RegExp(`offsets ${from} to ${to}: damaged|${to - from} bytes are missing here \\(damaged\\)`);
      assert.match(stderr, words, command.join(" "));
    }
  }
  const tail = await home.run(["logs", "long", "--tail", "2500"]);
  assert.match(tail.stderr, /missing between offsets 0 and \d+: damaged/);
  assert.deepEqual(linesOf(tail.stdout), expected.slice(-(2500 - 1)));

  const gaps = (await home.ok("logs", "long", "--json"))
    .split("\n")
    .filter((line) => line.includes('"type":"gap"'))
    .map((line) => (JSON.parse(line) as { gap: unknown }).gap);
  assert.deepEqual(
    gaps,
    damaged.map(({ from, to }) => ({ reason: "damaged", from, to, bytes: to - from })),
  );
  assert.equal((await home.ok("export", "long")).match(/"m", "gap \{.*damaged/g)?.length, 3);

  await using attachment = await home.client.attach("long", { from: 0, lossless: true, readOnly: true });
  const passed: { offset: number; next: number; reason: string }[] = [];
  for await (const item of attachment) if (item.type === "gap") passed.push(item);
  assert.deepEqual(
    passed.map(({ next, offset, reason }) => [offset, next, reason]),
    damaged.map(({ from, to }) => [from, to, "damaged"]),
  );

  // What is behind the damage is in the views, too.
  const { end } = JSON.parse(await home.ok("info", "long", "--json")) as { end: number };
  assert.equal((JSON.parse(await home.ok("reindex", "long", "--json")) as { offset: number }).offset, end);
  await until(
    async () => (await home.client.call("sessions.search", { words: "behindit" })).hits.length > 0,
    "an event behind the damage is found",
  );
  // With a daemon it is the same.
  assert.equal((await home.run(["check"])).code, 1);
});

test("a damaged end is a gap up to where the session had ended, and nobody waits for it", async () => {
  await using home = new CliHome();
  const directory = await writeLines(home);
  const last = segmentsIn(directory).at(-1)!;
  const size = readFileSync(last).length;
  flip(last, size - 3);
  const { code, stdout } = await home.run(["check", "long", "--json"]);
  assert.equal(code, 1);
  const { damaged } = JSON.parse(stdout) as { damaged: { from: number; file: string }[] };
  assert.deepEqual(
    damaged.map(({ from, file }) => [from, file]),
    [[LINES * LINE_BYTES + TAG.length, last]],
  );
  const followed = await home.run(["logs", "long", "-f"]);
  assert.equal(linesOf(followed.stdout).length, LINES);
  assert.match(followed.stderr, /missing here \(damaged\)/);
});

test("check reads a session that runs, and reports what is damaged in it", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "live", "--", "bash", "--norc", "--noprofile");
  await home.client.call("sessions.exec", { session: "live", command: "seq 20000" });
  assert.equal((await home.run(["check", "live"])).code, 0);
  const session = await home.client.call("sessions.get", { session: "live" });
  const [path = ""] = segmentsIn(join(home.paths.sessionsDirectory, session.id));
  flip(path, Math.floor(readFileSync(path).length / 2));
  assert.equal((await home.run(["check", "live"])).code, 1);
  // The program goes on, and its output is readable.
  const ran = await home.client.call("sessions.exec", { session: "live", command: "echo still here" });
  assert.equal(ran.output.trim(), "still here");
  const { code, stderr, stdout } = await home.run(["logs", "live"]);
  assert.equal(code, 0);
  assert.match(stdout, /still here/);
  assert.match(stderr, /missing, offsets \d+ to \d+: damaged/);
});
