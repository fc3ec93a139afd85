import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf, testNotice, type NoticeFacts } from "./notice.ts";

const facts: NoticeFacts = {
  kind: "blocked",
  timeMs: 1,
  session: { id: "s1", name: "work" },
  node: "box",
  agent: "claude",
  summary: "Do you want to proceed?",
  question: {
    id: "q1",
    text: "Do you want\nto proceed?",
    details: "curl -H 'Authorization: Bearer abcdefghijklmnop'\n\u001b[31mrm -rf x",
    options: [
      { id: "1", label: "Yes", effect: "allow" },
      { id: "2", label: "No", effect: "deny" },
    ],
  },
  isFolded: false,
  others: 0,
};

test("a notice has no more than its content allows", () => {
  const none = noticeOf(facts, "none");
  assert.equal(none.title, "A session needs you");
  assert.equal(JSON.stringify(none).includes("work") || JSON.stringify(none).includes("box"), false);
  const title = noticeOf(facts, "title");
  assert.deepEqual([title.title, title.body, title.question], ["work needs you (claude)", "", null]);
  const question = noticeOf(facts, "question");
  assert.equal(question.question?.text, "Do you want ⏎ to proceed?");
  assert.match(question.body, /1\. Yes\n2\. No$/);
});

test("a secret and what acts on a terminal do not get into a notice", () => {
  const text = JSON.stringify(noticeOf(facts, "question"));
  assert.doesNotMatch(text, /abcdefghijklmnop|\\u001b/);
  assert.match(text, /Bearer •••/);
});

test("a question that is not here in full says so, whether the program folded it or it is too long", () => {
  assert.equal(noticeOf(facts, "question").question?.isWhole, true);
  assert.equal(noticeOf({ ...facts, isFolded: true }, "question").question?.isWhole, false);
  const long = { ...facts, question: facts.question && { ...facts.question, details: "x".repeat(2000) } };
  const { question } = noticeOf(long, "question");
  assert.equal(question?.isWhole, false);
  assert.equal(question.details.length, 1500);
});

test("further questions are counted, and a machine is named", () => {
  assert.equal(noticeOf({ ...facts, others: 2 }, "title").body, "2 more questions wait");
  const away = noticeOf({ ...facts, kind: "away", session: null, agent: null, question: null }, "title");
  assert.deepEqual([away.title, away.priority], ["box is away", 3]);
  assert.equal(testNotice("box", 1).kind, "test");
});
