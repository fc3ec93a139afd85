import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage, MessageRole } from "../../core/chat/message.ts";
import type { ConversationItem } from "./conversation.ts";
import { gapsOf, withGaps } from "./gaps.ts";

const whole = { start: 0, end: 900, exit: null, degraded: null };
const lost = { reason: "lost", code: null, signal: null } as const;

const said = (offset: number, role: MessageRole = "assistant"): ConversationItem => ({
  kind: "message",
  key: String(offset),
  offset,
  timeUs: offset,
  message: { role } as ChatMessage,
});

const shown = (session: Parameters<typeof gapsOf>[0], offsets: readonly ConversationItem[]): string =>
  withGaps(offsets, gapsOf(session, session.exit === null ? [] : [{ reason: "host-lost", bytesMax: 1 }]))
    .map(({ key }) => key)
    .join(", ");

test("a journal that is whole has no gap", () => {
  assert.equal(shown(whole, [said(0), said(40)]), "0, 40");
});

test("what was trimmed stands before the first thing that can be replayed", () => {
  assert.equal(shown({ ...whole, start: 40 }, [said(0), said(40), said(50)]), "0, gap trimmed, 40, 50");
  assert.match(gapsOf({ ...whole, start: 2048 }, [])[0]?.words ?? "", /2\.0 KB/);
});

test("a session that was lost ends with a gap that says how much was not recorded", () => {
  assert.equal(shown({ ...whole, exit: lost }, [said(0), said(890, "exit")]), "0, gap lost");
  const [gap] = gapsOf({ ...whole, exit: lost }, [
    { reason: "torn", bytesMax: 1024 },
    { reason: "host-lost", bytesMax: 65_536 },
  ]);
  assert.match(gap?.words ?? "", /at most 65 KB/);
});

test("a recording from elsewhere whose end nobody saw has lost nothing", () => {
  assert.deepEqual(gapsOf({ ...whole, exit: lost }, []), []);
});

test("a journal that cannot be written says why", () => {
  assert.match(gapsOf({ ...whole, degraded: "no space left" }, [])[0]?.words ?? "", /no space left/);
});
