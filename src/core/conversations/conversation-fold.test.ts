import assert from "node:assert/strict";
import { test } from "node:test";
import { readMark } from "../records.ts";
import { SessionReducers } from "../views/session-reducers.ts";
import { conversationFact, type LearnedConversation } from "./conversation-fold.ts";

const learned = (id: string): LearnedConversation => ({ agent: "claude", id, by: "process", file: null });

function fold(reducers: SessionReducers, ...marks: readonly unknown[]): string[] {
  return marks
    .flatMap((mark, index) =>
      reducers.step({ type: "mark", event: readMark(mark), offset: index, end: index + 1, timeUs: index }),
    )
    .flatMap((change) => (change.kind === "conversation" ? [change.conversation] : []))
    .map(({ id, number }) => `${number} ${id}`);
}

const asMark = (id: string, count = 0): unknown => ({
  type: "fact",
  ...conversationFact(learned(id), count),
});

test("a conversation is known from its fact, once, also behind a checkpoint", () => {
  const reducers = new SessionReducers();
  const first = asMark("a");
  const second = asMark("b", 1);
  assert.deepEqual(fold(reducers, first, first, second), ["1 a", "2 b"]);
  const restored = new SessionReducers({}, structuredClone(reducers.save()));
  const third = asMark("a", 2);
  assert.deepEqual(fold(restored, second, third), ["3 a"]);
});

test("the marks of earlier versions are facts, each of its own", () => {
  const mark = (id: string): unknown => ({ type: "conversation", agent: "claude", id, by: "process" });
  assert.deepEqual(fold(new SessionReducers(), mark("a"), mark("b"), mark("a")), ["1 a", "2 b", "3 a"]);
});

test("other sources and unknown payloads change no conversation", () => {
  const fact = { ...conversationFact(learned("a"), 0), type: "fact" };
  assert.deepEqual(
    fold(new SessionReducers(), { ...fact, source: "other" }, { ...fact, payload: { id: 7 } }, { ...fact, id: 7 }),
    [],
  );
});
