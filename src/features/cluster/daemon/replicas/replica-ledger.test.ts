import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ReplicaLedger } from "./replica-ledger.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-ledger-"));
after(() => rmSync(directory, { recursive: true }));
const fail = (error: unknown): void => assert.fail(String(error));
const facts = { created: "now", lastSequence: 10, bytes: 100 };

async function withComplete(path: string): Promise<void> {
  const ledger = new ReplicaLedger(path, fail);
  ledger.compare(facts);
  ledger.complete("a", { end: 7, sequence: 4 });
  ledger.complete("b", { end: 8, sequence: 9 });
  ledger.remove("c");
  await ledger.close();
}

test("what is complete and what is to be removed is known to the next daemon", async () => {
  const path = join(directory, "kept.json");
  await withComplete(path);
  const ledger = new ReplicaLedger(path, fail);
  assert.equal(ledger.compare({ ...facts, lastSequence: 12 }), false);
  assert.deepEqual(
    [ledger.isComplete("a", 7), ledger.isComplete("a", 9), ledger.isComplete("b", 8)],
    [true, false, true],
  );
  assert.deepEqual(ledger.removed, ["c"]);
  ledger.forget("c");
  await ledger.close();
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")).removed, []);
});

test("a stream that lost its end, or is another one, makes sessions incomplete", async () => {
  const path = join(directory, "lost.json");
  await withComplete(path);
  const ledger = new ReplicaLedger(path, fail);
  assert.equal(ledger.compare({ ...facts, lastSequence: 5 }), true);
  assert.deepEqual([ledger.isComplete("a", 7), ledger.isComplete("b", 8)], [true, false]);
  assert.equal(ledger.compare({ ...facts, created: "later" }), true);
  assert.equal(ledger.isComplete("a", 7), false);
  await ledger.close();
});

test("a file that cannot be read costs a comparison only", async () => {
  const path = join(directory, "damaged.json");
  writeFileSync(path, "{");
  const ledger = new ReplicaLedger(path, fail);
  assert.equal(ledger.isComplete("a", 7), false);
  assert.deepEqual(ledger.removed, []);
  await ledger.close();
});
