/** What the reader of opencode makes of the rows of its database, while another connection writes them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { lineOf } from "../../../test/support/transcript-fixtures.ts";
import { transcriptReader } from "../../core/transcripts/transcript-reader.ts";
import { RecordDatabase } from "./record-database.ts";

/** A database of opencode's tables, which another connection writes, with a write-ahead log. */
class Opencode implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "lectern-opencode-"));
  readonly path = join(this.root, "opencode.db");
  readonly #database = new DatabaseSync(this.path);
  #time = 1000;

  constructor() {
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;
      CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, revert TEXT, time_updated INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`);
  }

  session(id: string, parent: string | null = null, revert: object | null = null): void {
    const row = [id, parent, revert && JSON.stringify(revert)];
    this.#database.prepare("INSERT OR REPLACE INTO session VALUES (?, ?, ?, 1)").run(...row);
  }

  say(id: string, text: string, { session = "s", role = "user" } = {}): void {
    const time = ++this.#time;
    const data = [JSON.stringify({ role, time: { created: time } }), JSON.stringify({ type: "text", text })] as const;
    this.#database
      .prepare("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)")
      .run(id, session, time, time, data[0]);
    this.#database
      .prepare("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)")
      .run(`${id}-text`, id, session, time, time, data[1]);
  }

  async open(): Promise<() => string[]> {
    const record = await RecordDatabase.open(
      this.path,
      { isBoxed: false, root: this.root, userId: process.getuid?.() ?? 0 },
      "s",
    );
    this.#parts.use(record);
    const reader = transcriptReader("opencode");
    return () => {
      const lines: string[] = [];
      for (let bytes = record.next(); bytes.length > 0; bytes = record.next())
        lines.push(...reader.read(bytes).map(lineOf));
      assert.equal(record.state(), "same");
      return lines;
    };
  }

  readonly #parts = new DisposableStack();

  [Symbol.dispose](): void {
    this.#parts.dispose();
    this.#database.close();
    rmSync(this.root, { recursive: true });
  }
}

test("what is written appears at once, from the write-ahead log, and only of this conversation", async () => {
  using opencode = new Opencode();
  opencode.session("s");
  opencode.session("other");
  opencode.say("a", "one");
  const read = await opencode.open();
  assert.deepEqual(read(), ["conversation s", "user: one"]);
  assert.deepEqual(read(), []);
  opencode.say("x", "elsewhere", { session: "other" });
  assert.deepEqual(read(), []);
  opencode.say("b", "ON", { role: "assistant" });
  opencode.say("b", "ONE", { role: "assistant" });
  assert.deepEqual(read(), ["assistant: ONE"]);
  opencode.session("child", "s");
  opencode.say("c", "inside", { session: "child", role: "assistant" });
  assert.deepEqual(read(), ["assistant by child: inside"]);
});

test("many rows come in their order, and a revert that is undone is said again", async () => {
  using opencode = new Opencode();
  opencode.session("s");
  const texts = Array.from({ length: 500 }, (_, index) => `text ${index}`);
  for (const [index, text] of texts.entries()) opencode.say(`m${String(index).padStart(4, "0")}`, text);
  const read = await opencode.open();
  assert.deepEqual(
    read().slice(1),
    texts.map((text) => `user: ${text}`),
  );
  opencode.session("s", null, { messageID: "m0498" });
  assert.deepEqual(read(), ["rewound: m0498-text m0499-text"]);
  opencode.session("s");
  assert.deepEqual(read(), ["user: text 498", "user: text 499"]);
});
