import assert from "node:assert/strict";
import { test } from "node:test";
import { extractMessages, extractorFor, type ReadScreen } from "./extract-messages.ts";

/** `Q:` begins what a user says and `A:` an answer; other rows continue it. */
const read: ReadScreen = (rows) => {
  const messages: { role: "user" | "assistant"; text: string }[] = [];
  for (const row of rows) {
    const [, sign, text = ""] = /^([QA]): ?(.*)$/.exec(row) ?? [];
    const last = messages.at(-1);
    if (sign !== undefined) messages.push({ role: sign === "Q" ? "user" : "assistant", text });
    else if (last !== undefined && row !== "") last.text += `\n${row}`;
  }
  return messages;
};

const cast = (...parts: readonly string[]): string =>
  [
    JSON.stringify({ version: 2, width: 20, height: 5 }),
    ...parts.map((text, index) => JSON.stringify([index + 1, "o", text])),
  ].join("\n");
const said = (input: string): string[] => extractMessages(input, read).map(({ role, text }) => `${role}: ${text}`);

test("a function reads the text of a screen, with wrapped rows as one", () => {
  assert.deepEqual(said("welcome\nQ: hi\nA: one\ntwo"), ["user: hi", "assistant: one\ntwo"]);
  const long = `Q: ${"word ".repeat(30).trim()}`;
  assert.deepEqual(
    extractorFor(read, { columns: 40 })
      .extract(long)
      .map(({ text }) => text),
    [long.slice(3)],
  );
  assert.equal(extractorFor(read).agent, null);
});

test("the screens of a recording are one conversation, also if they scroll or are cleared", () => {
  const turn = ["Q: run it\r\n", "A: do", "ne\r\n1\r\n2\r\n3\r\n4\r\n5\r\n"];
  const once = ["user: run it", "assistant: done\n1\n2\n3\n4\n5"];
  assert.deepEqual(said(cast(...turn, ...turn, ...turn)), [...once, ...once, ...once]);
  assert.deepEqual(said(cast(...turn, "\u001B[H\u001B[2J\u001B[3J", "Q: next\r\n")), [...once, "user: next"]);
  assert.deepEqual(said(cast("\u001B[?1049hQ: a\r\nA: b", "\u001B[2J\u001B[HQ: c")), [
    "user: a",
    "assistant: b",
    "user: c",
  ]);
});

test("the last message may be drawn anew, and what stands before it stays", () => {
  assert.deepEqual(said(cast("Q: a\r\n", "A: thinking", "\r\u001B[KA: yes", "\r\nQ: b")), [
    "user: a",
    "assistant: yes",
    "user: b",
  ]);
});

test("messages have ids, offsets and times, and what a lost screen may have held is marked", () => {
  const messages = extractMessages(cast("Q: a\r\n", "A: b", "\u001B[H\u001B[2J\u001B[3J", "Q: c"), read);
  assert.deepEqual(
    messages.map(({ id, isIncomplete, source, agent }) => [id, isIncomplete, source, agent]),
    [
      ["m1", false, "screen", null],
      ["m2", false, "screen", null],
      ["m3", true, "screen", null],
    ],
  );
  assert.ok(messages.every(({ offset, end, timeUs, endTimeUs }) => offset <= end && timeUs <= endTimeUs));
});
