import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import {
  chainHash,
  chainRow,
  chainStart,
  readAuditLine,
  verifyAuditLines,
  verifyChain,
  writeAuditLine,
  type AuditRow,
  type ChainedRow,
  type ChainHead,
  type ChainVerification,
} from "./audit-chain.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const decision = (call: string): AuditRow => ({
  type: "decision",
  session: "s1",
  call,
  timeMs: 1_000,
  requester: "me",
  tool: "bash",
  source: "anthropic",
  provenance: "wire",
  argumentsHash: sha256("{}"),
  effect: "allow",
  decidedBy: "read",
  line: 5,
  policyHash: sha256("version: 1"),
  evidence: "ls",
});

const rowsOf = (call: string): readonly AuditRow[] => [
  decision(call),
  { type: "start", session: "s1", call, timeMs: 1_001, executor: "executor" },
  { type: "outcome", session: "s1", call, timeMs: 1_002, result: "succeeded", outcomeHash: sha256("out") },
];

function chainOf(rows: readonly AuditRow[]): readonly ChainedRow[] {
  const chain: ChainedRow[] = [];
  for (const row of rows) chain.push(chainRow(chain.at(-1) ?? chainStart, row, sha256));
  return chain;
}

const chain = chainOf(["1", "2", "3", "4"].flatMap((call) => rowsOf(call)));
const head: ChainHead = { sequence: 12, hash: chain.at(-1)!.hash };

/** "problem at/sequence" or "intact". */
const tell = (result: ChainVerification): string =>
  result.intact ? "intact" : `${result.problem} ${result.at}/${result.sequence}`;
const verify = (rows: readonly ChainedRow[], wanted?: ChainHead): string =>
  tell(verifyChain(rows, { sha256, ...(wanted && { head: wanted }) }));

const evil = (row: ChainedRow): ChainedRow => ({ ...row, row: { ...row.row, timeMs: 7 } });
const rehashed = (row: ChainedRow): ChainedRow => ({ ...row, hash: chainHash(row, sha256) });

test("a whole chain is intact and gives its head", () => {
  assert.deepEqual(verifyChain(chain, { sha256, head }), { intact: true, head });
  assert.deepEqual(verifyChain([], { sha256 }), { intact: true, head: chainStart });
});

test("a changed row is named, also where its hash was made anew", () => {
  for (let at = 0; at < chain.length; at += 1) {
    assert.equal(verify(chain.with(at, evil(chain[at]!)), head), `changed ${at}/${at + 1}`);
    assert.equal(verify(chain.with(at, rehashed(evil(chain[at]!))), head), `changed ${at}/${at + 1}`);
  }
});

test("a removed row is named, at the end only by the head", () => {
  for (let at = 0; at < chain.length; at += 1)
    assert.equal(verify(chain.toSpliced(at, 1), head), `removed ${at}/${at + 1}`);
  assert.equal(verify(chain.slice(0, 8)), "intact");
  assert.equal(verify(chain.slice(0, 8), head), "removed 8/9");
  assert.equal(verify(chain.slice(3, 6)), "removed 0/1");
});

test("an inserted row is named, also where it was linked to the one before", () => {
  for (let at = 0; at < chain.length; at += 1) {
    const before = chain[at - 1] ?? chainStart;
    const linked = chainRow(before, decision("evil"), sha256);
    assert.equal(verify(chain.toSpliced(at, 0, linked), head), `inserted ${at}/${at + 1}`);
    const loose = { ...linked, previous: sha256("x") };
    assert.match(verify(chain.toSpliced(at, 0, loose), head), new RegExp(`^inserted ${at}/`));
  }
  const added = chainRow(chain.at(-1)!, decision("evil"), sha256);
  assert.equal(verify([...chain, added], head), "inserted 12/13");
});

test("a row that was copied or moved is found", () => {
  assert.equal(verify([...chain.slice(0, 3), chain[1]!, ...chain.slice(3)], head), "inserted 3/2");
  assert.notEqual(verify([chain[1]!, chain[0]!, ...chain.slice(2)], head), "intact");
});

test("a part of a chain is verified from the head before it", () => {
  const from = { sequence: 3, hash: chain[2]!.hash };
  assert.equal(tell(verifyChain(chain.slice(3), { sha256, from, head })), "intact");
  assert.equal(tell(verifyChain(chain.slice(4), { sha256, from, head })), "removed 0/4");
});

test("a line is read only where it is exactly what was written", () => {
  const line = writeAuditLine(chain[0]!);
  assert.deepEqual(readAuditLine(line), chain[0]);
  for (const other of [
    ` ${line}`,
    `${line} `,
    line.replace("{", "{ "),
    line.slice(1),
    `${line.slice(0, -1)},"x":1}`,
    "null",
    "[]",
    "{}",
    '{"row":1}',
    line.replace('"decision"', '"x"'),
  ]) {
    assert.equal(readAuditLine(other), undefined, other);
  }
});

test("a file with any one bit turned names that row", () => {
  const bytes = new TextEncoder().encode(chain.map((row) => writeAuditLine(row)).join("\n"));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(6), (at, bit) => {
      const turned = bytes.with(at, bytes[at]! ^ (1 << bit));
      const result = verifyAuditLines(new TextDecoder().decode(turned).split("\n"), { sha256, head });
      const row = bytes.subarray(0, at).filter((byte) => byte === 10).length;
      assert.ok(!result.intact && Math.abs(result.at - row) <= 1, `${tell(result)} instead of ${row}`);
    }),
    { numRuns: runsOf(500) },
  );
});

test("the hash does not depend on the order of keys", () => {
  const [first] = chain;
  const reversed = Object.fromEntries(Object.entries(first!.row).toReversed()) as unknown as AuditRow;
  assert.equal(chainHash({ ...first!, row: reversed }, sha256), first!.hash);
});
