import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordEntry, RecordMessage } from "../transcripts/record-entry.ts";
import { orderOf, type ChatMessage } from "./message.ts";
import { MessageLog } from "./message-log.ts";
import { RecordFold } from "./record-fold.ts";

const SECOND_US = 1_000_000;

/** The screen and the record of one conversation; `now` is in seconds. */
class Both {
  log = new MessageLog();
  record = new RecordFold(this.log);
  readonly messages = new Map<string, ChatMessage>();

  screen(now: number, role: ChatMessage["role"], text: string, id: string | null = null): string {
    const said = this.log.say({ id, role, agent: "claude", text }, { offset: now, timeUs: now * SECOND_US });
    this.settle(now, true);
    return said;
  }

  entry(now: number, entry: RecordEntry): void {
    this.record.take({ agent: "claude", conversation: "c", entry }, { offset: now, timeUs: now * SECOND_US });
    this.settle(now, false);
  }

  said(now: number, id: string, said: Partial<RecordMessage>): void {
    this.entry(now, { kind: "message", id, role: "user", text: "", timeMs: now * 1000, ...said });
  }

  settle(now: number, hasChanged = false, isOver = false): void {
    this.record.settle({ offset: now, timeUs: now * SECOND_US }, { hasChanged, isOver });
    for (const message of this.log.take()) this.messages.set(message.id, message);
  }

  restart(): void {
    this.log = new MessageLog(JSON.parse(JSON.stringify(this.log.save())));
    this.record = new RecordFold(this.log, JSON.parse(JSON.stringify(this.record.save())));
  }

  get list(): string[] {
    return [...this.messages.values()]
      .toSorted((one, other) => orderOf(one) - orderOf(other))
      .map(({ role, source, takenBack, text }) => [role, source, takenBack, text].filter(Boolean).join(" "));
  }
}

test("a message of the screen gets the text of the record, and keeps its own beside it", () => {
  const both = new Both();
  both.screen(1, "assistant", "The lst is here");
  both.said(1, "a", { role: "assistant", text: "The **list** is here" });
  const [message] = both.messages.values();
  assert.equal(message?.text, "The **list** is here");
  assert.deepEqual([message.source, message.revision], ["record", 1]);
  assert.deepEqual(message.replaced, { source: "screen", text: "The lst is here" });
});

test("what the screen never shows is added in its place after three seconds", () => {
  const both = new Both();
  both.screen(1, "user", "one");
  both.said(1, "a", { role: "user", text: "one" });
  both.said(2, "b", { role: "assistant", text: "first answer" });
  both.screen(4, "user", "two");
  both.said(4, "c", { role: "user", text: "two" });
  assert.deepEqual(both.list, ["user record one", "user record two"]);
  assert.equal(both.record.wakeUs, 5 * SECOND_US);
  both.settle(5);
  assert.deepEqual(both.list, ["user record one", "assistant record first answer", "user record two"]);
  assert.equal(both.record.wakeUs, null);
});

test("many entries at once are not taken for the messages before them, which say nearly the same", () => {
  for (const count of [100, 130, 250, 400]) {
    const both = new Both();
    const say = (turn: number, now: number): void => {
      both.said(now, `u${turn}`, { text: "go on", timeMs: turn * 100 });
      both.said(now, `a${turn}`, { role: "assistant", text: `done, number ${turn}`, timeMs: turn * 100 + 50 });
    };
    for (let turn = 1; turn <= 100; turn += 1) say(turn, turn / 10);
    both.settle(20);
    // The daemon was away for some time.
    for (let turn = 101; turn <= 100 + count; turn += 1) say(turn, 60);
    both.settle(70);
    const said = Array.from({ length: 100 + count }, (_, turn) => [
      "user record go on",
      `assistant record done, number ${turn + 1}`,
    ]);
    assert.deepEqual(both.list, said.flat());
  }
});

test("the screen may show it later: it is the same message", () => {
  const both = new Both();
  both.said(1, "a", { role: "user", text: "a question to it" });
  both.settle(5);
  both.screen(6, "user", "a question to it");
  assert.deepEqual(both.list, ["user record a question to it"]);
});

test("a message that still grows is not taken for complete", () => {
  const both = new Both();
  const id = both.screen(1, "assistant", "The begin");
  both.log.setPartial(id, true, { offset: 1, timeUs: SECOND_US });
  both.said(2, "a", { role: "assistant", text: "The begin and the end of it" });
  both.settle(9, true);
  assert.deepEqual(both.list, ["assistant screen The begin"]);
  both.log.setPartial(null, false, { offset: 9, timeUs: 9 * SECOND_US });
  both.settle(9, true);
  assert.deepEqual(both.list, ["assistant record The begin and the end of it"]);
});

test("its first letters are enough to wait for it", () => {
  const both = new Both();
  const id = both.screen(1, "assistant", "Step 1");
  both.log.setPartial(id, true, { offset: 1, timeUs: SECOND_US });
  both.said(2, "a", { role: "assistant", text: "Step 10 is done, with all that belongs to it" });
  both.settle(9, true);
  assert.deepEqual(both.list, ["assistant screen Step 1"]);
});

test("what was taken back stays, and says so, whether it is known then or later", () => {
  const both = new Both();
  both.screen(1, "user", "one thing");
  both.said(1, "a", { role: "user", text: "one thing" });
  both.said(2, "b", { role: "assistant", text: "an answer" });
  both.entry(3, { kind: "taken-back", ids: ["a", "b"], why: "rewound" });
  both.settle(9);
  assert.deepEqual(both.list, ["user record rewound one thing", "assistant record rewound an answer"]);
  both.entry(9, { kind: "taken-back", ids: [], why: "compacted" });
  assert.equal(both.list.length, 2);
});

test("an entry that comes again is the same message, and may have grown", () => {
  const both = new Both();
  both.screen(1, "assistant", "The answer");
  both.said(1, "a", { role: "assistant", text: "The answer" });
  both.said(1, "a", { role: "assistant", text: "The answer" });
  both.said(2, "a", { role: "assistant", text: "The answer, and more of it" });
  both.settle(9);
  assert.deepEqual(both.list, ["assistant record The answer, and more of it"]);
});

test("a sub-agent's words are added as its own, and never paired", () => {
  const both = new Both();
  both.screen(1, "assistant", "the same words");
  both.said(1, "s", { role: "assistant", text: "the same words", agent: "sub1" });
  both.said(1, "a", { role: "assistant", text: "the same words" });
  both.settle(9);
  assert.deepEqual(both.list, ["assistant record the same words", "assistant record the same words"]);
  assert.deepEqual(
    [...both.messages.values()].map(({ subAgent }) => subAgent),
    [undefined, "sub1"],
  );
});

test("a result that the agent has cut does not replace more of it", () => {
  const both = new Both();
  both.screen(1, "tool-call", "Bash(seq 9)");
  both.screen(1, "tool-result", "1 2 3 4 5 6 7 8 9");
  both.said(1, "t", { role: "tool-call", text: '{"command":"seq 9"}', tool: "Bash" });
  both.said(1, "t:r", { role: "tool-result", text: "8 9", call: "t", incomplete: "cut" });
  both.settle(9);
  assert.deepEqual(both.list, ["tool-call record Bash(seq 9)", "tool-result screen 1 2 3 4 5 6 7 8 9"]);
  const [call] = both.messages.values();
  assert.deepEqual(call?.tool, { name: "Bash", input: '{"command":"seq 9"}', call: null });
});

test("a clock that is far ahead, or missing, rejects nothing", () => {
  const both = new Both();
  both.screen(1, "user", "one");
  both.said(1, "a", { role: "user", text: "one", timeMs: 9_000_000_000_000 });
  both.screen(2, "assistant", "two");
  both.said(2, "b", { role: "assistant", text: "two", timeMs: 0 });
  both.settle(9);
  assert.deepEqual(both.list, ["user record one", "assistant record two"]);
});

test("a record that is read again from its beginning adds nothing, however long it is", () => {
  const both = new Both();
  const read = (from: number): void => {
    for (let turn = 0; turn < 400; turn += 1)
      both.said(from + turn * 10, `u${turn}`, { role: "user", text: `do ${turn}`, timeMs: (1 + turn * 10) * 1000 });
  };
  read(1);
  both.settle(4100);
  assert.equal(both.list.length, 400);
  read(5000);
  both.settle(9990);
  assert.equal(both.list.length, 400);
});

test("all is the same after a restart at any place, and at the end nothing waits", () => {
  const run = (restartAt: number): string[] => {
    const both = new Both();
    for (let turn = 0; turn < 8; turn += 1) {
      if (turn === restartAt) both.restart();
      const now = 1 + turn * 10;
      if (turn !== 3) both.screen(now, "user", "go on");
      both.said(now, `u${turn}`, { role: "user", text: "go on" });
      if (turn !== 5) both.screen(now + 1, "assistant", "done it again");
      both.said(now + 1, `a${turn}`, { role: "assistant", text: "done it again" });
    }
    both.settle(80, false, true);
    return both.list;
  };
  const expected = Array.from({ length: 8 }, () => ["user record go on", "assistant record done it again"]).flat();
  for (let restartAt = 0; restartAt <= 8; restartAt += 1) assert.deepEqual(run(restartAt), expected);
});
