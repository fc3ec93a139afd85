import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { AuditLog } from "./audit-log.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-audit-log-"));
after(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;
const newDirectory = (): string => join(root, `log${directories++}`);
const rowsFile = (directory: string): string => join(directory, "rows.jsonl");

const rowsOf = (call: string): readonly AuditRow[] => [
  { type: "start", session: "s1", call, timeMs: 1, executor: "test" },
  { type: "outcome", session: "s1", call, timeMs: 2, result: "succeeded", outcomeHash: null },
];

/** A log of three calls, six rows, that nobody has open. */
async function closedLog(options = {}): Promise<string> {
  const directory = newDirectory();
  await using log = await AuditLog.open(directory, options);
  for (const call of ["1", "2", "3"]) await log.append(rowsOf(call));
  return directory;
}

test("a log is continued, and finds the calls of an earlier process", async () => {
  const directory = await closedLog();
  await using log = await AuditLog.open(directory);
  assert.equal((await log.find("s1", "2"))?.stage, "finished");
  assert.equal(await log.find("s1", "4"), undefined);
  await log.append(rowsOf("4").slice(0, 1));
  assert.deepEqual(
    (await log.openCalls(10)).map(({ call, stage }) => `${call} ${stage}`),
    ["4 unfinished"],
  );
  const verification = await log.verify();
  assert.ok(verification.intact && verification.head.sequence === 7);
  assert.equal((await log.verify({ ...verification.head, hash: "0".repeat(64) })).intact, false);
});

test("a log with a changed, removed or inserted row is refused with the row and the remedy", async () => {
  const directory = await closedLog();
  const lines = readFileSync(rowsFile(directory), "utf8").trimEnd().split("\n");
  for (const [damaged, problem] of [
    [lines.with(3, lines[3]!.replace("succeeded", "failed")), "The audit row 4 was changed"],
    [lines.toSpliced(1, 1), "The audit row 2 was removed"],
    [lines.slice(0, 5), "The audit row 6 was removed"],
    [lines.toSpliced(2, 0, lines[0]!), "The audit row 1 was inserted"],
  ] as const) {
    writeFileSync(rowsFile(directory), `${damaged.join("\n")}\n`);
    await assert.rejects(AuditLog.open(directory), (error: Error & { code?: string }) => {
      assert.equal(error.code, "JOURNAL_CORRUPT");
      assert.ok(error.message.includes(`${problem}; keep a copy of the directory`), error.message);
      return true;
    });
  }
});

test("a damaged log is continued if asked, and goes on to be damaged", async () => {
  const directory = await closedLog();
  const lines = readFileSync(rowsFile(directory), "utf8").trimEnd().split("\n");
  writeFileSync(rowsFile(directory), `${lines.slice(0, 5).join("\n")}\n`);
  {
    await using log = await AuditLog.open(directory, { ifDamaged: "append" });
    await log.append(rowsOf("5"));
    assert.equal((await log.find("s1", "5"))?.stage, "finished");
  }
  await assert.rejects(AuditLog.open(directory), { code: "JOURNAL_CORRUPT" });
});

test("half a row at the end is cut off: nobody was told of it", async () => {
  const directory = await closedLog();
  const whole = readFileSync(rowsFile(directory), "utf8");
  appendFileSync(rowsFile(directory), '{"hash":"1');
  await using log = await AuditLog.open(directory);
  assert.ok((await log.verify()).intact);
  assert.equal(readFileSync(rowsFile(directory), "utf8"), whole);
});

test("one process has a log open at a time, and the next one gets it when that is over", async () => {
  const directory = await closedLog();
  const script = join(root, "open.mts");
  writeFileSync(
    script,
    `import { AuditLog } from ${JSON.stringify(join(import.meta.dirname, "audit-log.ts"))};
    try { await using log = await AuditLog.open(process.argv[2]); console.log("open"); }
    catch (error) { console.log(error.code, error.message); }`,
  );
  const openElsewhere = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, [script, directory], { timeout: 60_000 })).stdout;
  const log = await AuditLog.open(directory);
  assert.match(await openElsewhere(), /^CONFLICT .*a process has it open/);
  await assert.rejects(AuditLog.open(directory), { code: "CONFLICT" });
  await log.append(rowsOf("4"));
  await log.close();
  assert.equal(await openElsewhere(), "open\n");
});

test("a full file is followed by another, and one that is missing is a damage", async () => {
  const directory = await closedLog({ segmentBytesMax: 1 });
  const files = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  assert.equal(files.length, 3);
  await (await AuditLog.open(directory)).close();
  rmSync(join(directory, files.toSorted()[0]!));
  await assert.rejects(AuditLog.open(directory), /is missing; keep a copy/);
});

test("a directory that cannot be written is a clear error, and so is a log that was closed", async () => {
  const file = join(root, "a-file");
  writeFileSync(file, "");
  await assert.rejects(AuditLog.open(join(file, "log")), { code: "JOURNAL_WRITE_FAILED", message: /ENOTDIR/ });
  const log = await AuditLog.open(newDirectory());
  await log.close();
  await assert.rejects(log.append(rowsOf("1")), { code: "JOURNAL_WRITE_FAILED" });
});
