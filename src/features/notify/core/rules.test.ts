import assert from "node:assert/strict";
import { test } from "node:test";
import { anySession, fitsSession, rulesFor, type NotifyRule } from "./rules.ts";

const session = { name: "agent-1", labels: { team: "core", app: "shop" }, agent: "claude" };
const rule: NotifyRule = {
  on: ["blocked"],
  afterMs: 0,
  sessions: anySession,
  content: "title",
  presence: true,
  to: ["phone"],
};

test("a filter fits by name, labels and agent together", () => {
  assert.equal(fitsSession(anySession, session), true);
  assert.equal(fitsSession({ names: ["web", "agent-*"], labels: { team: "co*" }, agents: ["claude"] }, session), true);
  assert.equal(fitsSession({ ...anySession, names: ["web"] }, session), false);
  assert.equal(fitsSession({ ...anySession, labels: { team: "core", missing: "*" } }, session), false);
  assert.equal(fitsSession({ ...anySession, labels: { constructor: "*" } }, session), false);
  assert.equal(fitsSession({ ...anySession, agents: ["claude"] }, { ...session, agent: null }), false);
});

test("the first rule that names a channel decides for it", () => {
  const question: NotifyRule = { ...rule, content: "question", to: ["phone", "team"] };
  const other: NotifyRule = { ...rule, sessions: { ...anySession, names: ["nothing"] }, to: ["team"] };
  assert.deepEqual(
    rulesFor([other, rule, question], "blocked", session).map(({ channel, rule: { content } }) => [channel, content]),
    [
      ["phone", "title"],
      ["team", "question"],
    ],
  );
  assert.deepEqual(rulesFor([rule], "done", session), []);
});

test("a machine has no session that a rule could ask for", () => {
  const away: NotifyRule = { ...rule, on: ["away"], sessions: { ...anySession, names: ["agent-*"] } };
  assert.equal(rulesFor([away], "away", null).length, 1);
});
