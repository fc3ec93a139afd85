import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "../../core/chat/message.ts";
import type { SessionStatus } from "../../core/status/status.ts";
import type { ConversationItem } from "./conversation.ts";
import { stageOf, type Receipt } from "./receipt.ts";

const accepted: Receipt = { stage: "accepted", text: "fix the\ntests", next: 100, problem: undefined };

const status = (state: SessionStatus["state"], offset: number): SessionStatus => ({
  state,
  summary: "",
  sinceUs: 0,
  offset,
  agent: null,
  approval: null,
  evidence: [],
});

const said = (text: string, offset: number): ConversationItem => ({
  kind: "message",
  key: text,
  offset,
  timeUs: 0,
  message: { role: "user", text, offset, end: offset } as ChatMessage,
});

test("a receipt goes from accepted to echoed, working and done", () => {
  const before = status("waiting", 20);
  const echo = [said("fix the tests", 110)];
  assert.equal(stageOf(accepted, [], [before]), "accepted");
  assert.equal(stageOf(accepted, echo, [before]), "echoed");
  assert.equal(stageOf(accepted, echo, [before, status("working", 130)]), "working");
  assert.equal(stageOf(accepted, echo, [before, status("working", 130), status("waiting", 400)]), "done");
});

test("a receipt takes nothing for its own that was there before", () => {
  const statuses = [status("working", 50), status("waiting", 60)];
  assert.equal(stageOf(accepted, [said("fix the tests", 20)], statuses), "accepted");
});

test("a receipt of what was not sent stays as it is", () => {
  const failed: Receipt = { ...accepted, stage: "failed", next: undefined };
  assert.equal(stageOf(failed, [said("fix the tests", 110)], [status("working", 130)]), "failed");
});
