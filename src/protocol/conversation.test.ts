import assert from "node:assert/strict";
import { test } from "node:test";
import { CONVERSATION_EVIDENCE } from "../core/conversations/conversation-fold.ts";
import { conversationSchema } from "./conversation.ts";

test("a conversation has its agent, its id and how it is known", () => {
  for (const by of CONVERSATION_EVIDENCE)
    assert.ok(conversationSchema.safeParse({ agent: "claude", id: "x", by }).success);
  assert.ok(!conversationSchema.safeParse({ agent: "claude", id: "x", by: "newest" }).success);
});
