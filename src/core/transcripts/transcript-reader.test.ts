import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { entriesOf, transcriptBytes } from "../../../test/support/transcript-fixtures.ts";
import type { RecordEntry } from "./record-entry.ts";
import { latestOnly, transcriptReader, type TranscriptFormat } from "./transcript-reader.ts";

const fixtures: readonly (readonly [TranscriptFormat, string])[] = [
  ["claude", "claude-2.1.332.jsonl"],
  ["claude", "claude-2.1.332-rewind-compact.jsonl"],
  ["codex", "codex-0.171.0.jsonl"],
  ["codex", "codex-0.171.0-rewind-segment.jsonl"],
  ["pi", "pi-1.6.jsonl"],
  ["opencode", "opencode-1.18.33.rows.jsonl"],
  ["qwen", "qwen-0.24.4.jsonl"],
  ["copilot", "copilot-1.0.102.jsonl"],
  ["gemini", "gemini-0.61.jsonl"],
  ["gemini", "gemini-0.61-rewind.jsonl"],
  ["cline", "cline-3.0.65.messages.jsonl"],
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (format: TranscriptFormat, parts: readonly Uint8Array[]): RecordEntry[] => {
  const reader = transcriptReader(format);
  return parts.flatMap((bytes) => reader.read(bytes));
};
const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 40 });
const fixture = fc.constantFrom(...fixtures);

/** The bytes in parts of these sizes, again and again. */
function split(bytes: Uint8Array, parts: readonly number[]): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = parts[found.length % parts.length] ?? 1;
    found.push(bytes.slice(at, at + size));
    at += size;
  }
  return found;
}

test("each split of the bytes gives the same entries", () => {
  for (const [format, file] of fixtures) {
    const bytes = transcriptBytes(file);
    assert.deepEqual(read(format, split(bytes, [1])), read(format, [bytes]), file);
  }
  fc.assert(
    fc.property(fixture, sizes, ([format, file], parts) => {
      const bytes = transcriptBytes(file);
      assert.deepEqual(read(format, split(bytes, parts)), read(format, [bytes]));
    }),
  );
});

test("a record that is read again reports no message again", () => {
  for (const [format, file] of fixtures) {
    const again = read(format, [transcriptBytes(file), transcriptBytes(file)]);
    const once = read(format, [transcriptBytes(file)]);
    const isMessage = ({ kind }: RecordEntry): boolean => kind === "message";
    if (!file.includes("rewind")) assert.deepEqual(again.filter(isMessage), once.filter(isMessage), file);
  }
});

/** What a damage leaves of a row. */
const damages: Readonly<Record<string, (row: string, at: number) => string>> = {
  "cut, and the next row on the same line": (row, at) => row.slice(0, at),
  "cut, with a line feed": (row, at) => `${row.slice(0, at)}\n`,
  "not JSON in the middle": (row, at) => `${row.slice(0, at)}<<<${row.slice(at)}\n`,
  "NULs in the middle": (row, at) => `${row.slice(0, at)}\0\0${row.slice(at)}\n`,
  "a raw line feed": (row, at) => `${row.slice(0, at)}\n${row.slice(at)}\n`,
};
/** Not at the braces at both ends: without those a row is none, or its neighbours stay whole. */
const place = fc.double({ min: 0.02, max: 0.98, noNaN: true });

test("a damage costs the damaged row only", () => {
  const pi = new TextDecoder().decode(transcriptBytes("pi-1.6.jsonl")).trimEnd().split("\n");
  const row = fc.integer({ min: 1, max: pi.length - 2 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(damages)), row, place, (kind, index, share) => {
      const damaged = pi[index] ?? "";
      const at = Math.round(damaged.length * share);
      const text = pi.map((line, of) => (of === index ? (damages[kind]?.(line, at) ?? "") : `${line}\n`)).join("");
      const without = pi.filter((_, of) => of !== index).map((line) => `${line}\n`);
      const kept = entriesOf("pi", bytesOf(text)).filter(({ kind: what }) => what === "message");
      const expected = entriesOf("pi", bytesOf(without.join(""))).filter(({ kind: what }) => what === "message");
      const has = new Set(kept.map((entry) => JSON.stringify(entry)));
      assert.deepEqual(
        expected.filter((entry) => !has.has(JSON.stringify(entry))),
        [],
        `${kind} at ${at} of row ${index}`,
      );
      assert.ok(kept.length <= expected.length + 2);
    }),
    { numRuns: runsOf(1000) },
  );
});

test("no bytes and no values make a reader throw", () => {
  const formats = fc.constantFrom(...fixtures.map(([format]) => format));
  fc.assert(
    fc.property(fixture, fc.nat(), fc.uint8Array({ maxLength: 40 }), ([format, file], at, noise) => {
      const bytes = Uint8Array.from(transcriptBytes(file));
      bytes.set(noise.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
      assert.ok(Array.isArray(read(format, [bytes])));
    }),
  );
  // Each value of a real row becomes any other.
  fc.assert(
    fc.property(formats, fc.nat(), fc.nat(), fc.jsonValue(), (format, rowAt, valueAt, value) => {
      const file = fixtures.find(([of]) => of === format)?.[1] ?? "";
      const rows = new TextDecoder().decode(transcriptBytes(file)).trimEnd().split("\n");
      const row = rows[rowAt % rows.length] ?? "";
      let count = 0;
      const values = row.match(/":/g)?.length ?? 1;
      const changed = JSON.stringify(JSON.parse(row), (_, old: unknown) =>
        count++ === valueAt % values ? value : old,
      );
      assert.ok(Array.isArray(read(format, [bytesOf(`${changed}\n`)])));
    }),
    { numRuns: runsOf(2000) },
  );
  fc.assert(
    fc.property(formats, fc.dictionary(fc.string(), fc.jsonValue()), (format, row) =>
      Array.isArray(entriesOf(format, bytesOf(`${JSON.stringify(row)}\n`))),
    ),
  );
});

const answer = (text: string) => ({ kind: "message", id: "a", role: "assistant", text, timeMs: 0 }) as const;

test("a message is reported again only when it has changed, or after it was taken back", () => {
  const isNew = latestOnly();
  assert.deepEqual([answer("x"), answer("x"), answer("xy"), answer("xy")].map(isNew), [true, false, true, false]);
  assert.ok(!isNew({ ...answer("xy"), timeMs: 5 }));
  assert.ok(isNew({ kind: "taken-back", ids: ["a"], why: "rewound" }));
  assert.ok(isNew(answer("xy")));
});
