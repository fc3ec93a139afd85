import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "../../../core/chat/message.ts";
import { MessageUpdates, type MessageUpdate, appendedText } from "./message-updates.ts";
import fc from "fast-check";

let offset = 0;
const message = (given: Partial<ChatMessage>): ChatMessage => ({
  id: "m1",
  role: "assistant",
  agent: "claude",
  text: "",
  source: "screen",
  isPartial: false,
  isIncomplete: false,
  offset: 1,
  end: (offset += 1),
  timeUs: 0,
  endTimeUs: 0,
  ...given,
});

const texts = (updates: readonly MessageUpdate[]): string[][] =>
  updates.map((update) =>
    "messageId" in update
      ? [update.messageId, update.content.text]
      : [update.sessionUpdate, update.toolCallId, update.status],
  );

test("a message that grows is sent line by line, and its last line when it is whole", () => {
  const updates = new MessageUpdates();
  assert.deepEqual(texts(updates.apply(message({ text: "One\nTw", isPartial: true }))), [["m1", "One\n"]]);
  assert.deepEqual(texts(updates.apply(message({ text: "One\nTwo", isPartial: true }))), []);
  assert.deepEqual(texts(updates.apply(message({ text: "One\nTwo" }))), [["m1", "Two"]]);
  assert.deepEqual(texts(updates.apply(message({ text: "**One**\nTwo", source: "record" }))), []);
});

test("the end of a turn sends what was held back", () => {
  const updates = new MessageUpdates();
  updates.apply(message({ text: "One\nTw", isPartial: true }));
  updates.apply(
    message({ id: "m2", role: "tool-call", text: "Bash(ls)", tool: { name: "Bash", input: null, call: null } }),
  );
  assert.deepEqual(texts(updates.finish()), [
    ["m1", "Tw"],
    ["tool_call_update", "m2", "completed"],
  ]);
  assert.deepEqual(updates.finish(), []);
});

test("a message that becomes another one is sent under a new id", () => {
  const updates = new MessageUpdates();
  updates.apply(message({ text: "Reading" }));
  assert.deepEqual(texts(updates.apply(message({ text: "Read 3 files" }))), [["m1-2", "Read 3 files"]]);
  assert.deepEqual(texts(updates.apply(message({ text: "Read 3 files, done" }))), [["m1-2", ", done"]]);
  assert.deepEqual(updates.apply(message({ text: "" })), [], "withdrawn");
});

test("an older version of a message changes nothing", () => {
  const updates = new MessageUpdates();
  const old = message({ text: "One", isPartial: true });
  updates.apply(message({ text: "One\nTwo" }));
  assert.deepEqual(updates.apply(old), []);
});

test("a prompt of the client is not sent back, one of somebody else is", () => {
  const updates = new MessageUpdates();
  updates.expect("fix the\ntest");
  assert.deepEqual(updates.apply(message({ role: "user", text: "fix the test" })), []);
  const next = updates.apply(message({ id: "m2", role: "user", text: "fix the test" }));
  assert.deepEqual(texts(next), [["m2", "fix the test"]]);
});

test("a call of a tool and its result are one call, also where a screen does not name it", () => {
  const updates = new MessageUpdates();
  const call = { name: "Bash", input: '{"command":"ls"}', call: "t1" };
  const [made] = updates.apply(message({ role: "tool-call", text: "Bash(ls)", tool: call }));
  assert.ok(made?.sessionUpdate === "tool_call");
  assert.deepEqual([made.kind, made.title, made.rawInput], ["execute", "Bash(ls)", { command: "ls" }]);
  const result = { role: "tool-result", text: "a.txt", tool: { ...call, input: null } } as const;
  assert.deepEqual(texts(updates.apply(message({ id: "m2", ...result }))), [["tool_call_update", "t1", "completed"]]);
  updates.apply(
    message({ id: "m3", role: "tool-call", text: "Read(x)", tool: { name: "Read", input: "x", call: null } }),
  );
  const read = message({ id: "m4", role: "tool-result", text: "x", tool: { name: "Read", input: null, call: null } });
  assert.deepEqual(texts(updates.apply(read)), [["tool_call_update", "m3", "completed"]]);
});

test("a call without a result has ended when something new is said", () => {
  const updates = new MessageUpdates();
  updates.apply(message({ role: "tool-call", text: "Bash(ls)" }));
  const said = updates.apply(message({ id: "m2", text: "Done." }));
  assert.deepEqual(texts(said), [
    ["tool_call_update", "m1", "completed"],
    ["m2", "Done."],
  ]);
});

test("what was there before is not sent, and what is added to it is", () => {
  const updates = new MessageUpdates();
  updates.skip([message({ text: "One", isPartial: true })]);
  assert.deepEqual(texts(updates.apply(message({ text: "One and more" }))), [["m1", " and more"]]);
});

test("a text that goes on is sent from where it was", () => {
  assert.equal(appendedText("", "Hello"), "Hello");
  assert.equal(appendedText("Hello", "Hello, you"), ", you");
  assert.equal(appendedText("Hello", "Hello"), "");
});

test("markup that a better source gives back is not another text", () => {
  assert.equal(appendedText("A bold word", "A **bold** word"), "");
  assert.equal(appendedText("• one\n• two", "- one\n- two\n- three"), "\n- three");
  assert.equal(appendedText("Grüße 👋 a", "**Grüße** 👋 ab"), "b");
});

test("a text with other letters is another one", () => {
  assert.equal(appendedText("Reading 3 files", "Read 3 files"), null);
  assert.equal(appendedText("Hello", "Hell"), null);
});

test("whatever is sent piece by piece is in the end the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (parts) => {
      let sent = "";
      for (let count = 0; count <= parts.length; count += 1) {
        const tail = appendedText(sent, parts.slice(0, count).join(""));
        assert.notEqual(tail, null);
        sent += tail;
      }
      assert.equal(sent, parts.join(""));
    }),
  );
});
