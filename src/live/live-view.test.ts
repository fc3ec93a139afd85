import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { screenState } from "../../test/support/screen-state.ts";
import { gunzipSync } from "node:zlib";
import { Screen } from "../core/screen/screen.ts";
import type { SessionStatus } from "../core/status/status.ts";
import type { ViewChange } from "../core/views/change.ts";
import type { ViewCheckpoint } from "../core/views/session-view.ts";
import { ViewPool } from "./view-pool.ts";
import { Records } from "../../test/support/memory-journal.ts";
import { until } from "../../test/support/until.ts";
import type { LiveView } from "./live-view.ts";
import type { ViewSource } from "./live-view-options.ts";

const aTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const decode = (data: Uint8Array): string => new TextDecoder().decode(data);

/** What an emulator in this thread shows for the records before `end`. */
function expected(source: Records, end = source.end): Screen {
  const screen = new Screen({ columns: 80, rows: 24 });
  for (const { offset, type, payload } of source.records) {
    if (offset >= end) break;
    if (type === "output") screen.feed(payload);
    if (type === "resize") screen.resize((payload[0]! << 8) + payload[1]!, (payload[2]! << 8) + payload[3]!);
  }
  return screen;
}

async function assertShows(view: LiveView, source: Records): Promise<void> {
  await view.caughtUp();
  const snapshot = await view.snapshot();
  assert.equal(snapshot.offset, source.end);
  assert.deepEqual(screenState(Screen.restore(snapshot)), screenState(expected(source)));
}

function recording(name: string, startUs?: number): Records {
  const file = readFileSync(new URL(`../../test/fixtures/recordings/${name}`, import.meta.url));
  const lines = (name.endsWith(".gz") ? gunzipSync(file) : file).toString().trim().split("\n");
  const source = new Records();
  for (const line of lines.slice(1)) {
    const [seconds, type, data] = JSON.parse(line);
    const timeUs = startUs === undefined ? undefined : startUs + Math.round(seconds * 1e6);
    if (type === "o") source.add(data, "output", timeUs);
    if (type === "i") source.add(data, "input", timeUs);
    if (type === "r") source.resize(...(data.split("x").map(Number) as [number, number]));
  }
  return source;
}

/** What a view says last; while it rests between two parts of a recording, time goes on, so that its status may say more. */
class Told {
  readonly messages = new Map<string, string>();
  status: SessionStatus | undefined;
  readonly note = (changes: readonly ViewChange[]): void => {
    for (const change of changes) {
      if (change.kind === "message") this.messages.set(change.message.id, change.message.text);
      if (change.kind === "status") this.status = change.status;
    }
  };
}

/** Whatever the clock has to do for records of this time is over. */
const hourAgoUs = (): number => (Date.now() - 3_600_000) * 1000;

async function putAwayForSure(view: LiveView, keep: (checkpoint: ViewCheckpoint) => void): Promise<void> {
  // It may be taking a checkpoint, or the clock may have something to do for it in this moment.
  while (!view.isAway) await view.putAway((checkpoint) => Promise.resolve(keep(checkpoint))).then(aTurn);
}

test("a view shows true recordings as an emulator in this thread does", async () => {
  await using pool = new ViewPool({ batchBytesMax: 1000 });
  for (const name of ["claude-two-80x24.cast", "codex-inline-events-80x24.cast.gz", "pi-encode-80x24.cast.gz"]) {
    const source = recording(name);
    const view = pool.open({ source, columns: 80, rows: 24 });
    await assertShows(view, source);
    assert.equal((await view.text({ scrollback: true })).text, expected(source).text({ scrollback: true }));
  }
});

test("a view follows what is appended and resumes from a checkpoint", async () => {
  await using pool = new ViewPool();
  const source = new Records().add("one ").add("typed", "input").resize(40, 10).add("two ");
  const view = pool.open({ source, columns: 80, rows: 24 });
  await view.caughtUp();
  const checkpoint = await view.checkpoint();
  view.close();
  const resumed = pool.open({ source, columns: 80, rows: 24, checkpoint });
  source.add("three");
  resumed.wake();
  await assertShows(resumed, source);
  assert.equal((await resumed.text()).text, "one two three");
});

test("a view reads no more than may be on its way", async () => {
  await using pool = new ViewPool({ batchBytesMax: 10, inFlightBytesMax: 20 });
  const source = new Records();
  for (let count = 0; count < 100; count += 1) source.add("0123456789");
  const view = pool.open({ source, columns: 80, rows: 24 });
  await Promise.resolve();
  await Promise.resolve();
  assert.ok(source.reads <= 3, `${source.reads} reads before the worker answered`);
  await assertShows(view, source);
});

test("a view starts anew at a gap and where the journal was trimmed", async () => {
  await using pool = new ViewPool();
  const source = new Records().add("old").add("{}", "gap").add("new");
  const view = pool.open({ source, columns: 80, rows: 24 });
  await view.caughtUp();
  assert.equal((await view.text()).text, "new");
  source.records.splice(0, 2);
  const late = pool.open({ source, columns: 80, rows: 24 });
  await late.caughtUp();
  assert.deepEqual(await late.text(), { text: "new", offset: source.end });
});

test("a view answers new questions only, only once, and only where it is the one that answers", async () => {
  await using pool = new ViewPool();
  const source = new Records().add("\u001B[5n");
  const answers: string[] = [];
  const onReply = (bytes: Uint8Array): void => void answers.push(decode(bytes));
  const old = { answer: true, answerFrom: source.end, replyAgeMsMax: 60_000 };
  const view = pool.open({ source, columns: 80, rows: 24, ...old, onReply });
  const silent = pool.open({ source, columns: 80, rows: 24, onReply });
  await view.caughtUp();
  assert.deepEqual(answers, [], "a replay answers nothing");
  source.add("\u001B[6n").add("\u001B[5n", "output", (Date.now() - 120_000) * 1000);
  view.wake();
  silent.wake();
  await Promise.all([view.caughtUp(), silent.caughtUp()]);
  assert.deepEqual(answers, ["\u001B[1;1R"], "an answer that comes two minutes late is not given");
  view.answer = false;
  source.add("\u001B[5n");
  view.wake();
  await view.caughtUp();
  assert.equal(answers.length, 1);
});

test("a view that was put away comes back with the next record or question, and tells and shows the same", async () => {
  await using pool = new ViewPool();
  const whole = recording("claude-two-80x24.cast", hourAgoUs());
  const told = new Told();
  const toldWhole = new Told();
  const other = pool.open({ source: whole, columns: 80, rows: 24, onChanges: toldWhole.note });
  await other.caughtUp();

  const source = new Records();
  let kept: ViewCheckpoint | undefined;
  let isGivenBack = 0;
  const view = pool.open({
    source,
    columns: 80,
    rows: 24,
    onChanges: told.note,
    restore: () => {
      isGivenBack += 1;
      return Promise.resolve(kept);
    },
  });
  for (const part of [0.2, 0.5, 0.9, 1]) {
    const count = Math.floor(whole.records.length * part);
    for (const record of whole.records.slice(source.records.length, count)) source.records.push(record);
    source.end = whole.records[count - 1]!.offset + whole.records[count - 1]!.payload.length;
    view.wake();
    await view.caughtUp();
    const before = await view.snapshot();
    await putAwayForSure(view, (checkpoint) => (kept = checkpoint));
    view.wake();
    await view.caughtUp();
    assert.ok(view.isAway, "who wakes it for nothing leaves it where it is");
    if (part === 0.5) assert.deepEqual(await view.snapshot(), before);
  }
  assert.deepEqual((await view.text()).text, (await other.text()).text);
  assert.deepEqual(await view.snapshot(), await other.snapshot());
  assert.ok(told.messages.size > 3);
  assert.deepEqual(told.messages, toldWhole.messages);
  // The clock may tell of the other one a moment later.
  await until(() => told.status?.state === toldWhole.status?.state);
  assert.equal(isGivenBack, 4);
  assert.equal(view.status.rebuilds, 0);
});

test("what a program asks a view that is put away is answered, and one whose checkpoint was lost reads all again", async () => {
  await using pool = new ViewPool();
  const source = new Records().add("question: ", "output", hourAgoUs());
  const answers: string[] = [];
  const onReply = (bytes: Uint8Array): void => void answers.push(decode(bytes));
  const restore = (): Promise<undefined> => Promise.reject(new Error("the disk is gone"));
  const options = { source, columns: 80, rows: 24, answer: true, replyAgeMsMax: Infinity, onReply, restore };
  const view = pool.open(options);
  await view.caughtUp();
  await putAwayForSure(view, () => undefined);
  source.add("\u001B[6n", "output", hourAgoUs());
  view.wake();
  await view.caughtUp();
  assert.deepEqual(answers, ["\u001B[1;11R"]);
  await assertShows(view, source);

  await putAwayForSure(view, () => undefined);
  await assertShows(view, source);
  assert.deepEqual(answers, ["\u001B[1;11R"], "what is read again is not answered again");

  await putAwayForSure(view, () => undefined);
  const late = view.text();
  view.close();
  await assert.rejects(late, { code: "NOT_AVAILABLE" });
});

test("the clock does not run ahead of a journal whose growth is reported late", async () => {
  await using pool = new ViewPool();
  const source = new Records();
  const late = new Records();
  const asked: string[] = [];
  const onChanges = (changes: readonly ViewChange[]): void => {
    for (const change of changes) if (change.kind === "approval") asked.push(change.approval.question);
  };
  const lateSource: ViewSource = {
    read: (from, bytesMax) => source.read(from, bytesMax),
    refresh: () => {
      for (const { payload, type, timeUs } of late.records.splice(0)) source.add(payload, type, timeUs);
    },
    get end() {
      return source.end;
    },
  };
  const nowUs = Date.now() * 1000;
  source.add(JSON.stringify({ type: "session-start", command: ["bash", "x"], columns: 80, rows: 24 }), "mark", nowUs);
  const reads = { type: "foreground", verdict: "prompt", pid: 7, program: "bash", echo: true, canonical: true };
  source.add(JSON.stringify(reads), "mark", nowUs);
  source.add("Looking for files\r\n", "output", nowUs).add("Remove all? ", "output", nowUs + 20_000);
  late.add("[y/N] ", "output", nowUs + 24_000);
  const view = pool.open({ source: lateSource, columns: 80, rows: 24, onChanges });
  await view.caughtUp();
  await until(() => asked.length > 0);
  assert.deepEqual(asked, ["Remove all? [y/N]"]);
});

test("a view refuses questions after it was closed", async () => {
  await using pool = new ViewPool();
  const view = pool.open({ source: new Records(), columns: 80, rows: 24 });
  const asked = view.snapshot();
  view.close();
  await assert.rejects(asked, { code: "NOT_AVAILABLE" });
  await assert.rejects(view.text(), { code: "NOT_AVAILABLE" });
  assert.equal(view.status.state, "closed");
});

test("a view fails with its source and says so", async () => {
  await using pool = new ViewPool();
  const source = { read: () => Promise.reject(new Error("disk on fire")) };
  const view = pool.open({ source, columns: 80, rows: 24 });
  await view.caughtUp();
  assert.equal(view.status.state, "failed");
  assert.match(view.status.message, /disk on fire/);
});

/** Each costs seconds to hours, or gigabytes, in the bare emulator. */
const hostile: Record<string, string> = {
  "a repeat count of 2^31": "a\u001B[2147483647b",
  "lines inserted": "\u001B[2147483647L",
  "lines deleted": "\u001B[2147483647M",
  "scrolling up": "\u001B[2147483647S",
  "scrolling down": "\u001B[2147483647T",
  "tabs forward": "\u001B[2147483647I",
  "tabs back": "\u001B[2147483647Z",
  "a thousand scrolls": "\u001B[9999S".repeat(1000),
  "200,000 links": Array.from({ length: 200_000 }, (_, index) => `\u001B]8;;l${index}\u0007x`).join(""),
  "a title without an end": `\u001B]0;${"t".repeat(5_000_000)}`,
  "a request for a huge window": "\u001B[8;1000000;1000000t",
  "blanks, deletions, erasures and columns":
    "\u001B[2147483647@\u001B[2147483647P\u001B[2147483647X\u001B[2147483647'}",
};

test("hostile output neither stops a view nor breaks its thread", async () => {
  await using pool = new ViewPool({ workersMax: 1, deadlineMs: 30_000 });
  for (const [name, attack] of Object.entries(hostile)) {
    const source = new Records();
    for (let at = 0; at < attack.length; at += 65_536) source.add(attack.slice(at, at + 65_536));
    source.add("\u001B\\\u001Bcafter");
    const view = pool.open({ source, columns: 80, rows: 24 });
    await view.caughtUp();
    assert.equal((await view.text()).text, "after", name);
    assert.deepEqual([view.status.rebuilds, view.status.bytesSkipped], [0, 0], name);
    view.close();
  }
});

/** Costs the emulator minutes. */
const resets = "\u001Bc".repeat(1_000_000);

test("a session whose output is too expensive keeps no neighbour waiting, and shows its own end", async () => {
  await using pool = new ViewPool({ workersMax: 1 });
  const hostiles = Array.from({ length: 2 }, () => new Records());
  for (const source of hostiles)
    for (let at = 0; at < resets.length; at += 65_536) source.add(resets.slice(at, at + 65_536));
  const views = hostiles.map((source) => pool.open({ source, columns: 80, rows: 24 }));
  const calm = new Records().add("calm");
  const neighbour = pool.open({ source: calm, columns: 80, rows: 24 });
  let answers = 0;
  const over = new AbortController();
  const caughtUp = Promise.all(views.map(async (view) => await view.caughtUp())).then(() => over.abort());
  while (!over.signal.aborted) {
    calm.add(`\rcalm ${answers}`);
    neighbour.wake();
    await neighbour.caughtUp();
    assert.equal((await neighbour.text()).text, `calm ${answers}`);
    answers += 1;
  }
  await caughtUp;
  assert.ok(answers > 10, `${answers} answers while two sessions were read`);
  for (const [index, view] of views.entries()) {
    hostiles[index]?.add("after");
    view.wake();
    await view.caughtUp();
    assert.equal((await view.text()).text, "after");
    assert.ok(view.status.bytesSkipped > 1_000_000, `${view.status.bytesSkipped} bytes were not drawn`);
    assert.deepEqual([view.status.rebuilds, view.status.offset], [0, hostiles[index]?.end]);
  }
  assert.equal(neighbour.status.bytesSkipped, 0);
});

test("an absurd resize record does not break the thread", async () => {
  await using pool = new ViewPool();
  const source = new Records().resize(65_535, 65_535).add("x");
  const view = pool.open({ source, columns: 80, rows: 24, scrollbackLinesMax: 0 });
  const { columns, rows } = await view.caughtUp().then(async () => await view.snapshot());
  assert.deepEqual([columns, rows], [1000, 500]);
});

/** 4 KiB that keep the emulator of the hanging worker busy for ever. */
const stuck = "HANG".repeat(1024);
const hanging = {
  worker: new URL("../../test/support/hanging-view-worker.ts", import.meta.url),
  workersMax: 1,
  deadlineMs: 400,
};

test("a thread that hangs is replaced: the slice is left out, every other session keeps everything", async () => {
  await using pool = new ViewPool(hanging);
  const harmless = new Records().add("harmless \u001B[1mtext").resize(100, 50);
  const attacked = new Records().resize(1000, 500).add("before ").add(stuck).add("after");
  const neighbour = pool.open({ source: harmless, columns: 80, rows: 24 });
  const view = pool.open({ source: attacked, columns: 80, rows: 24 });
  await Promise.all([view.caughtUp(), neighbour.caughtUp()]);
  assert.ok(view.status.rebuilds >= 1);
  assert.equal(view.status.bytesSkipped, 4096, "one slice is left out and counted once");
  assert.equal((await view.text()).text, "before after");
  assert.equal(view.status.state, "live");
  harmless.add(" more");
  neighbour.wake();
  await assertShows(neighbour, harmless);
  assert.equal(neighbour.status.bytesSkipped, 0);
});

test("a thread that goes on slowly is not one that hangs, however long it takes", async () => {
  await using pool = new ViewPool(hanging);
  const source = new Records().resize(1000, 500);
  for (let count = 0; count < 12; count += 1) source.add("SLOW".padEnd(4096, "."));
  const view = pool.open({ source, columns: 80, rows: 24 });
  await view.caughtUp();
  assert.deepEqual([view.status.rebuilds, view.status.bytesSkipped], [0, 0]);
});

test("a question that is asked while the thread hangs is answered after the rebuild", async () => {
  await using pool = new ViewPool(hanging);
  const source = new Records().resize(1000, 500).add(stuck).add("after");
  const view = pool.open({ source, columns: 80, rows: 24 });
  const [snapshot] = await Promise.all([view.snapshot(), view.caughtUp()]);
  assert.ok(snapshot.offset <= source.end);
  assert.equal((await view.text()).text, "after");
});

test("a screen that keeps breaking is given up after its strikes, and its neighbours go on", async () => {
  await using pool = new ViewPool({ ...hanging, strikesMax: 2 });
  const source = new Records().resize(1000, 500);
  for (let count = 0; count < 20; count += 1) source.add(stuck);
  const view = pool.open({ source, columns: 80, rows: 24 });
  const neighbour = pool.open({ source: new Records().add("fine"), columns: 80, rows: 24 });
  await view.caughtUp();
  assert.equal(view.status.state, "failed");
  await assert.rejects(view.snapshot(), { code: "NOT_AVAILABLE" });
  await neighbour.caughtUp();
  assert.equal((await neighbour.text()).text, "fine");
});

test("a view tells what it finds as it finds it, also within a tag where another one stopped", async () => {
  await using pool = new ViewPool();
  const tag = '<FORGE_EVENT name="DONE">{"ok":true}</FORGE_EVENT>';
  const start = JSON.stringify({ type: "session-start", command: ["./build"], columns: 80, rows: 24 });
  const source = new Records().add(start, "mark").add(tag.slice(0, 30));
  const told: string[] = [];
  const onChanges = (changes: readonly ViewChange[]): void => {
    for (const change of changes) if (change.kind === "event") told.push(`${change.event.name} ${change.event.trust}`);
  };
  const options = { source, columns: 80, rows: 24, events: { trustText: true }, onChanges };
  const view = pool.open(options);
  await view.caughtUp();
  const checkpoint = await view.checkpoint();
  view.close();
  assert.deepEqual(told, []);
  const resumed = pool.open({ ...options, checkpoint });
  source.add(tag.slice(30));
  resumed.wake();
  await resumed.caughtUp();
  assert.deepEqual(told, ["DONE text"]);
});

test("a pool that was closed starts no thread, whatever its screens still want", async () => {
  const pool = new ViewPool();
  const source: ViewSource = { read: () => Promise.reject(new Error("the disk is gone")) };
  const failed = pool.open({ source, columns: 80, rows: 24 });
  await failed.caughtUp();
  assert.equal(failed.status.state, "failed");
  const live = pool.open({ source: new Records().add("hello"), columns: 80, rows: 24 });
  await live.caughtUp();
  await pool[Symbol.asyncDispose]();
  failed.close();
  live.wake();
  await assert.rejects(live.snapshot(), { code: "NOT_AVAILABLE" });
  assert.throws(() => pool.open({ source, columns: 80, rows: 24 }), { code: "NOT_AVAILABLE" });
  assert.equal(pool.threads, 0);
});
