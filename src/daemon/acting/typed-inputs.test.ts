/** What a journal has of a prompt, as the daemon after the one that typed it reads it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson, nextOffset } from "../../protocol/payloads.ts";
import type { JournalRecord, RecordType } from "../../protocol/records.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { nothingTyped, typedInputs } from "./typed-inputs.ts";

/** `KEY=TEXT` is an input that is announced with its key, `TEXT` one of somebody who types. */
function journalOf(...inputs: readonly string[]): JournalRecord[] {
  const records: JournalRecord[] = [];
  const add = (type: RecordType, payload: Uint8Array): void => {
    const offset = records.length === 0 ? 0 : nextOffset(records.at(-1)!);
    records.push({ offset, timeUs: records.length, type, secret: false, payload });
  };
  for (const input of inputs) {
    const [text = "", key] = input.split("=").toReversed();
    const payload = Buffer.from(text);
    if (key !== undefined) add("mark", encodeJson({ type: "input-key", key, bytes: payload.length }));
    add("input", payload);
  }
  return records;
}

const read = async (
  records: readonly JournalRecord[],
  steps: Receipt["steps"] = [],
): ReturnType<typeof typedInputs> => {
  const reader = {
    start: 0,
    end: nextOffset(records.at(-1)!),
    // One record a read, as in a journal with large ones.
    read: (at: number) => {
      const found = records.find(({ offset }) => offset >= at);
      return Promise.resolve({ records: found === undefined ? [] : [found], next: found && nextOffset(found) });
    },
  };
  const entry = { refresh: () => Promise.resolve(), feed: () => Promise.resolve({ reader }) };
  return await typedInputs(entry as unknown as SessionEntry, { key: "k", steps } as unknown as Receipt);
};

const text = { ...nothingTyped, hasText: true };
const cases: readonly (readonly [what: string, inputs: readonly string[], typed: object])[] = [
  ["nothing", ["ls"], nothingTyped],
  ["the text", ["k:text=hello"], text],
  ["the text in parts", ["k:text=hel", "k:text.1=lo"], text],
  ["Enter that was not announced for a text", ["k:enter=\r"], nothingTyped],
  ["the text of another prompt, whose key begins alike", ["k:2:text=hello", "kk:text=hello"], nothingTyped],
  ["keys that take it out again", ["k:text=hello", "k:clear0=\u0015", "k:clear1=\u0015"], { ...text, clears: 2 }],
  ["somebody who types behind it", ["k:text=hello", "x"], { ...text, hasOther: true }],
  ["what somebody has typed stays typed", ["k:text=hello", "x", "\u001b[I"], { ...text, hasOther: true }],
  ["a terminal that reports its focus", ["k:text=hello", "\u001b[I"], text],
  ["a text that was typed anew", ["k:text=hello", "k:clear0=\u0015", "k:text=hello"], text],
];

for (const [what, inputs, typed] of cases)
  test(`typed for a prompt: ${what}`, async () => assert.deepEqual(await read(journalOf(...inputs)), typed));

test("the last Enter counts, and what was typed before the prompt was due does not", async () => {
  const records = journalOf("k:text=early", "k:text=hello", "k:enter=\r", "k:enter2=\r");
  const { enter } = await read(records);
  assert.deepEqual(enter, { enteredUs: records.length - 1, enterEnd: nextOffset(records.at(-1)!) });
  const steps = [
    { state: "scheduled", offset: 0, timeUs: 0 },
    { state: "accepted", offset: nextOffset(records.at(-1)!), timeUs: 1 },
  ] as unknown as Receipt["steps"];
  assert.deepEqual(await read(records, steps), nothingTyped);
});
