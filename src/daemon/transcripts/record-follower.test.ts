import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  globSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { readRecordFact } from "../../core/transcripts/record-fact.ts";
import { until } from "../../../test/support/until.ts";
import { RECORD_BYTES_MAX } from "./record-file.ts";
import { RecordFollower } from "./record-follower.ts";

const STARTED_MS = Date.parse("2026-11-28T12:00:00Z");
const conversation = "11111111-2222-4333-8444-555555555555";

const row = (id: string, text: string, more: object = {}): string =>
  `${JSON.stringify({
    type: "user",
    uuid: id,
    parentUuid: null,
    isSidechain: true,
    sessionId: conversation,
    timestamp: "2026-11-28T12:00:01Z",
    message: { role: "user", content: text },
    ...more,
  })}\n`;

class Followed implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), "lectern-record-"));
  readonly path = join(this.root, "project", `${conversation}.jsonl`);
  /** What the journal has, by the id of the fact. */
  readonly journal = new Map<string, unknown>();
  /** How often something was appended, also what was there. */
  appended = 0;
  readonly reasons: (string | null)[] = [];
  readonly errors: unknown[] = [];
  #follower: RecordFollower | undefined;

  constructor() {
    mkdirSync(join(this.root, "project"));
  }

  start(userId = process.getuid?.() ?? 0): void {
    this.#follower = new RecordFollower({
      paths: () => globSync(`${this.root}/project/${conversation}*`).toSorted(),
      root: this.root,
      isBoxed: false,
      userId,
      format: "claude",
      agent: "claude",
      conversation,
      startedMs: STARTED_MS,
      lastAppended: () => Promise.resolve([...this.journal.keys()].at(-1) ?? null),
      append: async ({ id, payload }) => {
        await Promise.resolve();
        this.appended += 1;
        this.journal.set(id, payload);
      },
      onProblem: (reason) => this.reasons.push(reason),
      onError: (error) => this.errors.push(error),
    });
    this.#follower.check();
  }

  get texts(): string[] {
    return [...this.journal.values()].flatMap((payload) => {
      const fact = readRecordFact(payload);
      return fact !== null && "entry" in fact && fact.entry.kind === "message" ? [fact.entry.text] : [];
    });
  }

  async has(...texts: string[]): Promise<void> {
    await until(() => {
      this.#follower?.check();
      return Promise.resolve(texts.join() === this.texts.join());
    }, `the journal has ${texts.join()}`);
  }

  async refused(pattern: RegExp): Promise<void> {
    await until(() => {
      this.#follower?.check();
      return Promise.resolve(pattern.test(this.reasons.at(-1) ?? ""));
    }, `it is refused with ${pattern}`);
    const stopped = [...this.journal.values()].map(readRecordFact).filter((fact) => fact !== null && "stopped" in fact);
    assert.match(JSON.stringify(stopped.at(-1)), pattern);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#follower?.[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true });
    assert.deepEqual(this.errors, []);
  }
}

test("a record that its agent packs says nothing twice, and goes on where it is unpacked", async () => {
  await using followed = new Followed();
  const [one, two] = [row("a", "one"), row("b", "two")];
  writeFileSync(followed.path, one);
  followed.start();
  await followed.has("one");
  writeFileSync(`${followed.path}.zst`, zstdCompressSync(one + two));
  rmSync(followed.path);
  await followed.has("one", "two");
  writeFileSync(followed.path, one + two);
  rmSync(`${followed.path}.zst`);
  appendFileSync(followed.path, row("c", "three"));
  await followed.has("one", "two", "three");
  assert.deepEqual(followed.reasons, []);
});

test("a packed record is not trusted either: one that is damaged is refused", async () => {
  await using followed = new Followed();
  writeFileSync(`${followed.path}.zst`, "text, and nothing packed");
  followed.start();
  await followed.refused(/cannot be unpacked/);
});

test("rows go to the journal as they are written, also where one comes in pieces", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "one"));
  followed.start();
  await followed.has("one");
  const second = row("b", "two");
  appendFileSync(followed.path, second.slice(0, 40));
  appendFileSync(followed.path, second.slice(40) + row("c", "three"));
  await followed.has("one", "two", "three");
});

test("a conversation in several files is read in their order, and goes on in the last", async () => {
  await using followed = new Followed();
  const second = followed.path.replace(".jsonl", "_2.jsonl");
  writeFileSync(followed.path, row("a", "one"));
  writeFileSync(second, row("b", "two"));
  followed.start();
  await followed.has("one", "two");
  appendFileSync(second, row("c", "three"));
  await followed.has("one", "two", "three");
  writeFileSync(followed.path.replace(".jsonl", "_3.jsonl"), row("d", "four"));
  await followed.has("one", "two", "three", "four");
});

test("a second follower appends nothing twice, and the record may come later than it", async () => {
  await using followed = new Followed();
  followed.start();
  writeFileSync(followed.path, row("a", "one"));
  await followed.has("one");
  const { size } = followed.journal;
  followed.start();
  appendFileSync(followed.path, row("b", "two"));
  await followed.has("one", "two");
  assert.equal(followed.journal.size, size + 1);
  // The second one has appended only what is new: the journal says what is there.
  assert.equal(followed.appended, size + 1);
});

test("a record that was written anew meanwhile has nothing that the journal ends with: all of it is appended", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "one") + row("b", "two"));
  followed.start();
  await followed.has("one", "two");
  writeFileSync(followed.path, row("c", "three"));
  followed.start();
  await followed.has("one", "two", "three");
});

test("what was said before the session began is not its own", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "old", { timestamp: "2026-11-28T11:00:00Z" }) + row("b", "new"));
  followed.start();
  await followed.has("new");
});

test("what looks like a secret is masked before it is in the journal", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", `use AKIA${"A1".repeat(8)} for it`));
  followed.start();
  await followed.has("use ••• for it");
});

test("invalid JSON in the middle: the rows behind it are read", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, `${row("a", "one")}{"type":"user","mess\n\0\0\n${row("b", "two")}`);
  followed.start();
  await followed.has("one", "two");
  assert.ok([...followed.journal.values()].some((payload) => JSON.stringify(payload).includes("not valid JSON")));
});

test("a record that is removed is reported, and followed again when it is back", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "one"));
  followed.start();
  await followed.has("one");
  renameSync(followed.path, `${followed.root}/away`);
  await followed.refused(/not there/);
  renameSync(`${followed.root}/away`, followed.path);
  appendFileSync(followed.path, row("b", "two"));
  await followed.has("one", "two");
  await until(() => Promise.resolve(followed.reasons.at(-1) === null), "it is reported");
});

test("a record that is truncated or replaced is read from its beginning, and nothing is removed or doubled", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "one") + row("b", "two"));
  followed.start();
  await followed.has("one", "two");
  truncateSync(followed.path, 0);
  appendFileSync(followed.path, row("a", "one"));
  await until(() => Promise.resolve(readFileSync(followed.path).length > 0), "it is written");
  writeFileSync(`${followed.root}/new`, row("a", "one") + row("c", "three"));
  renameSync(`${followed.root}/new`, followed.path);
  await followed.has("one", "two", "three");
});

test("a symbolic link, a pipe, a directory or a place elsewhere is refused, and nothing hangs", async () => {
  await using followed = new Followed();
  writeFileSync(join(followed.root, "other"), row("a", "secret"));
  symlinkSync(join(followed.root, "other"), followed.path);
  followed.start();
  await followed.refused(/symbolic link/);
  rmSync(followed.path);
  execFileSync("mkfifo", [followed.path]);
  await followed.refused(/not a regular file/);
  rmSync(followed.path);
  mkdirSync(followed.path);
  await followed.refused(/not a regular file/);
  rmSync(followed.path, { recursive: true });
  const elsewhere = mkdtempSync(join(tmpdir(), "lectern-record-"));
  rmSync(join(followed.root, "project"), { recursive: true });
  symlinkSync(elsewhere, join(followed.root, "project"));
  writeFileSync(followed.path, row("a", "secret"));
  await followed.refused(/not below/);
  rmSync(elsewhere, { recursive: true });
  assert.deepEqual(followed.texts, []);
});

test("a record of another user, or one that may not be read, is refused", async (context) => {
  await using followed = new Followed();
  writeFileSync(followed.path, row("a", "one"));
  followed.start((process.getuid?.() ?? 0) + 1);
  await followed.refused(/another user/);
  if (process.getuid?.() === 0) return context.diagnostic("root reads everything");
  await using closed = new Followed();
  writeFileSync(closed.path, row("a", "one"));
  chmodSync(closed.path, 0);
  closed.start();
  await closed.refused(/may not be read/);
});

test("a record that names another conversation is refused, with all that follows", async () => {
  await using followed = new Followed();
  const other = { sessionId: "99999999-2222-4333-8444-555555555555" };
  writeFileSync(followed.path, row("a", "one") + row("b", "two", other) + row("c", "three", other));
  followed.start();
  await followed.refused(/another conversation/);
  assert.deepEqual(followed.texts, ["one"]);
});

test("a record of more than 256 MiB is refused; a version that is not known leaves what it names", async () => {
  await using followed = new Followed();
  writeFileSync(followed.path, "");
  truncateSync(followed.path, RECORD_BYTES_MAX + 1);
  followed.start();
  await followed.refused(/larger than 256 MiB/);
  await using later = new Followed();
  writeFileSync(later.path, `${row("a", "one")}${JSON.stringify({ type: "later-row", sessionId: conversation })}\n`);
  later.start();
  await later.has("one");
  await until(
    () => Promise.resolve([...later.journal.values()].some((payload) => JSON.stringify(payload).includes("later-row"))),
    "the row is named",
  );
});
