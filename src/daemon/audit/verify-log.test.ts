import assert from "node:assert/strict";
import { test } from "node:test";
import { chainRow, chainStart, writeAuditLine, type AuditRow, type ChainHead } from "../../core/gate/audit-chain.ts";
import type { KeptHead } from "./kept-heads.ts";
import { sha256 } from "./sha256.ts";
import { verifyLog } from "./verify-log.ts";

const rowOf = (call: string): AuditRow => ({ type: "start", session: "s", call, timeMs: 1, executor: "executor ∙ �" });

/** A log of so many rows as bytes, and its head. */
function logOf(count: number, call = "c"): { bytes: Buffer; head: ChainHead; lines: string[] } {
  const lines: string[] = [];
  let head = chainStart;
  for (let index = 0; index < count; index += 1) {
    const chained = chainRow(head, rowOf(`${call}${index}`), sha256);
    lines.push(writeAuditLine(chained));
    head = { sequence: chained.sequence, hash: chained.hash };
  }
  return { bytes: Buffer.from(`${lines.join("\n")}\n`), head, lines };
}

async function verdict(bytes: Buffer, head: ChainHead, kept: readonly KeptHead[] = []): Promise<string> {
  const part = { end: bytes.length, read: (at: number, size: number) => bytes.subarray(at, at + size) };
  const { verification, rows } = await verifyLog({ parts: [part] }, { head, kept }, async () => {});
  return verification.intact
    ? `intact ${rows}`
    : `${verification.problem} ${verification.sequence} at ${verification.at}`;
}

const joined = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n`);

test("whichever bit is turned, its row is named", async () => {
  const { bytes, head, lines } = logOf(4);
  assert.equal(await verdict(bytes, head), "intact 4");
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const end = at + Buffer.byteLength(line);
    for (; at < end; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        bytes[at]! ^= 1 << bit;
        assert.equal(await verdict(bytes, head), `changed ${index + 1} at ${index}`, `byte ${at}, bit ${bit}`);
        bytes[at]! ^= 1 << bit;
      }
    }
    // The line feed: two lines that have become one.
    bytes[at]! ^= 1;
    assert.match(await verdict(bytes, head), new RegExp(`^changed ${index + 1} `));
    bytes[at]! ^= 1;
    at += 1;
  }
});

test("whichever row is cut out, put in twice or put in from another log, it is named", async () => {
  const { head, lines } = logOf(6);
  const foreign = logOf(6, "other").lines;
  for (let index = 0; index < 6; index += 1) {
    assert.equal(await verdict(joined(lines.toSpliced(index, 1)), head), `removed ${index + 1} at ${index}`);
    const doubled = lines.toSpliced(index, 0, lines[index]!);
    assert.match(await verdict(joined(doubled), head), new RegExp(`^inserted ${index + 1} `));
    if (index === 0) continue;
    const strange = lines.toSpliced(index, 0, foreign[index]!);
    assert.equal(await verdict(joined(strange), head), `inserted ${index + 1} at ${index}`);
  }
});

test("a row beside the edge of a page is named like any other", async () => {
  const { head, lines } = logOf(9000);
  const pageLines = Math.floor(1_048_576 / Buffer.byteLength(`${lines[5000]}\n`));
  for (const index of [pageLines - 2, pageLines - 1, pageLines, pageLines + 1, 2 * pageLines]) {
    assert.equal(await verdict(joined(lines.toSpliced(index, 1)), head), `removed ${index + 1} at ${index}`);
    const doubled = joined(lines.toSpliced(index, 0, lines[index]!));
    assert.match(await verdict(doubled, head), new RegExp(`^inserted ${index + 1} `));
  }
});

test("a log that ends before its head was cut, and one that goes on behind it was added to", async () => {
  const { bytes, head, lines } = logOf(5);
  assert.equal(await verdict(joined(lines.slice(0, 3)), head), "removed 4 at 3");
  assert.equal(await verdict(Buffer.alloc(0), head), "removed 1 at 0");
  const { head: earlier } = logOf(3);
  assert.equal(await verdict(bytes, earlier), "inserted 4 at 3");
  assert.equal(await verdict(logOf(5, "forged").bytes, head), "changed 5 at 4");
});

test("a line without an end is no row", async () => {
  const { bytes, head } = logOf(2);
  const log = Buffer.concat([bytes, Buffer.alloc(3_000_000, "x")]);
  assert.equal(await verdict(log, head), "changed 3 at 2");
});

test("a log that was removed, cut or written anew together with its head is not the one that a session recorded", async () => {
  const { bytes, head, lines } = logOf(9000);
  const kept = [3, 4000, 9000].map((count): KeptHead => {
    const { head: then } = logOf(count);
    return { ...then, session: "s1" };
  });
  assert.equal(await verdict(bytes, head, kept), "intact 9000");
  assert.equal(await verdict(Buffer.alloc(0), chainStart, kept), "removed 1 at 0");
  const { head: shorter } = logOf(5000);
  assert.equal(await verdict(joined(lines.slice(0, 5000)), shorter, kept), "removed 5001 at 5000");
  const forged = logOf(9500, "forged");
  assert.equal(await verdict(forged.bytes, forged.head, kept), "changed 3 at 2");
  assert.equal(await verdict(forged.bytes, forged.head, kept.slice(1)), "changed 4000 at 3999");
});
