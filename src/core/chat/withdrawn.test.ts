import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageLog, type MessageDraft } from "./message-log.ts";
import { isWithdrawn, shownMessages } from "./withdrawn.ts";

const at = (offset: number) => ({ offset, timeUs: offset * 10 });
const shell = { command: "true", exitCode: 0 };
const said: readonly Omit<MessageDraft, "id">[] = [
  { role: "assistant", agent: "claude", text: "hello" },
  { role: "shell", agent: null, text: "some output", shell },
  { role: "shell", agent: null, text: "", shell },
  { role: "tool-call", agent: "claude", text: "", isPartial: true },
];

test("what the log withdraws is withdrawn, and nothing else", () => {
  for (const draft of said) {
    const log = new MessageLog();
    const id = log.say({ id: null, ...draft }, at(1));
    assert.deepEqual(log.take().map(isWithdrawn), [false]);
    log.withdraw(id, at(2));
    assert.deepEqual(log.take().map(isWithdrawn), [true]);
  }
});

test("a withdrawn message is shown only to who may have it", () => {
  const log = new MessageLog();
  const id = log.say({ id: null, role: "user", agent: "claude", text: "gone" }, at(5));
  log.say({ id: null, role: "user", agent: "claude", text: "stays" }, at(6));
  log.withdraw(id, at(7));
  const messages = log.take();
  const shown = [0, 5, 6].map((after) =>
    shownMessages(messages, after)
      .map(({ text }) => text)
      .toSorted(),
  );
  assert.deepEqual(shown, [["stays"], ["stays"], ["", "stays"]]);
});
