import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageLog } from "./message-log.ts";

const at = (offset: number) => ({ offset, timeUs: offset * 10 });
const say = (log: MessageLog, text: string, { id = null as string | null, offset = 1 } = {}): string =>
  log.say({ id, role: "assistant", agent: "claude", text }, at(offset));

test("ids count up, and only what changed is told", () => {
  const log = new MessageLog();
  const id = say(log, "one");
  assert.equal(id, "m1");
  assert.equal(say(log, "two"), "m2");
  assert.deepEqual(
    log.take().map((message) => message.text),
    ["one", "two"],
  );
  say(log, "one", { id, offset: 5 });
  assert.deepEqual(log.take(), []);
  say(log, "one more", { id, offset: 6 });
  const [message] = log.take();
  assert.deepEqual([message?.offset, message?.end, message?.endTimeUs], [1, 6, 60]);
});

test("one message is partial while the agent works", () => {
  const log = new MessageLog();
  const [first, second] = [say(log, "one"), say(log, "two")];
  log.setPartial(first, true, at(2));
  assert.equal(log.get(first)?.isPartial, true);
  log.setPartial(second, true, at(3));
  assert.deepEqual([log.get(first)?.isPartial, log.get(second)?.isPartial], [false, true]);
  log.setPartial(second, false, at(4));
  assert.equal(log.get(second)?.isPartial, false);
});

test("a result names the call before it", () => {
  const log = new MessageLog();
  const call = log.say(
    { id: null, role: "tool-call", agent: "pi", text: "$ ls", tool: { name: "shell", input: "ls", call: null } },
    at(1),
  );
  const result = log.say({ id: null, role: "tool-result", agent: "pi", text: "a b" }, at(2));
  assert.deepEqual(log.get(result)?.tool, { name: "shell", input: null, call });
});

test("a message is withdrawn by an empty text, and goes on after the log was saved", () => {
  const log = new MessageLog();
  const [gone, stays] = [say(log, "gone"), say(log, "stays")];
  log.withdraw(gone, at(2));
  log.take();
  const restored = new MessageLog(JSON.parse(JSON.stringify(log.save())));
  assert.equal(restored.get(gone), undefined);
  say(restored, "stays longer", { id: stays });
  assert.deepEqual(
    restored.take().map(({ id, text }) => [id, text]),
    [[stays, "stays longer"]],
  );
  assert.equal(say(restored, "next"), "m3");
});
