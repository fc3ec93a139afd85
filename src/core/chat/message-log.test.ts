import assert from "node:assert/strict";
import { test } from "node:test";
import { orderOf } from "./message.ts";
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

test("an answer that grew when its agent ended has no end, and a prompt that waited for one is whole", () => {
  const log = new MessageLog();
  const prompt = log.say({ id: null, role: "user", agent: "codex", text: "go on" }, at(1));
  log.setPartial(prompt, true, at(2));
  log.cutPartial(at(3));
  const answer = say(log, "half of");
  log.setPartial(answer, true, at(4));
  log.cutPartial(at(5));
  log.cutPartial(at(6));
  assert.deepEqual(
    [prompt, answer].map((id) => [log.get(id)?.isPartial, log.get(id)?.isIncomplete]),
    [
      [false, false],
      [false, true],
    ],
  );
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

test("an approval follows the call that it is about, also if the call is shown later", () => {
  const log = new MessageLog();
  const call = (input: string, offset: number): string =>
    log.say(
      { id: null, role: "tool-call", agent: "pi", text: `$ ${input}`, tool: { name: "shell", input, call: null } },
      at(offset),
    );
  const ask = (text: string, offset: number): string => {
    const id = log.say({ id: null, role: "approval", agent: "pi", text, approval: "a" }, at(offset));
    log.finish(id, at(offset));
    return id;
  };
  const user = log.say({ id: null, role: "user", agent: "pi", text: "go" }, at(1));
  const asked = [ask("Run?\nls -a\n[ ] 1. Yes", 2), ask("Run?\nrm b\n[ ] 1. Yes", 3)];
  const calls = [call("ls -a", 4), call("rm b", 5)];
  const shown = [call("cat c", 6), ask("Run?\ncat c\n[ ] 1. Yes", 7), call("echo d", 8)];
  const order = log
    .take()
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .map(({ id }) => id);
  assert.deepEqual(order, [user, calls[0], asked[0], calls[1], asked[1], ...shown]);
});

test("a call looks at the messages of its turn only, however many are held", () => {
  const log = new MessageLog();
  for (let turn = 0; turn < 500; turn += 1) {
    log.say({ id: null, role: "user", agent: "pi", text: `prompt ${turn}` }, at(turn));
    say(log, `answer ${turn}`, { offset: turn });
  }
  const state = log.save();
  let looks = 0;
  const look = (value: unknown) => ({ enumerable: true, get: () => (looks++, value) });
  const counted = state.open.map((message) =>
    Object.defineProperties({ ...message }, { role: look(message.role), order: look(message.order) }),
  );
  const held = new MessageLog({ ...state, open: counted });
  assert.equal(held.revisable.length, 1000);
  looks = 0;
  held.say({ id: null, role: "tool-call", agent: "pi", text: "$ ls" }, at(1000));
  assert.ok(looks > 0 && looks <= 20, String(looks));
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

test("a better source replaces the text once, also when the screen has let the message go, and a worse one never", () => {
  const log = new MessageLog();
  const id = say(log, "an answer, as drawn");
  log.forget(id);
  log.take();
  assert.equal(log.revise(id, { source: "record", text: "an **answer**, as said" }, at(2)), true);
  assert.equal(log.revise(id, { source: "record", text: "another answer" }, at(3)), false);
  const restored = new MessageLog(JSON.parse(JSON.stringify(log.save())));
  assert.equal(restored.revise(id, { source: "screen", text: "an answer, as drawn again" }, at(3)), false);
  assert.equal(restored.revise(id, { source: "protocol", text: "an answer, as sent" }, at(4)), true);
  const [last] = restored.take();
  assert.deepEqual([last?.text, last?.source, last?.revision], ["an answer, as sent", "protocol", 2]);
  assert.deepEqual(last?.replaced, { source: "screen", text: "an answer, as drawn" });
  assert.equal(restored.revise("m9", { source: "record", text: "x" }, at(5)), false);
});

test("a source may go on with what it has said", () => {
  const log = new MessageLog();
  const id = say(log, "an answer");
  log.revise(id, { source: "record", text: "an answer" }, at(2));
  assert.equal(log.revise(id, { source: "record", text: "an answer that goes on" }, at(2)), true);
  assert.deepEqual([log.take().at(-1)?.revision, log.revisable[0]?.text], [1, "an answer that goes on"]);
});

test("a message that the screen never showed stands between two others, and is the same one if it is shown later", () => {
  const log = new MessageLog();
  const [first, third] = [say(log, "first", { offset: 1 }), say(log, "third", { offset: 9 })];
  const draft = { role: "assistant", agent: "claude", text: "the **second** one" } as const;
  const second = log.add(draft, { source: "record", after: first }, at(20));
  assert.deepEqual(
    log.revisable.map(({ id, source, offset }) => [id, source, offset]),
    [
      [first, "screen", 1],
      [second, "record", 1],
      [third, "screen", 9],
    ],
  );
  log.take();
  assert.equal(say(log, "the second one", { offset: 30 }), second);
  const [shown] = log.take();
  assert.deepEqual([shown?.text, shown?.source, shown?.revision], ["the **second** one", "record", undefined]);
  assert.equal(log.add(draft, { source: "record", after: third }, at(40)), "m4");
  assert.equal(log.revisable.at(-1)?.order, undefined);
});

test("what a better source has said of a message stays when the screen withdraws it, and is shown again as the same", () => {
  const log = new MessageLog();
  const id = say(log, "the same");
  log.revise(id, { source: "record", text: "the same", isIncomplete: false }, at(2));
  log.take();
  log.withdraw(id, at(3));
  const [kept] = log.revisable;
  assert.deepEqual([kept?.id, kept?.text, kept?.source], [id, "the same", "record"]);
  assert.ok(log.take().every(({ text }) => text !== ""));
  assert.equal(say(log, "the same", { offset: 4 }), id);
});
