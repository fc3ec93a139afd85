import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { compressSealed } from "../journal/compress.ts";
import { temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { isWriterLocked, takeSqliteLock, takeWriterLock, type TakeWriterLock } from "../journal/writer-lock.ts";
import { JournalWriter } from "../journal/writer.ts";
import { takeJournalLock } from "./journal-lock.ts";

const ways: readonly (readonly [string, TakeWriterLock])[] = [
  ["SQLite", takeSqliteLock],
  ["the host's lock", takeJournalLock],
];

const garbage = Buffer.alloc(5000, "not a database ");

for (const [name, lock] of ways) {
  for (const [otherName, other] of ways) {
    test(`a journal that is open by ${name} cannot be opened by ${otherName}, nor after a failed attempt`, async (context) => {
      const directory = temporaryDirectory(context);
      const writer = await JournalWriter.open(directory, { lock });
      for (let attempt = 0; attempt < 3; attempt++) {
        await assert.rejects(JournalWriter.open(directory, { lock: other }), { code: "CONFLICT" });
        assert.equal(isWriterLocked(directory), true);
      }
      await writer.close();
      assert.equal(isWriterLocked(directory), false);
      await using next = await JournalWriter.open(directory, { lock: other });
      assert.equal(next.append("output", Buffer.from("x"), { timeUs: 1 }), 0);
    });
  }

  test(`a lock file with other contents is still held while its holder lives, and can be taken afterwards: ${name}`, async (context) => {
    const directory = temporaryDirectory(context);
    const path = join(directory, "writer.lock");
    writeFileSync(path, garbage);
    const child = await writing(context, directory, lock.name);
    try {
      writeFileSync(path, garbage);
      for (let attempt = 0; attempt < 3; attempt++) {
        assert.equal(isWriterLocked(directory), true);
        await assert.rejects(JournalWriter.open(directory, { lock }), { code: "CONFLICT" });
      }
      assert.equal(statSync(path).size, garbage.length, "a file that is locked is left as it is");
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    assert.equal(isWriterLocked(directory), false);
    await using writer = await JournalWriter.open(directory, { lock });
    assert.equal(writer.end, 1);
  });

  test(`a directory in place of the lock file is not locked, and is named when the journal is opened: ${name}`, async (context) => {
    const directory = temporaryDirectory(context);
    const path = join(directory, "writer.lock");
    mkdirSync(path);
    assert.equal(isWriterLocked(directory), false);
    await assert.rejects(JournalWriter.open(directory, { lock }), {
      code: "JOURNAL_WRITE_FAILED",
      message: /Cannot open journal ".*": ".*writer\.lock" is not a file, so it cannot be locked: move it away$/,
    });
    rmdirSync(path);
    await using writer = await JournalWriter.open(directory, { lock });
    assert.equal(writer.end, 0);
  });

  test(`a process that is killed leaves no lock: ${name}`, async (context) => {
    const directory = temporaryDirectory(context);
    const child = await writing(context, directory, lock.name);
    try {
      assert.equal(isWriterLocked(directory), true);
      await assert.rejects(JournalWriter.open(directory, { lock }), { code: "CONFLICT" });
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    assert.equal(isWriterLocked(directory), false);
    await using writer = await JournalWriter.open(directory, { lock });
    assert.equal(writer.end, 1);
  });
}

test("the lock is one file that only its owner can read, and a journal without one is not locked", async (context) => {
  const directory = temporaryDirectory(context);
  assert.equal(isWriterLocked(directory), false);
  assert.deepEqual(readdirSync(directory), []);
  takeWriterLock(directory, takeSqliteLock)?.release();
  assert.deepEqual(readdirSync(directory), ["writer.lock"]);
  assert.equal(statSync(join(directory, "writer.lock")).mode & 0o777, 0o600);
});

test("a file that cannot be locked is no free lock", (context) => {
  const directory = temporaryDirectory(context);
  assert.throws(() => takeSqliteLock(`${directory}/missing/writer.lock`));
  assert.throws(() => takeJournalLock(`${directory}/missing/writer.lock`));
});

test("the last segment is not compressed while somebody writes it", async (context) => {
  const directory = temporaryDirectory(context);
  const writer = await JournalWriter.open(directory, { fsync: "never" });
  writer.append("output", Buffer.alloc(100_000, "x"), { timeUs: 1 });
  assert.equal((await compressSealed(directory, { includeLast: true })).segments, 0);
  writer.append("output", Buffer.from("y"), { timeUs: 2 });
  await writer.close();
  assert.equal((await compressSealed(directory, { includeLast: true })).segments, 1);
});

/** A process that has the journal open, with one byte in it, and a child that outlives it until the end of the test. */
async function writing(context: TestContext, directory: string, lock: string): Promise<ChildProcess> {
  const script = `
    import { spawn } from "node:child_process";
    import { takeJournalLock } from "${import.meta.resolve("./journal-lock.ts")}";
    import { takeSqliteLock } from "${import.meta.resolve("../journal/writer-lock.ts")}";
    import { JournalWriter } from "${import.meta.resolve("../journal/writer.ts")}";
    const writer = await JournalWriter.open(process.argv[1], { lock: ${lock} });
    writer.append("output", Buffer.from("x"), { timeUs: 1 });
    process.stdout.write(String(spawn("sleep", ["600"], { stdio: "ignore", detached: true }).pid));
    setInterval(() => {}, 1000);`;
  const words = ["--input-type=module", "--eval", script, directory];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(child.stdout, "data")) as [Buffer];
  context.after(() => process.kill(Number(pid)));
  return child;
}
