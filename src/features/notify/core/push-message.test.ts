import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingNotice } from "./notice.ts";
import { closingMessage, pushMessage } from "./push-message.ts";

const notice = (body: string, labels: readonly string[] = ["Yes", "No"]): OutgoingNotice => ({
  id: "n1",
  kind: "blocked",
  timeMs: 0,
  title: "work needs you",
  body,
  priority: 4,
  session: { id: "0123abcd", name: "work" },
  node: "box",
  agent: "claude",
  url: null,
  question: {
    id: "a1",
    text: "Proceed?",
    details: "",
    isWhole: true,
    options: labels.map((label, at) => ({
      id: String(at + 1),
      label,
      effect: "other" as const,
      answerUrl: at === 2 ? null : `https://page.example/v1/answers/token-${at}`,
    })),
  },
});

test("pushMessage has one tag for a session, and answers as paths of the page's own origin", () => {
  const { answers, path, tag } = pushMessage(notice("npm test", ["Yes", "No", "Never"]), 3993);
  assert.deepEqual([tag, path], ["0123abcd", "/s/0123abcd"]);
  assert.deepEqual(answers, [
    { id: "1", label: "Yes", path: "/v1/answers/token-0" },
    { id: "2", label: "No", path: "/v1/answers/token-1" },
  ]);
  const none = pushMessage({ ...notice(""), session: null, question: null }, 3993);
  assert.deepEqual([none.tag, none.path, none.answers], ["n1", "/", []]);
});

test("pushMessage puts the first answer that allows and the first that denies in front", () => {
  const asked = notice("", ["Yes", "Always", "No", "Never"]);
  const effects = ["allow-always", "allow", "other", "deny"] as const;
  const options = asked.question?.options.map((option, at) => ({
    ...option,
    effect: effects[at] ?? "other",
    answerUrl: "/a",
  }));
  const { answers } = pushMessage(
    { ...asked, question: asked.question && { ...asked.question, options: options ?? [] } },
    3993,
  );
  assert.deepEqual(
    answers.map(({ label }) => label),
    ["Always", "Never", "Yes", "No"],
  );
});

test("pushMessage cuts its body until it fits, whatever its characters", () => {
  for (const body of ["x".repeat(9000), "ä".repeat(5000), "😀".repeat(3000), '"\\'.repeat(4000)]) {
    const message = pushMessage(notice(body), 3993);
    assert.ok(Buffer.byteLength(JSON.stringify(message)) <= 3993, body.slice(0, 4));
    assert.ok(message.body.endsWith("…"));
    assert.equal(message.answers.length, 2);
  }
});

test("closingMessage takes the notification with the same tag away", () => {
  const shown = pushMessage(notice("npm test"), 3993);
  assert.deepEqual(closingMessage(shown.tag, shown.title), {
    ...shown,
    type: "close",
    body: "Answered elsewhere",
    answers: [],
  });
});
